import { isUnreachable } from "../client/errors.ts";
import type { Clock } from "../clock/clock.ts";
import { SharedTurn } from "../clock/turns.ts";
import { sleep } from "../clock/wait.ts";
import { messageOf } from "../api/errors.ts";
import type { Logger } from "../log/logger.ts";
import type { Priority, WorkQueue } from "../workqueue/queue.ts";
import { DONE, type SyncHistory, type SyncRecord } from "./history.ts";
import { isPermanent } from "./permanent-error.ts";
import type { Reason, Reasons } from "./reasons.ts";
import type { SyncFunction, SyncResult } from "./sync.ts";
import { SyncRun, within } from "./sync-run.ts";

/** Whether the caches have caught up with what was written for the key (consistency.ts). */
export interface SyncGate<K> {
  /** How long the key must wait before asking again; undefined: go ahead. */
  waitMs(key: K): number | undefined;
}

/**
 * What becomes of a key whose sync failed: it is left alone until its next change, or tried again, after so long or after
 * the usual delay that grows, if not before.
 */
export type Verdict = "drop" | { readonly requeueAfterMs: number } | { readonly notBeforeMs: number };

export interface WorkerPoolOptions<K> {
  /** Shut down by the pool when it is told to stop. */
  readonly queue: WorkQueue<K>;
  readonly workers: number;
  readonly sync: SyncFunction<K>;
  /** Resolves when the caches hold what the syncs read; rejects when that was given up. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  /** After this many failures in a row a key is dropped until its next change. Absent: it is retried for ever. */
  readonly maxRetries?: number;
  /** Asked about every failure that is the key's own; undefined: it is tried again after a delay that grows. */
  readonly judge?: (key: K, error: unknown) => Verdict | undefined;
  readonly gate?: SyncGate<K>;
  /** Of keys whose time has come that a sync or the judge has named; live when left out. */
  readonly again?: Priority;
  /** Why keys were woken. */
  readonly reasons?: Reasons<K>;
  /** Syncs are noted there. */
  readonly history?: SyncHistory | undefined;
}

const NO_REASONS: readonly Reason[] = Object.freeze([]);

/** What a health check needs to tell a busy pool from a stuck one. */
export interface WorkerLiveness {
  readonly workersAlive: number;
  /** Keys that are being synced, and keys that wait for a worker. */
  readonly running: number;
  readonly waiting: number;
  /** Begun since the start, the running ones included. */
  readonly syncs: number;
  readonly longestRunning?: { readonly key: string; readonly forMs: number };
  /** Since a sync last ended, or since the workers started. */
  readonly sinceProgressMs: number;
}

/** While the server is away each worker tries its address once in this time. */
const OUTAGE_PAUSE_MS = 1_000;

/**
 * N workers on one queue. The queue sees to it that no key is synced twice at a time; the pool, that no sync starts
 * before the caches are ready, that nothing a sync throws gets further than here, and that every key is followed by
 * its done.
 *
 * A server that cannot be reached is no failure of any key: the pool as a whole waits for it. Were it left to the rate
 * limiter of the queue, the keys tried during an outage would use up what it grants to all keys together (10 a second),
 * and would be waited for long after the server is back.
 */
export class WorkerPool<K> {
  readonly #options: WorkerPoolOptions<K>;
  /** In order of start: the first has been running longest. */
  readonly #running = new Map<K, number>();
  /** All workers of the pool share it, so that watches and health checks go on. */
  readonly #turn: SharedTurn;
  #workersAlive = 0;
  #runs = 0;
  #lastProgressMs = 0;
  #outageUntilMs = 0;

  constructor(options: WorkerPoolOptions<K>) {
    this.#options = options;
    this.#turn = new SharedTurn(options.clock);
  }

