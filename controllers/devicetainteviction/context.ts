import { groupKeysOf, isGroupConsumer, isPodConsumer, PODS_OF_GROUPS } from "../../pkg/api/device-claims.ts";
import { refKey, type Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type {
  DeviceRequestAllocationResult,
  ResourceClaimConsumerReference,
} from "../../pkg/api/types/resource-v1.gen.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { RecordedWrites } from "../../pkg/controller/recorded-writes.ts";
import {
  currentSlices,
  deviceKey,
  evictingTaints,
  type EvictingTaint,
  isEvicting,
  poolKey,
  poolOf,
  ruleMatches,
} from "./device-taints.ts";
import { type Eviction, type EvictionView, usesDevices } from "./eviction-plan.ts";
import {
  CLAIM_FIELDS,
  type CachedClaim,
  type CachedPod,
  POD_FIELDS,
  RULE_FIELDS,
  SLICE_FIELDS,
} from "./fields.ts";

const RULES_GATE = "DRADeviceTaintRules";
const GROUPS_GATE = "DRAWorkloadResourceClaims";
const BY_DEVICE = "devices";
const BY_POOL = "pool";
const WITH_DEVICES = "usesDevices";

/** All that a sync works with. */
export type DeviceEvictionContext = ReturnType<typeof deviceEvictionContext>;
export type RuleContext = NonNullable<DeviceEvictionContext["ofRules"]>;

export function deviceEvictionContext(kit: Kit) {
  const { clock, events, features, metrics } = kit.env;
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(WITH_DEVICES, (pod) => (usesDevices(pod) ? [WITH_DEVICES] : []));
  pods.addIndex(PODS_OF_GROUPS, groupKeysOf);
  const claims = kit.reads(resources.resourceClaims, { fields: CLAIM_FIELDS });
  claims.addIndex(BY_DEVICE, ({ status }) =>
    (status?.allocation?.devices?.results ?? []).map((device) => deviceKey(device)),
  );
  const slices = kit.reads(resources.resourceSlices, { fields: SLICE_FIELDS });
  slices.addIndex(BY_POOL, (slice) => [poolOf(slice)]);
  return {
    pods,
    claims,
    slices,
    ofRules: features.enabled(RULES_GATE) ? ruleContext(kit) : undefined,
    withGroups: features.enabled(GROUPS_GATE),
    podWrites: kit.writes(resources.pods),
    /** By the uid of the pod. */
    planned: new Map<string, Eviction>(),
    deletions: metrics.counter({
      name: "device_taint_eviction_controller_pod_deletions_total",
      help: "Pods that were deleted for the taints of their devices.",
      stability: "ALPHA",
    }),
    delays: metrics.histogram({
      name: "device_taint_eviction_controller_pod_deletion_duration_seconds",
      help: "From the time when a pod had to go for a taint of its devices to its deletion.",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
      stability: "ALPHA",
    }),
    clock,
    events,
  };
}

function ruleContext(kit: Kit) {
  const consistency = kit.newConsistency();
  return {
    rules: kit.reads(resources.deviceTaintRules, { fields: RULE_FIELDS }),
    consistency,
    writes: new RecordedWrites({ env: kit.env, consistency }, resources.deviceTaintRules),
    /** How many pods were evicted since this process began, by the uid of the rule. */
    evicted: new Map<string, number>(),
  };
}

/** Pods that could be evicted for their devices at all. */
export function podsWithDevices({ pods }: Pick<DeviceEvictionContext, "pods">): readonly Stored<CachedPod>[] {
  return pods.lister.byIndex(WITH_DEVICES, WITH_DEVICES);
}

export function claimsOfDevice({ claims }: Pick<DeviceEvictionContext, "claims">, key: string) {
  return claims.lister.byIndex(BY_DEVICE, key);
}

export function slicesOfPool({ slices }: Pick<DeviceEvictionContext, "slices">, key: string) {
  return slices.lister.byIndex(BY_POOL, key);
}

/** The pods that may use a claim, as far as the cache has them: these very ones, or those of a group. */
export function podsOfConsumer(
  { pods, withGroups }: Pick<DeviceEvictionContext, "pods" | "withGroups">,
  { metadata: { namespace } }: Stored<CachedClaim>,
  consumer: ResourceClaimConsumerReference,
): readonly Stored<CachedPod>[] {
  if (isPodConsumer(consumer)) {
    const pod = pods.lister.get(namespace, consumer.name);
    return pod?.metadata.uid === consumer.uid ? [pod] : [];
  }
  if (!withGroups || !isGroupConsumer(consumer)) return [];
  return pods.lister.byIndex(PODS_OF_GROUPS, refKey(namespace, consumer.name));
}

export function viewOf(context: DeviceEvictionContext): EvictionView {
  const evicting = context.ofRules?.rules.lister.list().filter(isEvicting) ?? [];
  return {
    claim: (namespace, name) => context.claims.lister.get(namespace, name),
    withGroups: context.withGroups,
    taintsOf: (device) => [
      ...taintsOfDevice(context, device),
      ...evicting.flatMap((rule) => {
        if (!ruleMatches(rule, device)) return [];
        return [{ taint: rule.spec.taint, rule }];
      }),
    ],
  };
}

function taintsOfDevice(
  context: Pick<DeviceEvictionContext, "slices">,
  device: DeviceRequestAllocationResult,
): readonly EvictingTaint[] {
  return currentSlices(slicesOfPool(context, poolKey(device))).flatMap((slice) =>
    (evictingTaints(slice).get(device.device) ?? []).map((taint) => ({ taint })),
  );
}
