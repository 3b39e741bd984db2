import type { Stored } from "../../pkg/api/object.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { TtlContext } from "./context.ts";

/** Deletes this very Job after all that it owns. `expiredMs` is when it should have gone. */
export async function deleteJob(
  context: TtlContext,
  job: Stored<Job>,
  expiredMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = job.metadata;
  try {
    await context.client.delete(
      { namespace, name },
      { propagationPolicy: "Foreground", preconditions: { uid } },
      signal,
    );
  } catch (error) {
    // Someone else was faster.
    if (isNotFound(error)) return;
    throw error;
  }
  context.deletionSeconds.observe((context.clock.nowMs() - expiredMs) / 1_000);
}
