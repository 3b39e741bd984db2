import type { Node, Pod, Taint, Toleration } from "../../../pkg/api/types/core-v1.gen.ts";
import { type Cidr, parseCidr } from "../../../pkg/endpoints/cidr.ts";

export const NOT_READY = "node.kubernetes.io/not-ready";
export const UNREACHABLE = "node.kubernetes.io/unreachable";
/** What users say of a node that is down for sure. */
export const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
export const OF_SYSTEM = "node.kubernetes.io/";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";
const PRESSURES: Readonly<Record<string, string>> = {
  MemoryPressure: "node.kubernetes.io/memory-pressure",
  DiskPressure: "node.kubernetes.io/disk-pressure",
  PIDPressure: "node.kubernetes.io/pid-pressure",
};

/** "Unknown" of a node that has never said whether it is ready. */
export function readyOf({ status }: Node): string {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status ?? "Unknown";
}

export const hasReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type }) => type === "Ready") === true;

/** The taint that says of a node what its Ready condition says; undefined for one that is well. */
export function keyOfReady(ready: string): string | undefined {
  if (ready === "True") return undefined;
  return ready === "False" ? NOT_READY : UNREACHABLE;
}

/** Keys of the taints that are to keep new pods away from such a node. */
export function keysThatKeepAway(node: Node): readonly string[] {
  const keys = (node.status?.conditions ?? []).flatMap(({ type, status }) => {
    if (type === "Ready") return keyOfReady(status) ?? [];
    return status === "True" ? (PRESSURES[type] ?? []) : [];
  });
  return node.spec?.unschedulable === true ? [...keys, UNSCHEDULABLE] : keys;
}

export function keysOf({ spec }: Node, effect: string): readonly string[] {
  return (spec?.taints ?? []).filter((taint) => taint.effect === effect).map(({ key }) => key);
}

export const isOfReady = (key: string): boolean => key === NOT_READY || key === UNREACHABLE;

/** From the API's documentation: what is left empty matches all. */
export function covers({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === "Exists" || (value ?? "") === (taint.value ?? "");
}

/** How long the pod may stay with this taint: in milliseconds, or for ever. */
export function toleratedMs({ spec }: Pod, taint: Taint): number {
  const toleration = spec?.tolerations?.find((each) => covers(each, taint));
  if (toleration === undefined) return 0;
  const seconds = toleration.tolerationSeconds;
  return seconds === undefined ? Infinity : Math.max(0, Number(seconds)) * 1_000;
}

export function rangesOf({ spec }: Node): readonly Cidr[] {
  return (spec?.podCIDRs ?? []).flatMap((text) => parseCidr(text) ?? []);
}
