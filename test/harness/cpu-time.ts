import { createHook } from "node:async_hooks";

/**
 * How long the thread computes to do something: what the machine does for others meanwhile is left out. The shortest of
 * several goes, as the first may have to compile, and any may have to collect garbage.
 */
export function cpuTimeMs(act: () => unknown, goes = 3): number {
  let shortest = Infinity;
  for (let go = 0; go < goes; go++) {
    const before = process.threadCpuUsage();
    act();
    const { user, system } = process.threadCpuUsage(before);
    shortest = Math.min(shortest, (user + system) / 1_000);
  }
  return shortest;
}

/**
 * How long the thread computes at most without giving way: the longest of the stretches between two awaits while `act`
 * runs. Another program on the machine does not make it longer.
 */
export async function longestStretchMs(act: () => Promise<unknown>): Promise<number> {
  const begun: NodeJS.CpuUsage[] = [];
  let longest = 0;
  const hook = createHook({
    before: () => void begun.push(process.threadCpuUsage()),
    after: () => {
      const start = begun.pop();
      if (start === undefined) return;
      const { user, system } = process.threadCpuUsage(start);
      longest = Math.max(longest, (user + system) / 1_000);
    },
  });
  hook.enable();
  try {
    await act();
  } finally {
    hook.disable();
  }
  return longest;
}
