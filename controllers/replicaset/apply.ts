import { identityOf, readThenWrite } from "../../pkg/controller/read-live.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { ReplicaContext } from "./context.ts";
import type { ReplicaOwner, ReplicaStatus } from "./replica-owner.ts";

/** Writes the status; after one failure once more, on top of what the server has by then. */
export async function writeStatus(
  { owner, log, signal }: OwnerSync<ReplicaOwner>,
  { ownerClient: client, owners, consistency }: ReplicaContext,
  status: ReplicaStatus,
): Promise<void> {
  log.verbose(4, "Updating status", {
    replicas: `${owner.status?.replicas ?? 0}->${status.replicas}`,
    ready: `${owner.status?.readyReplicas ?? 0}->${status.readyReplicas ?? 0}`,
    available: `${owner.status?.availableReplicas ?? 0}->${status.availableReplicas ?? 0}`,
  });
  const write = async (changed: ReplicaOwner): Promise<ReplicaOwner> =>
    client.updateStatus(changed, {}, signal);
  const change = (current: ReplicaOwner): ReplicaOwner => ({ ...current, status });
  let updated: ReplicaOwner | undefined;
  try {
    updated = await write(change(owner));
  } catch (error) {
    signal.throwIfAborted();
    log.verbose(4, "The status was refused, trying once more", { error: String(error) });
    updated = await readThenWrite({ client, identity: identityOf(owner), change, write }, signal);
  }
  if (updated !== undefined) consistency.wroteOwner(owners.resource, updated);
}
