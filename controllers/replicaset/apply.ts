import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { ReplicaContext } from "./context.ts";
import type { ReplicaOwner, ReplicaStatus } from "./replica-owner.ts";

/** Writes the status; after one failure once more, on top of what the server has by then. */
export async function writeStatus(
  sync: OwnerSync<ReplicaOwner>,
  { writes }: ReplicaContext,
  status: ReplicaStatus,
): Promise<void> {
  const { owner, log, signal } = sync;
  log.verbose(4, "Updating status", {
    replicas: `${owner.status?.replicas ?? 0}->${status.replicas}`,
    ready: `${owner.status?.readyReplicas ?? 0}->${status.readyReplicas ?? 0}`,
    available: `${owner.status?.availableReplicas ?? 0}->${status.availableReplicas ?? 0}`,
  });
  const change = (current: ReplicaOwner): ReplicaOwner => ({ ...current, status });
  try {
    await writes.updateStatusUnread(sync, change(owner));
  } catch (error) {
    signal.throwIfAborted();
    log.verbose(4, "The status was refused, trying once more", { error: String(error) });
    await writes.changeStatus(sync, owner, change);
  }
}
