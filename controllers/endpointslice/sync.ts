import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import { runPaced } from "../../pkg/cache/pace.ts";
import { selectsPods } from "../../pkg/endpoints/backing-pods.ts";
import { LOOK_AGAIN_MS } from "../../pkg/endpoints/look-again.ts";
import { STALE_WAIT_MS, stays } from "../../pkg/endpoints/slice-tracker.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { selectPods } from "../../pkg/controller/select-pods.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { FAMILIES, familiesOf, type Family } from "./address-families.ts";
import { deleteSlice, SliceWriteError, writeSlices } from "./apply.ts";
import { SERVICE_INDEX, type SliceContext } from "./context.ts";
import { decideSlices } from "./plan.ts";
import { trafficDistributionOf } from "./traffic-distribution.ts";

/** Writes the pods that a Service selects into its slices, family by family. */
export async function syncService(
  key: string,
  context: SliceContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const result = (name: string): void => context.metrics.syncs.inc({ result: name });
  try {
    const outcome = await reconcileService(key, context, log, signal);
    result(outcome === "stale" ? "stale" : "success");
    if (outcome === "stale") return { requeueAfterMs: STALE_WAIT_MS };
    return outcome === "created" ? { requeueAfterMs: LOOK_AGAIN_MS } : {};
  } catch (error) {
    if (!signal.aborted) result("error");
    throw error;
  }
}

/** Stale: the cache has not seen yet what an earlier sync wrote. Created: slices were. */
type Outcome = "stale" | "created" | "done";

async function reconcileService(
  key: string,
  context: SliceContext,
  log: Logger,
  signal: AbortSignal,
): Promise<Outcome> {
  const service = context.services.getByKey(key);
  if (service === undefined) {
    context.triggerTimes.forget(key);
    context.metrics.forgetService(key);
    context.tracker.forgetService(key);
    context.topology.forgetService(key);
    return "done";
  }
  if (!selectsPods(service)) return "done";
  const pods = await selectPods(service, context.pods, context.clock);
  const cached = context.slices.byIndex(SERVICE_INDEX, key);
  if (context.tracker.areStale(key, cached)) {
    log.verbose(2, "The cache of EndpointSlices is out of date");
    return "stale";
  }
  const slices = cached.filter(stays);
  // Asked for even when nothing is written, as it tells what has changed since it was asked before.
  const nodes = nodesOf(pods, context.nodes);
  const triggerTime = await runPaced(context.clock, context.triggerTimes.next(key, service, pods));
  const gathered = { key, service, pods, nodes, slices, triggerTime };
  const { problems, hasCreated } = await reconcileFamilies(gathered, context, signal);
  if (problems.length === 0) return hasCreated ? "created" : "done";
  const unique = [...new Set(problems.map(({ message }) => message))];
  const message = unique.length === 1 ? unique.join() : `[${unique.join(", ")}]`;
  const event = `Error updating Endpoint Slices for Service ${key}: ${message}`;
  context.events.event(service, "Warning", "FailedToUpdateEndpointSlices", event);
  // With what caused each: a server that is away is no failure of the Service.
  throw new SliceWriteError(message, { cause: new AggregateError(problems, message) });
}

/** The nodes of the pods by name, as they are now: decisions on many pods are interrupted. */
function nodesOf(pods: readonly Pod[], lister: Lister<Node>): ReadonlyMap<string, Node> {
  const names = new Set(pods.map(({ spec }) => spec?.nodeName ?? ""));
  const nodes = new Map<string, Node>();
  for (const name of names) {
    const node = lister.get(undefined, name);
    if (node !== undefined) nodes.set(name, node);
  }
  return nodes;
}

interface Gathered {
  readonly key: string;
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly nodes: ReadonlyMap<string, Node>;
  readonly slices: readonly EndpointSlice[];
  readonly triggerTime: string | undefined;
}

interface Reconciled {
  readonly problems: readonly Error[];
  readonly hasCreated: boolean;
}

/** A family with a problem does not hold up the other. */
async function reconcileFamilies(
  gathered: Gathered,
  context: SliceContext,
  signal: AbortSignal,
): Promise<Reconciled> {
  const { key, service, slices } = gathered;
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
    await attempt(async () => reconcileFamily(gathered, family, context, signal));
  }
  const unwanted = slices.filter(({ addressType }) => !wanted.some((family) => family === addressType));
  for (const slice of unwanted) {
    await attempt(async () => {
      await deleteSlice(context, service, slice, "error deleting", signal);
      return { problems: [], hasCreated: false };
    });
  }
  return { problems, hasCreated };
}

async function reconcileFamily(
  { key, service, pods, nodes, slices, triggerTime }: Gathered,
  family: Family,
  context: SliceContext,
  signal: AbortSignal,
): Promise<Reconciled> {
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
  const plan = await runPaced(context.clock, decision);
  if (plan.hintCounts === undefined) topology.removeHints(service, family);
  else topology.setHints(service, family, plan.hintCounts);
  metrics.added.observe(plan.added);
  metrics.removed.observe(plan.removed);
  metrics.setFillings(key, family, plan.fillings);
  let hasCreated: boolean;
  try {
    hasCreated = await writeSlices(context, service, plan, triggerTime, signal);
  } finally {
    for (const { type, reason, message } of plan.events) context.events.event(service, type, reason, message);
  }
  const problems = plan.problems.map((problem) => new SliceWriteError(problem));
  return { problems, hasCreated };
}
