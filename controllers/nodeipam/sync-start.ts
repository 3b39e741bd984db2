import { messageOf } from "../../pkg/api/errors.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { versionOrder } from "../../pkg/api/resource-version.ts";
import { isExpired } from "../../pkg/client/errors.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { NodeRangeError } from "./cidr-set.ts";
import type { NodeIpamContext } from "./context.ts";

const POLL_MS = 10_000;
const GIVE_UP_MS = 600_000;
const PAGE_SIZE = 500;

/** A Node as it was read past the cache: the name, by the uid. */
type ListedNodes = Map<string, string>;

/**
 * Before the first range is given out, all that Nodes have is known from the server itself: what caches are filled with
 * may be as old as the API server's own. Rejects when Nodes cannot be read for ten minutes, or one has a range that the
 * settings do not allow for.
 * upstream: pkg/controller/nodeipam/ipam/cidr_allocator.go#listNodes
 */
export async function takeWhatIsThere(context: NodeIpamContext, signal: AbortSignal): Promise<void> {
  const { clock, nodes, ranges, unseen } = context;
  const listed: ListedNodes = new Map();
  unseen.version = await readAll(context, listed, signal);
  for (const [uid] of listed) {
    const problem = ranges.problemOf(uid);
    if (problem !== undefined) throw new NodeRangeError(problem);
  }
  await whenSynced(clock, [nodes.synced])(signal);
  for (const [uid, name] of listed) {
    if (nodes.lister.getByKey(name)?.metadata.uid !== uid) unseen.uids.add(uid);
  }
  forgetUnseen(context);
}

/** Once the cache has got as far as the list, a Node that it lacks is gone. */
export function forgetUnseen({ nodes, ranges, unseen }: NodeIpamContext): void {
  if (unseen.uids.size === 0) return;
  if ((versionOrder(nodes.lastSyncResourceVersion(), unseen.version) ?? 0) < 0) return;
  for (const { metadata } of nodes.lister.list()) unseen.uids.delete(metadata.uid);
  for (const uid of unseen.uids) ranges.release(uid);
  unseen.uids.clear();
}

/** Gives the version of the list. */
async function readAll(context: NodeIpamContext, listed: ListedNodes, signal: AbortSignal): Promise<string> {
  const { clock, log } = context;
  const endMs = clock.monotonicMs() + GIVE_UP_MS;
  for (;;) {
    try {
      return await readPages(context, listed, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "Failed to list all nodes");
      if (clock.monotonicMs() + POLL_MS > endMs)
        throw new Error(
          `failed to list all nodes in 10m0s, cannot proceed without updating CIDR map: ${messageOf(error)}`,
          { cause: error },
        );
    }
    await sleep(clock, POLL_MS, signal);
  }
}

async function readPages(
  { client, ranges }: NodeIpamContext,
  listed: ListedNodes,
  signal: AbortSignal,
): Promise<string> {
  const take: Parameters<typeof client.listEach>[1] = (node) => {
    listed.set(node.metadata.uid, keyOf(node));
    ranges.show(node);
  };
  let meta = await client.listEach({ limit: PAGE_SIZE }, take, signal);
  while (meta.continue) {
    try {
      meta = await client.listEach({ limit: PAGE_SIZE, continue: meta.continue }, take, signal);
    } catch (error) {
      if (!isExpired(error)) throw error;
      // What was read so far was there, and is not forgotten before the cache says that it is gone.
      meta = await client.listEach({}, take, signal);
    }
  }
  return meta.resourceVersion ?? "";
}
