import { isNotFound } from "../../pkg/client/errors.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import type { TtlContext } from "./context.ts";
import { TTL_ANNOTATION, ttlOf, type CachedNode } from "./current-ttl.ts";

/** Tells the kubelet of the node for how long it may keep Secrets and ConfigMaps. */
export async function syncNode(
  sync: OwnerSync<CachedNode>,
  { ttl: { nodes, seconds }, writes }: TtlContext,
): Promise<SyncResult> {
  const { owner: node } = sync;
  if (ttlOf(node) === seconds) return {};
  sync.decided("The node has another TTL than a cluster of this size", { nodes, seconds });
  // Without the uid: the next node of the name needs the same.
  const body = { metadata: { annotations: { [TTL_ANNOTATION]: String(seconds) } } };
  try {
    await writes.patchUnread(sync, node, { type: "strategic", body });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return {};
}
