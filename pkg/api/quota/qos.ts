import { parseQuantity } from "../quantity-parse.ts";
import { zeroQuantity, type Quantity } from "../quantity.ts";

interface Requirements {
  readonly requests?: Readonly<Record<string, string | number>>;
  readonly limits?: Readonly<Record<string, string | number>>;
}

/** What the QoS class of a pod depends on. */
export interface QosSpec {
  readonly resources?: Requirements;
  readonly containers?: readonly { readonly resources?: Requirements }[];
  readonly initContainers?: readonly { readonly resources?: Requirements }[];
}

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const compute = ["cpu", "memory"] as const;

/**
 * BestEffort asks for nothing, Guaranteed limits every container's cpu and memory to what it requests, everything else
 * is Burstable. Resources of the pod as a whole replace those of its containers.
 */
export function podQosClass(spec: QosSpec): QosClass {
  const holders = spec.resources
    ? [{ resources: spec.resources }]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let allLimited = true;
  for (const { resources } of holders) {
    addPositive(requests, resources?.requests);
    const limited = addPositive(limits, resources?.limits);
    // A pod of its own resources needs limits only to be guaranteed, its containers always.
    if (limited < compute.length && !(spec.resources && limited === 0)) allLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const equal = [...requests].every(([name, request]) => limits.get(name)?.equals(request) === true);
  return allLimited && equal && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Adds the cpu and memory that are more than nothing and says how many of the two there were. */
function addPositive(totals: Map<string, Quantity>, list: Requirements["limits"]): number {
  let found = 0;
  for (const name of compute) {
    const value = list?.[name];
    if (value === undefined) continue;
    const quantity = parseQuantity(value);
    if (quantity.sign() <= 0) continue;
    found++;
    totals.set(name, (totals.get(name) ?? zeroQuantity).add(quantity));
  }
  return found;
}
