import type { Stored } from "../../../pkg/api/object.ts";
import { isGone } from "../../../pkg/controller/read-live.ts";
import type { CleanerContext } from "./context.ts";
import type { CleanedRequest } from "./stale-requests.ts";

/** Deletes this very request, and not another that took its name. */
export async function deleteRequest(
  { client }: CleanerContext,
  { metadata: { name, uid } }: Stored<CleanedRequest>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete({ name }, { preconditions: { uid } }, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
