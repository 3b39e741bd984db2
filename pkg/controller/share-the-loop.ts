import type { Clock } from "../clock/clock.ts";

/** A decision on so many objects can take 5 ms and more. */
const MANY = 10_000;

/** Before work on so many objects: lets others have the event loop first, so that one turn of it holds one such work. */
export async function shareTheLoop(count: number, clock: Clock): Promise<void> {
  if (count >= MANY) await clock.turn();
}
