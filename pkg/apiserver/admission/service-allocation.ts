import { keyOf, refKey } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import { hasCondition } from "../../api/conditions.ts";
import type { Service } from "../../api/types/core-v1.gen.ts";
import type { ServiceCIDR } from "../../api/types/networking-v1.gen.ts";
import type { Random } from "../../clock/random.ts";
import { specOf } from "../kinds/define-kind.ts";
import { asJson, child, setZeroDefault, strings, text } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import { alignClusterIps, isHeadless } from "../kinds/network/service.ts";
import type { AdmissionAttributes, RequestScope } from "../server/admission.ts";
import { parseVersion } from "../server/query-options.ts";
import { internal, invalid } from "../server/status-error.ts";
import { parseIp } from "../../endpoints/ip-address.ts";
import { type AddressRange, addressRanges } from "./address-range.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { allocateNodePorts, nodePortsOf } from "./node-ports.ts";
import { type AdmissionPlugin, isResource } from "./plugin.ts";
import { type FieldProblem, settleFamilies } from "./service-families.ts";
import { serviceAddressErrors } from "../kinds/network/service-validation.ts";

export interface ServiceRange {
  /** "10.0.0.0/16", or with one of the other family "10.0.0.0/16,2001:db8::/112". */
  readonly cidr: string;
}

/** A write that is about to be refused for its version: it needs no addresses, and nothing else is said of it. */
function isOutdated({ metadata }: Draft, { before }: AdmissionAttributes): boolean {
  const given = text(metadata, "resourceVersion");
  if (before === undefined || parseVersion(given, "write") === undefined) return false;
  return given !== before.metadata.resourceVersion;
}

/**
 * Gives services their addresses and node ports. What is taken is read off the stored services, so that nothing has to
 * be given back; what writes under way will have is held until they end.
 */
export function serviceAllocation(
  reader: ClusterReader,
  random: Random,
  range: ServiceRange,
): AdmissionPlugin {
  const configured = addressRanges(range.cidr);
  const cluster = configured.map(({ family }) => family);
  const rangesNow = rangesOf(reader, configured);
  const holds = new Holds();
  return {
    name: "ServiceAllocation",
    mutate(attributes, draft) {
      if (draft === undefined || attributes.subresource !== "") return;
      if (!isResource(attributes, resources.services)) return;
      if (isOutdated(draft, attributes)) return;
      const spec = specOf(draft);
      const type = text(spec, "type");
      if (type === "ExternalName") return;
      const held = holds.of(attributes.scope);
      const key = refKey(attributes.namespace, attributes.name);
      const others = reader.list(resources.services).filter((service) => keyOf(service) !== key);
      const taken = new Set([
        ...others.flatMap((service) => service.spec?.clusterIPs ?? []),
        ...held.byOthers.flatMap(({ addresses }) => [...addresses]),
      ]);
      const before: Service | undefined = attributes.before;
      const old = before && child(asJson(before), "spec");
      alignClusterIps(spec, old);
      const wrong = serviceAddressErrors(spec);
      if (wrong.length > 0) throw invalid(resources.services, attributes.name, wrong);
      refuse(settleFamilies(spec, old, cluster), attributes);
      if (!isHeadless(spec)) {
        const ranges = rangesNow();
        const addresses = [...strings(spec, "clusterIPs")];
        // A change of one that is there is for validation to refuse.
        for (const [index, address] of addresses.entries())
          if (before?.spec?.clusterIPs?.[index] === undefined)
            requireFree(address, { ranges, taken }, attributes);
        for (const family of strings(spec, "ipFamilies").slice(addresses.length)) {
          const sources = ranges.filter((each) => each.family === family);
          if (sources.length === 0) continue;
          const address = freeIn(sources, taken, random);
          taken.add(address);
          addresses.push(address);
        }
        spec["clusterIPs"] = addresses;
        // A change of it alone is for validation to refuse.
        setZeroDefault(spec, "clusterIP", addresses[0] ?? "");
        for (const address of addresses) held.own.addresses.add(address);
      }
      const takenPorts = new Set([
        ...others.flatMap(nodePortsOf),
        ...held.byOthers.flatMap(({ ports }) => [...ports]),
      ]);
      allocateNodePorts(spec, attributes, takenPorts, random);
      for (const port of nodePortsOf({ spec })) held.own.ports.add(port);
    },
  };
}

/** The ranges of the ServiceCIDRs that are ready; where there are none, those that the server was given. */
function rangesOf(reader: ClusterReader, configured: readonly AddressRange[]): () => readonly AddressRange[] {
  let known: readonly ServiceCIDR[] = [];
  let ranges = configured;
  return () => {
    const cidrs = reader.list(resources.serviceCIDRs);
    const isKnown = cidrs.length === known.length && cidrs.every((cidr, index) => cidr === known[index]);
    if (!isKnown) {
      known = cidrs;
      const ready = cidrs.filter(isReady).flatMap(({ spec }) => addressRanges(spec?.cidrs?.join() ?? ""));
      ranges = ready.length > 0 ? ready : configured;
    }
    return ranges;
  };
}

function isReady({ metadata, status }: ServiceCIDR): boolean {
  return metadata.deletionTimestamp === undefined && hasCondition(status?.conditions, "Ready", "True");
}

/** In the first that has one left. */
function freeIn(sources: readonly AddressRange[], taken: ReadonlySet<string>, random: Random): string {
  for (const source of sources) {
    const address = source.free(taken, random);
    if (address !== undefined) return address;
  }
  throw internal("failed to allocate IP: range is full");
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

interface Held {
  readonly addresses: Set<string>;
  readonly ports: Set<number>;
}

interface HeldSoFar {
  readonly own: Held;
  readonly byOthers: readonly Held[];
}

/** What requests that have not ended are about to store: between the choice and the storage others choose, too. */
class Holds {
  readonly #held = new Map<RequestScope, Held>();

  /** A request that starts over chooses anew. */
  of(scope: RequestScope): HeldSoFar {
    if (!this.#held.has(scope)) scope.onEnd(() => this.#held.delete(scope));
    const own: Held = { addresses: new Set(), ports: new Set() };
    this.#held.set(scope, own);
    return { own, byOthers: [...this.#held.values()].filter((held) => held !== own) };
  }
}

interface Addresses {
  readonly ranges: readonly AddressRange[];
  readonly taken: ReadonlySet<string>;
}

function requireFree(address: string, { ranges, taken }: Addresses, { name }: AdmissionAttributes): void {
  if (address === "") return;
  const isInside = ranges.some((range) => range.has(address));
  const problem = isInside
    ? taken.has(address) && "provided IP is already allocated"
    : "the provided network does not match the current range";
  // What is no address at all is for validation to say.
  if (problem === false || parseIp(address) === undefined) return;
  const message = `Invalid value: ${JSON.stringify([address])}: failed to allocate IP ${address}: ${problem}`;
  throw invalid(resources.services, name, [{ type: "FieldValueInvalid", field: "spec.clusterIPs", message }]);
}
