import { LeaseLostError } from "../../pkg/leader/elector.ts";

/**
 * Runs both shares of a leader: the one under the main Lease at once, the other as soon as the second Lease is held too,
 * so that no program can hold the second without the first. When one share ends or fails, so does the other; a lost
 * second Lease rejects with a LeaseLostError.
 */
export async function runShares(
  runMain: (signal: AbortSignal) => Promise<void>,
  runMigrated: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const both = new AbortController();
  const stop = (): void => both.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const failures: unknown[] = [];
  const share = async (run: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    try {
      await run(both.signal);
    } catch (error) {
      if (!both.signal.aborted || error !== both.signal.reason) failures.push(error);
    }
    both.abort(new Error("the other controllers have ended"));
  };
  const mainEnded = share(runMain);
  const migratedEnded = share(runMigrated);
  await mainEnded;
  // With the main Lease lost the process ends within the second, whatever the second Lease's release would take.
  if (!(signal.reason instanceof LeaseLostError)) await migratedEnded;
  signal.removeEventListener("abort", stop);
  if (failures.length > 0) throw failures[0];
}
