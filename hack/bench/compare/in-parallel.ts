/** Does `work` for each item, so many at a time, in order of their beginning. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<unknown>,
  atOnce = 32,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
