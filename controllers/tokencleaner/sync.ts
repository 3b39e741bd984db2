import { bootstrapTokenExpiry } from "../../pkg/api/bootstrap-token.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { deleteToken } from "./apply.ts";
import type { CleanerContext } from "./context.ts";

/** Deletes the token when its time is over; comes back when it will be. */
export async function cleanUpToken(
  key: string,
  context: CleanerContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const token = context.tokens.getByKey(key);
  if (token === undefined) return {};
  const expiry = bootstrapTokenExpiry(token, context.clock.nowMs());
  if (expiry.kind === "later") return { requeueAfterMs: expiry.afterMs };
  if (expiry.kind === "expired") {
    log.verbose(3, "Deleting a bootstrap token", { secret: key, reason: expiry.reason });
    await deleteToken(context, token, signal);
  }
  return {};
}
