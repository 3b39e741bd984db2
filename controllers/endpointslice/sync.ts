import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { Lister } from "../../pkg/cache/store/lister.ts";
import { runInTurns } from "../../pkg/clock/turns.ts";
import { selectPods } from "../../pkg/controller/endpoints/select-pods.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { selectsPods, type BackingPod } from "../../pkg/endpoints/backing-pods.ts";
import { LOOK_AGAIN_MS } from "../../pkg/endpoints/look-again.ts";
import { STALE_WAIT_MS } from "../../pkg/endpoints/slice-tracker.ts";
import { FAMILIES, familiesOf, type Family } from "./address-families.ts";
import { deleteSlice, SliceWriteError, writeSlices } from "./apply.ts";
import type { SliceContext } from "./context.ts";
import { decideSlices } from "./plan.ts";
import { trafficDistributionOf } from "./traffic-distribution.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { CachedService, CachedNode } from "./fields.ts";

type Sync = OwnerSync<CachedService>;

/** Writes the pods that a Service selects into its slices, family by family. */
export async function syncService(sync: Sync, context: SliceContext): Promise<SyncResult> {
  const { metrics } = context;
  try {
    const outcome = await reconcileService(sync, context);
    metrics.syncs.inc({ result: outcome === "stale" ? "stale" : "success" });
    if (outcome === "stale") return { requeueAfterMs: STALE_WAIT_MS };
    return outcome === "created" ? { requeueAfterMs: LOOK_AGAIN_MS } : {};
  } catch (error) {
    if (!sync.signal.aborted) metrics.syncs.inc({ result: "error" });
    throw error;
  }
}

/** The Service is gone; its slices are collected. */
export function forgetService(key: string, context: SliceContext): void {
  context.triggerTimes.forget(key);
  context.metrics.forgetService(key);
  context.slices.forget(key);
  context.topology.forgetService(key);
  context.metrics.syncs.inc({ result: "success" });
}

/** Stale: the cache has not seen yet what an earlier sync wrote. Created: slices were. */
type Outcome = "stale" | "created" | "done";

async function reconcileService(sync: Sync, context: SliceContext): Promise<Outcome> {
  const { key, owner: service } = sync;
  const { clock } = context;
  if (!selectsPods(service)) return "done";
  const pods = await selectPods(service, context.pods.lister, clock);
  const slices = context.slices.settled(key);
  if (slices === undefined) {
    sync.decided("Wait, as the cache of EndpointSlices is out of date");
    return "stale";
  }
  // Asked for even when nothing is written, as it tells what has changed since it was asked before.
  const nodes = nodesOf(pods, context.nodes.lister);
  const triggerTime = await runInTurns(clock, context.triggerTimes.next(key, service, pods));
  const gathered = { pods, nodes, slices, triggerTime };
  const { problems, hasCreated } = await reconcileFamilies(sync, context, gathered);
  if (problems.length === 0) return hasCreated ? "created" : "done";
  const unique = [...new Set(problems.map(({ message }) => message))];
  const message = unique.length === 1 ? unique.join() : `[${unique.join(", ")}]`;
  const event = `Error updating Endpoint Slices for Service ${key}: ${message}`;
  context.events.event(service, "Warning", "FailedToUpdateEndpointSlices", event);
  // With what caused each: a server that is away is no failure of the Service.
  throw new SliceWriteError(message, { cause: new AggregateError(problems, message) });
}

/** The nodes of the pods by name, as they are now: decisions on many pods are interrupted. */
function nodesOf(
  pods: readonly Stored<BackingPod>[],
  lister: Lister<CachedNode>,
): ReadonlyMap<string, CachedNode> {
  const names = new Set(pods.map(({ spec }) => spec?.nodeName ?? ""));
  const nodes = new Map<string, CachedNode>();
  for (const name of names) {
    const node = lister.get(undefined, name);
    if (node !== undefined) nodes.set(name, node);
  }
  return nodes;
}

interface Gathered {
  readonly pods: readonly Stored<BackingPod>[];
  readonly nodes: ReadonlyMap<string, CachedNode>;
  readonly slices: readonly EndpointSlice[];
  readonly triggerTime: string | undefined;
}

interface Reconciled {
  readonly problems: readonly Error[];
  readonly hasCreated: boolean;
}

/** A family with a problem does not hold up the other. */
async function reconcileFamilies(sync: Sync, context: SliceContext, gathered: Gathered): Promise<Reconciled> {
  const { key, owner: service } = sync;
  const { slices } = gathered;
  const problems: Error[] = [];
  let hasCreated = false;
  const attempt = async (work: () => Promise<Reconciled>): Promise<void> => {
    try {
      const done = await work();
      problems.push(...done.problems);
      hasCreated ||= done.hasCreated;
    } catch (error) {
      if (!(error instanceof SliceWriteError)) throw error;
      problems.push(error);
    }
  };
  const wanted = familiesOf(service);
  context.metrics.setPreference(key, trafficDistributionOf(service));
  for (const family of FAMILIES.filter((each) => !wanted.includes(each))) {
    // What is remembered of hints is of the Service as a whole: a family that it never had must not take it away.
    if (slices.some(({ addressType }) => addressType === family))
      context.topology.removeHints(service, family);
    context.metrics.dropFamily(key, family);
  }
  for (const family of wanted) {
    await attempt(async () => reconcileFamily(sync, context, gathered, family));
  }
  const unwanted = slices.filter(({ addressType }) => !wanted.some((family) => family === addressType));
  for (const slice of unwanted) {
    await attempt(async () => {
      await deleteSlice(sync, context, slice, "error deleting");
      return { problems: [], hasCreated: false };
    });
  }
  return { problems, hasCreated };
}

async function reconcileFamily(
  sync: Sync,
  context: SliceContext,
  { pods, nodes, slices, triggerTime }: Gathered,
  family: Family,
): Promise<Reconciled> {
  const { key, owner: service } = sync;
  const { topology, metrics } = context;
  const decision = decideSlices({
    service,
    pods,
    nodes,
    family,
    slices: slices.filter(({ addressType }) => addressType === family),
    maxEndpoints: context.maxEndpoints,
    shares: topology.shares,
    hinted: topology.hasHints(service),
  });
  const plan = await runInTurns(context.clock, decision);
  if (plan.hintCounts === undefined) topology.removeHints(service, family);
  else topology.setHints(service, family, plan.hintCounts);
  metrics.added.observe(plan.added);
  metrics.removed.observe(plan.removed);
  metrics.setFillings(key, family, plan.fillings);
  const { create, update, remove } = plan;
  if (create.length + update.length + remove.length > 0) {
    const counts = { create: create.length, update: update.length, remove: remove.length };
    sync.decided("Write slices", { family, ...counts });
  }
  let hasCreated: boolean;
  try {
    hasCreated = await writeSlices(sync, context, plan, triggerTime);
  } finally {
    for (const { type, reason, message } of plan.events) context.events.event(service, type, reason, message);
  }
  const problems = plan.problems.map((problem) => new SliceWriteError(problem));
  return { problems, hasCreated };
}
