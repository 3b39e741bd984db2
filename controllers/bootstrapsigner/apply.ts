import type { ConfigMap } from "../../pkg/api/types/core-v1.gen.ts";
import { isConflict, isNotFound } from "../../pkg/client/errors.ts";
import type { SignerContext } from "./context.ts";

/** Writes the map back, unless it was changed or deleted: then the cache is told, and the next sync sees to it. */
export async function updateClusterInfo(
  { client }: SignerContext,
  map: ConfigMap,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.update(map, {}, signal);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
