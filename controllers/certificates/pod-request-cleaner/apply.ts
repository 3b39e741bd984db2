import type { StoredObject } from "../../../pkg/api/object.ts";
import { isGone } from "../../../pkg/controller/read-live.ts";
import type { CleanerContext } from "./context.ts";

/** Deletes this very request, and not another that took its name. */
export async function deletePodRequest(
  { client }: CleanerContext,
  { metadata: { namespace = "", name, uid } }: StoredObject,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete({ namespace, name }, { preconditions: { uid } }, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
