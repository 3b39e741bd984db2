import { resources } from "../../api/resources.ts";
import type { Service } from "../../api/types/core-v1.gen.ts";
import { type Random, randomBelow } from "../../clock/random.ts";
import { specOf } from "../kinds/define-kind.ts";
import { asJson, child, count, setZeroDefault, type Json, items, strings, text } from "../../api/json.ts";
import { isHeadless, needsNodePort } from "../kinds/network/service.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { internal, invalid } from "../server/status-error.ts";
import { addressRanges } from "./address-range.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, isResource } from "./plugin.ts";
import { type FieldProblem, settleFamilies } from "./service-families.ts";

const firstNodePort = 30_000;
const nodePorts = 2_768;

export interface ServiceRange {
  /** "10.0.0.0/16", or with one of the other family "10.0.0.0/16,2001:db8::/112". */
  readonly cidr: string;
}

/**
 * Gives services their addresses and node ports. What is taken is read off the stored services, so that nothing has to
 * be given back; writes under way are remembered until the storage has them.
 */
export function serviceAllocation(
  reader: ClusterReader,
  random: Random,
  range: ServiceRange,
): AdmissionPlugin {
  const ranges = addressRanges(range.cidr);
  const cluster = ranges.map(({ family }) => family);
  const pending = new Map<string, string>();
  return {
    name: "ServiceAllocation",
    mutate(attributes, draft) {
      if (draft === undefined || attributes.subresource !== "") return;
      if (!isResource(attributes, resources.services)) return;
      const spec = specOf(draft);
      const type = text(spec, "type");
      if (type === "ExternalName") return;
      const key = `${attributes.namespace}/${attributes.name}`;
      const others = reader
        .list(resources.services)
        .filter(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}` !== key);
      const taken = new Set(others.flatMap((service) => service.spec?.clusterIPs ?? []));
      const before: Service | undefined = attributes.before;
      const old = before && child(asJson(before), "spec");
      refuse(settleFamilies(spec, old, cluster), attributes);
      if (!isHeadless(spec)) {
        const addresses = [...strings(spec, "clusterIPs")];
        for (const address of addresses) refuseTaken(address, taken, attributes);
        for (const family of strings(spec, "ipFamilies").slice(addresses.length)) {
          const source = ranges.find((each) => each.family === family);
          if (source === undefined) continue;
          const address = source.free(new Set([...taken, ...pending.keys()]), random);
          remember(pending, address, taken);
          addresses.push(address);
        }
        spec["clusterIPs"] = addresses;
        // A change of it alone is for validation to refuse.
        setZeroDefault(spec, "clusterIP", addresses[0] ?? "");
      }
      if (needsNodePort(spec)) allocateNodePorts(spec, attributes, others, random);
    },
  };
}

function refuse(problems: readonly FieldProblem[], { name }: AdmissionAttributes): void {
  if (problems.length === 0) return;
  const causes = problems.map(({ field, value, message }) => ({
    type: "FieldValueInvalid" as const,
    field,
    message: `Invalid value: ${JSON.stringify(value)}: ${message}`,
  }));
  throw invalid(resources.services, name, causes);
}

/** Forgets what has arrived in the storage; a write that failed gives its address back when there are many. */
function remember(pending: Map<string, string>, address: string, taken: ReadonlySet<string>): void {
  for (const known of pending.keys()) if (taken.has(known)) pending.delete(known);
  if (pending.size >= 256) pending.clear();
  pending.set(address, address);
}

function refuseTaken(address: string, taken: ReadonlySet<string>, { name }: AdmissionAttributes): void {
  if (address === "" || !taken.has(address)) return;
  const message = `Invalid value: ${JSON.stringify([address])}: failed to allocate IP ${address}: provided IP is already allocated`;
  throw invalid(resources.services, name, [{ type: "FieldValueInvalid", field: "spec.clusterIPs", message }]);
}

function allocateNodePorts(
  spec: Json,
  attributes: AdmissionAttributes,
  others: readonly Service[],
  random: Random,
): void {
  const taken = new Set(
    others.flatMap((service) => (service.spec?.ports ?? []).map((port) => port.nodePort ?? 0)),
  );
  const own = new Map<number, number>();
  for (const [index, port] of items(spec, "ports").entries()) {
    const given = count(port, "nodePort") || (own.get(count(port, "port")) ?? keptNodePort(port, attributes));
    if (given === 0) port["nodePort"] = freePort(taken, random);
    else if (taken.has(given)) {
      const message = `Invalid value: ${given}: provided port is already allocated`;
      const field = `spec.ports[${index}].nodePort`;
      throw invalid(resources.services, attributes.name, [{ type: "FieldValueInvalid", field, message }]);
    } else port["nodePort"] = given;
    own.set(count(port, "port"), count(port, "nodePort"));
  }
  for (const port of own.values()) taken.add(port);
}

/** An update that does not name the node port keeps the one that the service has. */
function keptNodePort(port: Json, { before }: AdmissionAttributes): number {
  const service: Service | undefined = before;
  const old = service?.spec?.ports ?? [];
  const same = old.find(
    (one) => one.port === count(port, "port") && (one.protocol ?? "TCP") === text(port, "protocol"),
  );
  return same?.nodePort ?? 0;
}

function freePort(taken: Set<number>, random: Random): number {
  const start = randomBelow(random, nodePorts);
  for (let step = 0; step < nodePorts; step++) {
    const port = firstNodePort + ((start + step) % nodePorts);
    if (taken.has(port)) continue;
    taken.add(port);
    return port;
  }
  throw internal("failed to allocate a nodePort: range is full");
}
