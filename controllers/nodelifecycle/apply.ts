import type { Stored } from "../../pkg/api/object.ts";
import { podCondition } from "../../pkg/api/pod.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Taint } from "../../pkg/api/types/core-v1.gen.ts";
import { isConflict } from "../../pkg/client/errors.ts";
import { identityOf, isGoneOrReplaced, readLive } from "../../pkg/controller/read-live.ts";
import type { NodeContext } from "./context.ts";
import type { CachedNode, CachedPod } from "./fields.ts";

/** Who else writes to nodes and pods does so now and then, not all the time. */
export const ATTEMPTS = 5;

/** The node that is written, as it was read last. */
export interface NodeWriter {
  readonly owner: Stored<CachedNode>;
  readonly signal: AbortSignal;
}

/** What becomes of a node; what is left out stays as it is. */
export interface NodeChange {
  readonly taints?: readonly Taint[];
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Writes what `decide` makes of the node, if it was not changed since; otherwise it decides on the node as the server has
 * it now. False when there was nothing to write, as for a node that is gone.
 */
export async function changeNode(
  { nodeWrites }: NodeContext,
  writer: NodeWriter,
  decide: (node: Stored<CachedNode>) => NodeChange | undefined,
): Promise<boolean> {
  let node: Stored<CachedNode> | undefined = writer.owner;
  for (let attempt = 1; node !== undefined; attempt++) {
    const change = decide(node);
    if (change === undefined) return false;
    try {
      await nodeWrites.patchUnread(writer, node, { type: "merge", body: bodyOf(node, change) });
      return true;
    } catch (error) {
      if (isGoneOrReplaced(error)) return false;
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      node = await nodeWrites.live(writer, writer.owner);
    }
  }
  return false;
}

/** The server refuses it for another node of that name, and when somebody has written to the node since. */
function bodyOf(
  { metadata: { uid, resourceVersion } }: Stored<CachedNode>,
  { taints, labels }: NodeChange,
): object {
  return {
    metadata: { uid, resourceVersion, ...(labels && { labels }) },
    ...(taints && { spec: { taints } }),
  };
}

/** What is to be written when these are to be the node's taints. */
export function taintsChange({ spec }: CachedNode, taints: readonly Taint[]): NodeChange | undefined {
  return taints === spec?.taints || (taints.length === 0 && spec?.taints === undefined)
    ? undefined
    : { taints };
}

/** Whether the pod counts as ready, or may do so. */
export function isMarkable(pod: CachedPod): boolean {
  const ready = podCondition(pod, "Ready");
  return ready !== undefined && ready.status !== "False";
}

/** Marks a pod as not ready, because nothing is known of its node. */
export async function markPodNotReady(
  context: NodeContext,
  pod: Stored<CachedPod>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, podClient, events } = context;
  const { namespace, name } = pod.metadata;
  const nodeName = pod.spec?.nodeName;
  let live: Stored<CachedPod> | undefined = pod;
  for (let attempt = 1; live !== undefined; attempt++) {
    if (live.spec?.nodeName !== nodeName || !isMarkable(live)) return;
    const { uid, resourceVersion } = live.metadata;
    const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.nowMs()) };
    const body = { metadata: { uid, resourceVersion }, status: { conditions: [condition] } };
    try {
      await podClient.patch(
        { namespace, name },
        { type: "strategic", body },
        { subresource: "status" },
        signal,
      );
      events.event(pod, "Warning", "NodeNotReady", "Node is not ready");
      return;
    } catch (error) {
      if (isGoneOrReplaced(error)) return;
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      live = await readLive(podClient, identityOf(pod), signal);
    }
  }
}
