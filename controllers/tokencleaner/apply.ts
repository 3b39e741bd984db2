import type { Stored } from "../../pkg/api/object.ts";
import { isGone } from "../../pkg/controller/read-live.ts";
import type { CleanerContext, ExpiringToken } from "./context.ts";

/** Deletes this very Secret, and not another that took its name. */
export async function deleteToken(
  { client }: CleanerContext,
  { metadata }: Stored<ExpiringToken>,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = metadata;
  try {
    await client.delete({ namespace, name }, { preconditions: { uid } }, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