  /** Works until the signal aborts or the queue is shut down and empty. Resolves when the last sync has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { queue, workers, ready, clock } = this.#options;
    const stop = (): void => queue.shutDown();
    signal.addEventListener("abort", stop, { once: true });
    try {
      if (!(await outlasts(ready, signal))) return;
      this.#lastProgressMs = clock.monotonicMs();
      await Promise.all(Array.from({ length: workers }, async () => this.#work(signal)));
    } finally {
      signal.removeEventListener("abort", stop);
      queue.shutDown();
    }
  }

  liveness(): WorkerLiveness {
    const nowMs = this.#options.clock.monotonicMs();
    const [longest] = this.#running;
    return {
      workersAlive: this.#workersAlive,
      running: this.#running.size,
      waiting: this.#options.queue.length,
      syncs: this.#runs,
      ...(longest && { longestRunning: { key: String(longest[0]), forMs: nowMs - longest[1] } }),
      sinceProgressMs: this.#workersAlive > 0 ? nowMs - this.#lastProgressMs : 0,
    };
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { queue } = this.#options;
    this.#workersAlive++;
    try {
      while (!signal.aborted) {
        const key = queue.tryGet() ?? (await queue.get());
        if (key === undefined) return;
        try {
          // As a rule there is nothing to wait for, and there are many keys.
          if (this.#turn.isOver()) await this.#turn.next();
          if (this.#outageUntilMs > 0) await this.#outlastOutage(signal);
          if (!signal.aborted) await this.#process(key, signal);
        } finally {
          queue.done(key);
        }
      }
    } finally {
      this.#workersAlive--;
    }
  }

  async #process(key: K, signal: AbortSignal): Promise<void> {
    const { queue, gate, clock } = this.#options;
    const waitMs = gate?.waitMs(key);
    if (waitMs !== undefined) {
      queue.addAfter(key, waitMs);
      return;
    }
    const { reasons, history } = this.#options;
    const startMs = clock.monotonicMs();
    const number = ++this.#runs;
    const run = new SyncRun<K>({
      key,
      reasons: reasons?.take(key) ?? NO_REASONS,
      log: this.#options.log.child({ key: String(key), reconcileId: number }),
      signal,
      noted: history !== undefined,
    });
    this.#running.set(key, startMs);
    let outcome = DONE;
    try {
      const { sync } = this.#options;
      const result = history === undefined ? await sync(run) : await within(run, sync);
      run.log.verbose(4, "Synced", { durationMs: clock.monotonicMs() - startMs });
      outcome = this.#succeeded(key, result);
    } catch (error) {
      outcome = `failed: ${messageOf(error)}`;
      if (!signal.aborted) this.#failed(key, error, run.log, clock.monotonicMs() - startMs);
    } finally {
      this.#running.delete(key);
      this.#lastProgressMs = clock.monotonicMs();
      history?.add(this.#recordOf(run, number, startMs, outcome));
    }
  }

  /** Gives the outcome. */
  #succeeded(key: K, { requeueAfterMs, backOff }: SyncResult): string {
    const { queue } = this.#options;
    if (backOff) {
      queue.addRateLimited(key);
      return "again after a delay that grows";
    }
    queue.forget(key);
    if (requeueAfterMs === undefined) return DONE;
    queue.addAfter(key, waitOf(requeueAfterMs), this.#options.again);
    return `again in ${requeueAfterMs} ms`;
  }

  #recordOf(run: SyncRun<K>, number: number, startedMs: number, outcome: string): SyncRecord {
    const { clock } = this.#options;
    const durationMs = clock.monotonicMs() - startedMs;
    const { key, reasons, decisions, writes } = run;
    return {
      run: number,
      key: String(key),
      startMs: clock.nowMs() - durationMs,
      durationMs,
      reasons,
      decisions,
      writes,
      outcome,
    };
  }

  #failed(key: K, error: unknown, log: Logger, durationMs: number): void {
    const { queue, maxRetries, clock, judge } = this.#options;
    const retries = queue.requeues(key);
    if (isUnreachable(error)) {
      log.error(error, "The API server cannot be reached; the workers wait for it", { durationMs, retries });
      this.#outageUntilMs = clock.monotonicMs() + OUTAGE_PAUSE_MS;
      queue.addAfter(key, OUTAGE_PAUSE_MS);
      return;
    }
    const verdict = judge?.(key, error) ?? (isPermanent(error) ? "drop" : undefined);
    if (verdict === "drop") {
      log.error(error, "Sync failed for good: the key waits for its next change", { durationMs, retries });
      queue.forget(key);
      return;
    }
    if (verdict !== undefined) {
      log.error(error, "Sync failed, to be retried", { durationMs, retries, ...verdict });
      if ("notBeforeMs" in verdict) queue.addRateLimited(key, undefined, verdict.notBeforeMs);
      else queue.addAfter(key, verdict.requeueAfterMs, this.#options.again);
      return;
    }
    if (maxRetries !== undefined && retries >= maxRetries) {
      log.error(error, "Sync failed, and was retried often enough: the key is dropped", {
        durationMs,
        retries,
      });
      queue.forget(key);
      return;
    }
    log.error(error, "Sync failed, to be retried", { durationMs, retries });
    queue.addRateLimited(key);
  }

  /** Others may have tried in vain meanwhile, so that the wait goes on. */
  async #outlastOutage(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const leftMs = (): number => this.#outageUntilMs - clock.monotonicMs();
    while (leftMs() > 0) {
      if (!(await outlasts(async () => sleep(clock, leftMs(), signal), signal))) return;
    }
    this.#outageUntilMs = 0;
  }
}

/** False when the wait was ended by the signal, which is no failure. */
async function outlasts(wait: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<boolean> {
  try {
    await wait(signal);
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
  return !signal.aborted;
}

/** The rest of a time may be lost in rounding: then it never passes, and the sync asks for it again and again. */
function waitOf(requeueAfterMs: number): number {
  return requeueAfterMs > 0 ? Math.max(1, requeueAfterMs) : requeueAfterMs;
}
