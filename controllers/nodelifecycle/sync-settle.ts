import { throwAll } from "../../pkg/api/errors.ts";
import { nodeCondition } from "../../pkg/api/node.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { isUnreachable } from "../../pkg/client/errors.ts";
import { NODE_INDEX } from "../../pkg/controller/pods-on-node.ts";
import type { Sync } from "../../pkg/controller/sync.ts";
import { changeNode, isMarkable, markPodNotReady, taintsChange } from "./apply.ts";
import type { NodeContext } from "./context.ts";
import type { CachedNode } from "./fields.ts";
import {
  hasEvictingTaints,
  isTaintedFor,
  isTaintedForOther,
  withEvictingTaint,
  withoutEvictingTaints,
} from "./node-taints.ts";
import { isSuspect, type Look, markSilent } from "./sync-silent.ts";

/** Whether anything has to be done for the node but to count it. Most nodes are fine. */
export function isUnsettled(look: Look): boolean {
  return (
    look.current !== "True" || look.known.ready !== "True" || isSuspect(look) || hasEvictingTaints(look.node)
  );
}

/** Does all that follows from the look at a node. What fails is done by the next round. */
export async function settle(sync: Sync, context: NodeContext, look: Look): Promise<void> {
  const { known } = look;
  try {
    if (isSuspect(look)) {
      await markSilent(sync, context, look);
      if (look.isGone) return;
      tellOfSilence(sync, context, look);
    }
    known.ready = look.current;
    if (look.current !== undefined || look.isNewcomer) await settleTaints(sync, context, look);
    await settlePods(sync, context, look);
  } catch (error) {
    sync.signal.throwIfAborted();
    // All nodes have to wait for the server.
    if (isUnreachable(error)) throw error;
    // Whatever was refused, it is silent.
    if (isSuspect(look)) look.current = "Unknown";
    sync.log.error(error, "Not all could be done for the node; the next round tries again", {
      node: keyOf(look.node),
    });
  }
}

function tellOfSilence(
  sync: Sync,
  { events, settings }: NodeContext,
  { known, node, observed, current, report }: Look,
): void {
  if (observed !== "True" || current === "True") return;
  const { name } = node.metadata;
  const why = {
    node: name,
    silentMs: report.silentMs,
    graceMs: report.graceMs,
    periodMs: settings.monitorPeriodMs,
  };
  sync.decided("The node has stopped answering", why);
  events.event(node, "Normal", "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
  known.podsPending = true;
}

/**
 * Pods are driven away from nodes that are not ready one node after the other. One taint is exchanged for the other at
 * once, for the node has had its turn; and when no node at all is ready, none is emptied.
 */
async function settleTaints(sync: Sync, context: NodeContext, look: Look): Promise<void> {
  const { zones } = context;
  const { node, known, current = "", isNewcomer } = look;
  const line = zones.line(known.zone);
  const { name, uid } = node.metadata;
  if (current === "True") line?.remove(uid);
  // Whatever a newcomer brings along, it was not found to be down.
  if (current === "True" || zones.allDown || isNewcomer) return takeTaintsOff(sync, context, look);
  if (isTaintedForOther(node, current)) return exchangeTaints(sync, context, look);
  if (isTaintedFor(node, current)) {
    line?.remove(uid);
    return;
  }
  // It is emptied once all nodes of its zone have been looked at.
  if (current === "False" || current === "Unknown") line?.add({ name, uid });
}

async function exchangeTaints(sync: Sync, context: NodeContext, { node }: Look): Promise<void> {
  const { lanes, clock } = context;
  await lanes.run(async () =>
    changeNode(context, { owner: node, signal: sync.signal }, (live) =>
      taintsChange(live, withEvictingTaint(live, clock.nowMs())),
    ),
  );
}

/**
 * Takes off the taints that drive pods away. Off a ready node only if the server has it as ready, too: otherwise the time
 * of its pods would begin anew.
 */
export async function takeTaintsOff(
  sync: Sync,
  context: NodeContext,
  { node, current }: Look,
): Promise<void> {
  if (!hasEvictingTaints(node)) return;
  sync.decided("Pods may stay on the node", { node: node.metadata.name });
  const isOvertaken = (live: CachedNode): boolean =>
    current === "True" && nodeCondition(live, "Ready")?.status !== "True";
  await context.lanes.run(async () =>
    changeNode(context, { owner: node, signal: sync.signal }, (live) =>
      isOvertaken(live) ? undefined : taintsChange(live, withoutEvictingTaints(live)),
    ),
  );
}

async function settlePods(sync: Sync, context: NodeContext, { known, current, node }: Look): Promise<void> {
  // As long as nobody has said how the node is, it may yet turn out that all are to be marked.
  if (current === undefined) return;
  // Of a silent node the cache of pods may be behind: each round looks whether one shows as ready that nobody says so of.
  if (current === "Unknown" || (known.podsPending && current !== "True")) {
    const { lanes, pods } = context;
    const marked = pods.lister.byIndex(NODE_INDEX, node.metadata.name).filter(isMarkable);
    const results = await Promise.allSettled(
      marked.map(async (pod) => lanes.run(async () => markPodNotReady(context, pod, sync.signal))),
    );
    throwAll(results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : [])));
  }
  known.podsPending = false;
}
