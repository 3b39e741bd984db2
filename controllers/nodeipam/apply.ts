import { combinedError } from "../../pkg/api/errors.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { ApiError, isUnreachable, wasNotSent } from "../../pkg/client/errors.ts";
import { isGoneOrReplaced } from "../../pkg/controller/read-live.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import type { NodeIpamContext } from "./context.ts";
import type { CachedNode } from "./node-ranges.ts";

/** Writes of one sync. */
const ATTEMPTS = 3;

/**
 * Writes the ranges that are meant for the Node. They stay its own when that fails: who does not know what has become of
 * a write must not give them to another. Only where the server has refused them each time are they free again.
 * upstream: pkg/controller/nodeipam/ipam/range_allocator.go#updateCIDRsAllocation
 */
export async function writeRanges(
  sync: OwnerSync<CachedNode>,
  context: NodeIpamContext,
  cidrs: readonly string[],
): Promise<SyncResult> {
  const { owner: node, log, signal } = sync;
  const { ranges, writes } = context;
  let failure: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      await writes.patchUnread(sync, node, { type: "strategic", body: patchOf(node, cidrs) });
      log.info("The Node has got its ranges", { podCIDRs: cidrs });
      return {};
    } catch (error) {
      signal.throwIfAborted();
      // All workers wait for the server, or until this process may write, and the Node's turn comes again: another may come
      // with the ranges until then.
      if (isUnreachable(error) || wasNotSent(error)) throw error;
      // The cache will say so, too. Until then nobody else gets the ranges.
      if (isGoneOrReplaced(error)) return { backOff: true };
      if (!isRefusal(error)) ranges.mayBeStored(node.metadata.uid);
      failure = error;
    }
  }
  return giveUp(sync, context, failure);
}

/** The cache may be behind: perhaps the Node has ranges already, these or others. */
async function giveUp(
  sync: OwnerSync<CachedNode>,
  context: NodeIpamContext,
  failure: unknown,
): Promise<SyncResult> {
  const { owner: node, signal } = sync;
  const { ranges, writes } = context;
  let failures = [failure];
  try {
    const live = await writes.live(sync, node);
    const podCIDRs = live?.spec?.podCIDRs ?? [];
    if (live === undefined) return { backOff: true };
    if (podCIDRs.length > 0) {
      sync.decided("The Node has ranges already", { podCIDRs });
      ranges.show(live);
      return {};
    }
    ranges.giveBack(node.metadata.uid);
  } catch (error) {
    signal.throwIfAborted();
    failures = [failure, error];
  }
  tellOf(context, node, "CIDRAssignmentFailed");
  throw combinedError(failures);
}

/** The uid keeps it from another Node of that name. */
function patchOf({ metadata: { uid } }: Stored<CachedNode>, cidrs: readonly string[]): unknown {
  return { metadata: { uid }, spec: { podCIDR: cidrs[0], podCIDRs: cidrs } };
}

/** The server has understood the request, and said no. Everything else may have been stored, or may yet be. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code >= 400 && error.code < 500 && error.code !== 408;
}

/** upstream: pkg/controller/util/node/controller_utils.go#RecordNodeStatusChange */
export function tellOf({ events }: NodeIpamContext, node: Stored<CachedNode>, what: string): void {
  const { name, uid } = node.metadata;
  const regarding = { apiVersion: "v1", kind: "Node", metadata: { name, uid } };
  events.event(regarding, "Normal", what, `Node ${name} status is now: ${what}`);
}
