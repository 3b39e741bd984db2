import { once } from "node:events";

const LOOK_MS = 1_000;

/** Resolves when SIGTERM comes, or when the test that started this has ended: some forget what they started. */
export async function askedToEnd(): Promise<void> {
  const parent = process.ppid;
  const orphaned = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS);
    timer.unref();
  });
  await Promise.race([once(process, "SIGTERM"), orphaned]);
}
