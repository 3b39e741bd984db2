import { keyOf } from "../../pkg/api/object.ts";
import type { KeyQueue } from "../../pkg/controller/key-queue.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { deletePod, tellOfCancelling } from "./apply.ts";
import { type DeviceEvictionContext, viewOf } from "./context.ts";
import { type Eviction, podEviction } from "./eviction-plan.ts";
import type { CachedPod } from "./fields.ts";
import { STATUS_PERIOD_MS } from "./rule-status.ts";

/** Times that are farther away are looked at again before. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Rules that are to tell how far they have come. */
export type RuleQueue = Pick<KeyQueue, "addAfter"> | undefined;

/** Evicts the pod when its time has come, and comes back when it will have. */
export async function syncPod(
  sync: OwnerSync<CachedPod>,
  context: DeviceEvictionContext,
  ruleQueue: RuleQueue,
): Promise<SyncResult> {
  const { owner: pod } = sync;
  const { clock, planned } = context;
  const { uid } = pod.metadata;
  const eviction = podEviction(pod, viewOf(context));
  if (eviction === undefined) {
    if (planned.delete(uid) && pod.metadata.deletionTimestamp === undefined) tellOfCancelling(context, pod);
    return {};
  }
  planned.set(uid, eviction);
  tellLater(context, eviction, ruleQueue);
  const waitMs = eviction.dueMs - clock.nowMs();
  if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, LONGEST_WAIT_MS) };
  return evict(sync, context, { eviction, ruleQueue });
}

async function evict(
  sync: OwnerSync<CachedPod>,
  context: DeviceEvictionContext,
  { eviction, ruleQueue }: { readonly eviction: Eviction; readonly ruleQueue: RuleQueue },
): Promise<SyncResult> {
  const pod = await context.podWrites.live(sync, sync.owner);
  // Who goes already need not be told to.
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return {};
  sync.decided("The pod does not tolerate a taint of its devices", { rules: eviction.rules.size });
  if (!(await deletePod(sync, context, { pod, eviction }))) return {};
  const evicted = context.ofRules?.evicted;
  for (const rule of eviction.rules) evicted?.set(rule, (evicted.get(rule) ?? 0) + 1);
  tellLater(context, eviction, ruleQueue);
  return {};
}

/** Not at once: more pods may follow. */
function tellLater({ ofRules }: DeviceEvictionContext, { rules }: Eviction, ruleQueue: RuleQueue): void {
  if (rules.size === 0) return;
  for (const rule of ofRules?.rules.lister.list() ?? [])
    if (rules.has(rule.metadata.uid)) ruleQueue?.addAfter(keyOf(rule), STATUS_PERIOD_MS);
}
