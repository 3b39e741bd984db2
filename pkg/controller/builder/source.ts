import { type ObjectRef, type PartialObject, refKey } from "../../api/object.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { abortable } from "../../client/abortable.ts";
import { sleep } from "../../clock/wait.ts";
import type { Env } from "../env.ts";
import type { KeyQueue } from "../key-queue.ts";

/** Which object is to be looked at; "all" of them. */
export type Wish = ObjectRef | "all";

/**
 * What tells of the world outside of the cluster. A function is called again when what it gave fails, later each time
 * unless that has gone well for a while; an iterable that fails ends the controller, as it cannot be begun again.
 */
export type Source = AsyncIterable<Wish> | ((signal: AbortSignal) => AsyncIterable<Wish>);

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** As long as it takes client-go to forget the failures of a watch: client-go/tools/cache/reflector.go */
const WELL_MS = 120_000;

/** Wakes objects as the source says, until it is at its end or the signal aborts. */
export async function follow<T extends PartialObject>(
  { source, env, queue, all }: FollowOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = env;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const begunMs = clock.monotonicMs();
    try {
      await wakeAll(typeof source === "function" ? source(signal) : source, { queue, all }, signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (typeof source !== "function") throw error;
      if (clock.monotonicMs() - begunMs >= WELL_MS) pauseMs = FIRST_PAUSE_MS;
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
  readonly env: Pick<Env, "clock" | "log">;
  readonly queue: Pick<KeyQueue, "add">;
  readonly all: Pick<Lister<T>, "list">;
}

async function wakeAll<T extends PartialObject>(
  wishes: AsyncIterable<Wish>,
  { queue, all }: Pick<FollowOptions<T>, "queue" | "all">,
  signal: AbortSignal,
): Promise<void> {
  const iterator = wishes[Symbol.asyncIterator]();
  for (;;) {
    const next = await abortable(iterator.next(), signal).catch((error: unknown) => {
      // One that is waiting for its next item need not hear of this before it comes.
      if (signal.aborted) iterator.return?.().catch(() => undefined);
      throw error;
    });
    if (next.done === true) return;
    const wish = next.value;
    if (wish === "all")
      for (const { metadata } of all.list()) queue.add(refKey(metadata.namespace, metadata.name));
    else queue.add(refKey(wish.namespace, wish.name));
  }
}
