import { keyOf, refKey } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { Service } from "../../api/types/core-v1.gen.ts";
import type { Random } from "../../clock/random.ts";
import { specOf } from "../kinds/define-kind.ts";
import { asJson, child, setZeroDefault, strings, text } from "../../api/json.ts";
import { isHeadless } from "../kinds/network/service.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { invalid } from "../server/status-error.ts";
import { parseIp } from "../../endpoints/ip-address.ts";
import { type AddressRange, addressRanges } from "./address-range.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { allocateNodePorts } from "./node-ports.ts";
import { type AdmissionPlugin, isResource } from "./plugin.ts";
import { type FieldProblem, settleFamilies } from "./service-families.ts";

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
      const key = refKey(attributes.namespace, attributes.name);
      const others = reader.list(resources.services).filter((service) => keyOf(service) !== key);
      const taken = new Set(others.flatMap((service) => service.spec?.clusterIPs ?? []));
      const before: Service | undefined = attributes.before;
      const old = before && child(asJson(before), "spec");
      refuse(settleFamilies(spec, old, cluster), attributes);
      if (!isHeadless(spec)) {
        const addresses = [...strings(spec, "clusterIPs")];
        for (const address of addresses) {
          if (before?.spec?.clusterIPs?.includes(address) !== true)
            requireFree(address, { ranges, taken }, attributes);
        }
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
      allocateNodePorts(spec, attributes, others, random);
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
