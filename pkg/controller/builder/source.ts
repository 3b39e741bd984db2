import { type ObjectRef, type PartialObject, refKey } from "../../api/object.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { sleep } from "../../clock/wait.ts";
import type { Kit } from "../kit.ts";
import type { KeyQueue } from "../key-queue.ts";

/** Which object is to be looked at; "all" of them. */
export type Wish = ObjectRef | "all";

/**
 * What tells of the world outside of the cluster. A function is called again, later each time, when what it gave fails;
 * an iterable that fails ends the controller, as it cannot be begun again.
 */
export type Source = AsyncIterable<Wish> | ((signal: AbortSignal) => AsyncIterable<Wish>);

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Wakes objects as the source says, until it is at its end or the signal aborts. */
export async function follow<T extends PartialObject>(
  { source, kit, queue, all }: FollowOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = kit.env;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      await wakeAll(typeof source === "function" ? source(signal) : source, { queue, all }, signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (typeof source !== "function") throw error;
      log.error(error, "What tells of the world outside has failed, and is begun again", { pauseMs });
    }
    try {
      await sleep(clock, pauseMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}

export interface FollowOptions<T extends PartialObject> {
  readonly source: Source;
  readonly kit: Kit;
  readonly queue: KeyQueue;
  readonly all: Lister<T>;
}

async function wakeAll<T extends PartialObject>(
  wishes: AsyncIterable<Wish>,
  { queue, all }: Pick<FollowOptions<T>, "queue" | "all">,
  signal: AbortSignal,
): Promise<void> {
  const iterator = wishes[Symbol.asyncIterator]();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    if (signal.aborted) resolve(undefined);
  });
  for (;;) {
    const next = await Promise.race([iterator.next(), aborted]);
    if (next === undefined) {
      // One that is waiting for its next item need not hear of this before it comes.
      iterator.return?.().catch(() => undefined);
      return;
    }
    if (next.done === true) return;
    const wish = next.value;
    if (wish === "all")
      for (const { metadata } of all.list()) queue.add(refKey(metadata.namespace, metadata.name));
    else queue.add(refKey(wish.namespace, wish.name));
  }
}
