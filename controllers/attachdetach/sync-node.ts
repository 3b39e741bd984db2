import type { Stored } from "../../pkg/api/object.ts";
import type { AttachedVolume, Node } from "../../pkg/api/types/core-v1.gen.ts";
import { isGoneOrReplaced } from "../../pkg/controller/read-live.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import type { AttachDetachContext } from "./context.ts";
import type { CachedNode } from "./fields.ts";

/** Brings what the node's status says is attached in line with what is; those who wait for that go on. */
export async function syncNode(sync: Sync, context: AttachDetachContext): Promise<SyncResult> {
  const { nodes, reports } = context;
  const node = nodes.lister.get(undefined, sync.key);
  const volumes = node && reports.pending(node);
  if (node !== undefined && volumes !== undefined) {
    sync.decided("The node is told which volumes it has", { volumes: volumes.length });
    reports.sending(sync.key, volumes);
    const answer = await writeReport(context, { node, volumes }, sync.signal);
    if (answer === undefined) reports.sending(sync.key, undefined);
    else reports.answered(sync.key, factsOf(answer));
  }
  wakeTelling(context, sync.key);
  return {};
}

interface Report {
  readonly node: Stored<CachedNode>;
  readonly volumes: readonly AttachedVolume[];
}

/** Undefined when the node is gone. */
async function writeReport(
  { nodeClient }: AttachDetachContext,
  { node: { metadata }, volumes }: Report,
  signal: AbortSignal,
): Promise<Stored<Node> | undefined> {
  const { name, uid } = metadata;
  const volumesAttached = volumes.length > 0 ? volumes : null;
  const body = { metadata: { uid }, status: { volumesAttached } };
  try {
    return await nodeClient.patch({ name }, { type: "strategic", body }, { subresource: "status" }, signal);
  } catch (error) {
    if (isGoneOrReplaced(error)) return undefined;
    throw error;
  }
}

function factsOf({ metadata, status }: Stored<Node>) {
  return {
    version: metadata.resourceVersion,
    attached: status?.volumesAttached ?? [],
    inUse: new Set(status?.volumesInUse),
  };
}

function wakeTelling({ attached, operations, wakers }: AttachDetachContext, node: string): void {
  for (const key of attached.onNode(node))
    if (operations.running(key)?.phase === "telling") wakers.volume(key);
}
