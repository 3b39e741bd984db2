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
