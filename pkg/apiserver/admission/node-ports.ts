import { asJson, child, count, items, type Json, text } from "../../api/json.ts";
import { resources } from "../../api/resources.ts";
import type { Service } from "../../api/types/core-v1.gen.ts";
import { type Random, randomBelow } from "../../clock/random.ts";
import { needsNodePort } from "../kinds/network/service.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { internal, invalid, StatusError } from "../server/status-error.ts";

const FIRST = 30_000;
const LAST = 32_767;

/** Gives a service the node ports that it asks for or needs, that of its health check included. Adds them to what is taken. */
export function allocateNodePorts(
  spec: Json,
  attributes: AdmissionAttributes,
  taken: Set<number>,
  random: Random,
): void {
  const allocation = new NodePorts(taken, random);
  const before = attributes.before && child(asJson(attributes.before), "spec");
  if (hasNodePorts(spec)) {
    if (before === undefined) settleNew(spec, attributes, allocation);
    else settleChanged(spec, before, attributes, allocation);
  }
  settleHealthCheck(spec, before, allocation);
}

function hasNodePorts(spec: Json): boolean {
  return ["NodePort", "LoadBalancer"].includes(text(spec, "type"));
}

export function nodePortsOf({ spec }: { readonly spec?: Service["spec"] | undefined }): readonly number[] {
  const ports = (spec?.ports ?? []).map(({ nodePort }) => nodePort ?? 0);
  return [...ports, spec?.healthCheckNodePort ?? 0].filter((port) => port !== 0);
}

/** One port is taken for all protocols, and within a service one number serves a port in several of them. */
function settleNew(spec: Json, attributes: AdmissionAttributes, allocation: NodePorts): void {
  const byPort = new Map<number, number>();
  const ports = items(spec, "ports");
  for (const [index, port] of ports.entries()) {
    const given = count(port, "nodePort");
    if (given === 0 && !needsNodePort(spec)) continue;
    const number = count(port, "port");
    const known = byPort.get(number);
    if (known === undefined) {
      const asked = ports.find((one) => count(one, "port") === number && count(one, "nodePort") !== 0);
      const wanted = count(asked, "nodePort");
      port["nodePort"] = wanted === 0 ? allocation.next() : taken(allocation, wanted, index, attributes);
      byPort.set(number, count(port, "nodePort"));
    } else if (given === 0) port["nodePort"] = known;
    else if (given !== known) taken(allocation, given, index, attributes);
  }
}

/** What the service has already is its own; what it does not name stays as it was. */
function settleChanged(
  spec: Json,
  before: Json,
  attributes: AdmissionAttributes,
  allocation: NodePorts,
): void {
  const own = new Set(items(before, "ports").map((port) => count(port, "nodePort")));
  const claimed = new Set(items(spec, "ports").map((port) => count(port, "nodePort")));
  const seen = new Set<string>();
  for (const [index, port] of items(spec, "ports").entries()) {
    if (needsNodePort(spec) && count(port, "nodePort") === 0)
      port["nodePort"] = needsNodePort(before) ? keptNodePort(port, before, claimed) : 0;
    const given = count(port, "nodePort");
    if (given === 0) {
      if (!needsNodePort(spec)) {
        delete port["nodePort"];
        continue;
      }
      port["nodePort"] = allocation.next();
    } else if (!own.has(given)) {
      taken(allocation, given, index, attributes);
      own.add(given);
    }
    const shown = `{${text(port, "protocol")} ${count(port, "nodePort")}}`;
    if (seen.has(shown)) throw internal(`duplicate nodePort: ${shown}`);
    seen.add(shown);
  }
}

/** That of the port of this name, unless another one of the service is to have it. */
function keptNodePort(port: Json, before: Json, claimed: ReadonlySet<number>): number {
  const same = items(before, "ports").findLast((one) => text(one, "name") === text(port, "name"));
  const number = count(same, "nodePort");
  return claimed.has(number) ? 0 : number;
}

function taken(allocation: NodePorts, port: number, index: number, { name }: AdmissionAttributes): number {
  const problem = allocation.take(port);
  if (problem === undefined) return port;
  const message = `Invalid value: ${port}: ${problem}`;
  const field = `spec.ports[${index}].nodePort`;
  throw invalid(resources.services, name, [{ type: "FieldValueInvalid", field, message }]);
}

function needsHealthCheck(spec: Json | undefined): boolean {
  return text(spec, "type") === "LoadBalancer" && text(spec, "externalTrafficPolicy") === "Local";
}

function settleHealthCheck(spec: Json, before: Json | undefined, allocation: NodePorts): void {
  if (!needsHealthCheck(spec)) return;
  const given = count(spec, "healthCheckNodePort");
  if (needsHealthCheck(before)) {
    if (given === 0) spec["healthCheckNodePort"] = count(before, "healthCheckNodePort");
    return;
  }
  if (given === 0) {
    spec["healthCheckNodePort"] = allocation.next();
    return;
  }
  const problem = allocation.take(given);
  if (problem === undefined) return;
  // upstream: what the client has asked for wrongly is the server's own fault here.
  const message = `failed to allocate requested HealthCheck NodePort ${given}: ${problem}`;
  throw new StatusError(500, "InternalError", `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
  });
}

class NodePorts {
  readonly #taken: Set<number>;
  readonly #random: Random;

  constructor(taken: Set<number>, random: Random) {
    this.#taken = taken;
    this.#random = random;
  }

  /** What is wrong with taking the port; undefined: it is taken. */
  take(port: number): string | undefined {
    if (port < FIRST || port > LAST)
      return `provided port is not in the valid range. The range of valid ports is ${FIRST}-${LAST}`;
    if (this.#taken.has(port)) return "provided port is already allocated";
    this.#taken.add(port);
    return undefined;
  }

  next(): number {
    const size = LAST - FIRST + 1;
    const start = randomBelow(this.#random, size);
    for (let step = 0; step < size; step++) {
      const port = FIRST + ((start + step) % size);
      if (this.take(port) === undefined) return port;
    }
    throw internal("failed to allocate a nodePort: range is full");
  }
}
