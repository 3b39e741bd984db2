import { bootstrapTokenExpiry } from "../../pkg/api/bootstrap-token.ts";
import { deleteThis } from "../../pkg/controller/delete-this.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import type { CleanerContext, ExpiringToken } from "./context.ts";

/** Deletes the token when its time is over, and comes back when that time has come. */
export async function cleanUpToken(
  sync: OwnerSync<ExpiringToken>,
  context: CleanerContext,
): Promise<SyncResult> {
  const { owner: token, signal } = sync;
  const expiry = bootstrapTokenExpiry(token, context.clock.nowMs());
  if (expiry.kind === "later") return { requeueAfterMs: expiry.afterMs };
  if (expiry.kind === "expired") {
    sync.decided("The bootstrap token is to go", { reason: expiry.reason });
    await deleteThis(context.client, token.metadata, signal);
  }
  return {};
}
