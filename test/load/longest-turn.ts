/**
 * How long the thread computes in the longest turn of its event loop while `act` runs. It is CPU time: another program on
 * the machine does not make a turn longer.
 */
export async function longestTurnMs(act: () => Promise<unknown>): Promise<number> {
  let longestUs = 0;
  let before = process.threadCpuUsage();
  let next: NodeJS.Immediate;
  // One callback for each turn, always at the same place in it.
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longestUs = Math.max(longestUs, user + system);
    before = process.threadCpuUsage();
    next = setImmediate(look);
  };
  next = setImmediate(look);
  try {
    await act();
    // The turn that `act` ended in.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  } finally {
    clearImmediate(next);
  }
  return longestUs / 1_000;
}
