import { claimNameOf, isClaimForPod, isReservedForPod } from "../../pkg/api/device-claims.ts";
import { isPodTerminal } from "../../pkg/api/pod.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
} from "../../pkg/api/types/resource-v1.gen.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { EvictingTaint } from "./device-taints.ts";
import type { CachedClaim, CachedPod } from "./fields.ts";

/** When pods have to go, and which taints of their devices do not let them stay. */
export interface Eviction {
  readonly dueMs: number;
  /** Uids of the rules among these. */
  readonly rules: ReadonlySet<string>;
}

/** What is known of a pod's surroundings. */
export interface EvictionView {
  readonly claim: (namespace: string | undefined, name: string) => Stored<CachedClaim> | undefined;
  readonly taintsOf: (device: DeviceRequestAllocationResult) => readonly EvictingTaint[];
  /** Whether groups of pods have claims. */
  readonly withGroups: boolean;
}

/** When a pod has to go for the taints of its devices; undefined: it may stay. */
export function podEviction(pod: CachedPod, view: EvictionView): Eviction | undefined {
  if ((pod.spec?.nodeName ?? "") === "" || pod.metadata.deletionTimestamp !== undefined) return undefined;
  if (isPodTerminal(pod)) return undefined;
  const evictions = usedClaims(pod, view).flatMap((claim) => claimEviction(claim, view) ?? []);
  return first(evictions);
}

/** The claims that the pod uses, also that which the scheduler has made for its extended resources. */
function usedClaims(pod: CachedPod, { claim, withGroups }: EvictionView): readonly Stored<CachedClaim>[] {
  const { namespace } = pod.metadata;
  const wanted = (pod.spec?.resourceClaims ?? []).flatMap((each) => {
    const named = claimNameOf(pod, each);
    return named.kind === "named" ? [named] : [];
  });
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  if (extended !== undefined) wanted.push({ kind: "named", name: extended, isMade: true });
  return wanted.flatMap(({ name, isMade }) => {
    const found = claim(namespace, name);
    if (found === undefined || (isMade && !isClaimForPod(pod, found, withGroups))) return [];
    return isReservedForPod(pod, found, withGroups) ? [found] : [];
  });
}

/** Whether there is anything about the pod that could evict it. */
export function usesDevices(pod: CachedPod): boolean {
  return (pod.spec?.resourceClaims ?? []).length > 0 || pod.status?.extendedResourceClaimStatus !== undefined;
}

/** When those have to go who use the claim. */
export function claimEviction(
  { status }: CachedClaim,
  { taintsOf }: Pick<EvictionView, "taintsOf">,
): Eviction | undefined {
  return first(
    (status?.allocation?.devices?.results ?? []).flatMap((device) =>
      taintsOf(device).flatMap(({ taint, rule }): Eviction[] => {
        const dueMs = dueTime(taint, device.tolerations ?? []);
        return dueMs === undefined ? [] : [{ dueMs, rules: new Set(rule ? [rule.metadata.uid] : []) }];
      }),
    ),
  );
}

/** The first of several times, for all their reasons. */
function first(evictions: readonly Eviction[]): Eviction | undefined {
  const [one, ...others] = evictions;
  if (one === undefined) return undefined;
  let { dueMs } = one;
  const rules = new Set(one.rules);
  for (const other of others) {
    dueMs = Math.min(dueMs, other.dueMs);
    for (const rule of other.rules) rules.add(rule);
  }
  return { dueMs, rules };
}

/**
 * When the time is over for which the taint is tolerated; undefined: never. Of several tolerations with a time the
 * shortest counts, and one without is for ever.
 */
export function dueTime(taint: DeviceTaint, tolerations: readonly DeviceToleration[]): number | undefined {
  const addedMs = parseTime(taint.timeAdded);
  if (addedMs === undefined) return undefined;
  const matching = tolerations.filter((toleration) => toleratesDevice(toleration, taint));
  let least: number | undefined;
  for (const { tolerationSeconds } of matching) {
    if (tolerationSeconds === undefined) return undefined;
    const seconds = Math.max(0, Number(tolerationSeconds));
    least = Math.min(least ?? Infinity, seconds);
  }
  return addedMs + (least ?? 0) * 1_000;
}

/** A toleration without an effect is one of all, without a key one of all taints. */
export function toleratesDevice(
  { effect = "", key = "", operator = "", value = "" }: DeviceToleration,
  taint: DeviceTaint,
): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && value === (taint.value ?? "");
}
