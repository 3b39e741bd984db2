import type { StoredObject } from "../../pkg/api/object.ts";
import { isGone } from "../../pkg/controller/read-live.ts";
import type { PoolStatusContext } from "./context.ts";

/** Deletes this very request, and not another that took its name. */
export async function deleteRequest(
  { client }: Pick<PoolStatusContext, "client">,
  { metadata: { name, uid } }: StoredObject,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete({ name }, { preconditions: { uid } }, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
