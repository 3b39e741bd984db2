import { formatTime } from "../../pkg/api/time.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { TurnOfSteps } from "../../pkg/clock/turns.ts";
import { forEachInSteps, type Steps } from "../../pkg/api/steps.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import {
  type DeviceEvictionContext,
  podsWithDevices,
  type RuleContext,
  slicesOfPool,
  viewOf,
} from "./context.ts";
import { currentSlices, poolOf, ruleMatches } from "./device-taints.ts";
import { type EvictionView, podEviction } from "./eviction-plan.ts";
import type { CachedRule } from "./fields.ts";
import {
  evictionCondition,
  type PodCount,
  type RuleFacts,
  type RuleReach,
  untilNextStatusMs,
} from "./rule-status.ts";

const FIELD_MANAGER = "device-taint-eviction-controller";
const APPLY_STATUS = { fieldManager: FIELD_MANAGER, force: true, subresource: "status" } as const;

/** Tells in the status of a rule how far its evictions are, or what they would be. */
export async function syncRule(
  sync: OwnerSync<CachedRule>,
  context: DeviceEvictionContext,
  ofRules: RuleContext,
): Promise<SyncResult> {
  const { owner: rule } = sync;
  const waitMs = untilNextStatusMs(rule, context.clock.nowMs());
  if (waitMs !== undefined) return { requeueAfterMs: waitMs };
  const facts = await new TurnOfSteps(context.clock).run(factsOf(rule, context, ofRules));
  const condition = evictionCondition(rule, facts);
  if (condition === undefined) return {};
  sync.decided("The rule is to tell of its evictions", { reason: condition.reason });
  const { name, uid } = rule.metadata;
  const lastTransitionTime = formatTime(context.clock.nowMs());
  const told = { metadata: { name, uid }, status: { conditions: [{ ...condition, lastTransitionTime }] } };
  await ofRules.writes.apply(sync, told, APPLY_STATUS);
  return {};
}

function* factsOf(
  rule: Stored<CachedRule>,
  context: DeviceEvictionContext,
  { evicted }: RuleContext,
): Steps<RuleFacts> {
  const { effect } = rule.spec.taint;
  const isTrial = effect === "None";
  const view = isTrial ? trialOf(rule, viewOf(context)) : viewOf(context);
  const counts = isTrial || effect === "NoExecute";
  const pending = counts ? yield* pendingPods(rule, context, view) : { pods: 0, namespaces: 0 };
  const reach = isTrial ? { ...pending, ...(yield* reachOf(rule, context)) } : undefined;
  return { pending, reach, evicted: evicted.get(rule.metadata.uid) ?? 0 };
}

/** As if the rule had the effect that evicts. */
function trialOf(rule: Stored<CachedRule>, view: EvictionView): EvictionView {
  const taint = { ...rule.spec.taint, effect: "NoExecute" };
  return {
    ...view,
    taintsOf: (device) => (ruleMatches(rule, device) ? [{ taint, rule }] : []),
  };
}

function* pendingPods(
  rule: Stored<CachedRule>,
  context: DeviceEvictionContext,
  view: EvictionView,
): Steps<PodCount> {
  const namespaces = new Set<string>();
  let pods = 0;
  yield* forEachInSteps(podsWithDevices(context), (pod) => {
    if (podEviction(pod, view)?.rules.has(rule.metadata.uid) !== true) return;
    pods++;
    namespaces.add(pod.metadata.namespace);
  });
  return { pods, namespaces: namespaces.size };
}

/** How many devices the rule is about. */
function* reachOf(
  rule: CachedRule,
  context: DeviceEvictionContext,
): Steps<Pick<RuleReach, "published" | "allocated">> {
  let published = 0;
  let allocated = 0;
  const current = new Map<string, ReadonlySet<unknown>>();
  yield* forEachInSteps(context.slices.lister.list(), (slice) => {
    const pool = poolOf(slice);
    const counting = current.get(pool) ?? new Set(currentSlices(slicesOfPool(context, pool)));
    current.set(pool, counting);
    if (!counting.has(slice)) return;
    const {
      driver,
      pool: { name },
    } = slice.spec;
    for (const device of slice.spec.devices ?? [])
      if (ruleMatches(rule, { driver, pool: name, device: device.name })) published++;
  });
  yield* forEachInSteps(context.claims.lister.list(), ({ status }) => {
    for (const device of status?.allocation?.devices?.results ?? [])
      if (ruleMatches(rule, device)) allocated++;
  });
  return { published, allocated };
}
