import type { Clock } from "../clock/clock.ts";
import { jitter, type Random } from "../clock/random.ts";
import { sleep, withDeadline } from "../clock/wait.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { electionMetrics, type ElectionMetrics } from "./election-metrics.ts";
import { checkTiming, JITTER_FACTOR, type ElectionTiming } from "./election-timing.ts";
import { Election } from "./election.ts";
import { LeaseFence } from "./fence.ts";
import type { LeaseLock } from "./lease-lock.ts";
import { LeaseNews } from "./lease-news.ts";

export interface ElectorOptions {
  /** Of the lease, in metrics and health messages. */
  readonly name: string;
  readonly lock: LeaseLock;
  readonly timing: ElectionTiming;
  /** Give the lease back when done, instead of letting it expire. */
  readonly releaseOnStop: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Told of every leader that comes to be known, this process included; "" when nobody leads. */
  readonly onNewLeader?: (identity: string) => void;
}

/** How an election ended: by our own will, or because the lease could not be kept. */
export type ElectionOutcome = "stopped" | "lost";

export class LeaseLostError extends Error {
  readonly code = "LeaseLost";
  constructor(lock: string) {
    super(`leader election lost: ${lock}`);
    this.name = "LeaseLostError";
  }
}

/**
 * standing by → leading → stopped | lost. One elector runs once.
 * While it leads, `fence` tells whether this process may write; see there for why that is safe.
 */
export class LeaderElector {
  readonly fence: LeaseFence;
  readonly #options: ElectorOptions;
  readonly #election: Election;
  readonly #metrics: ElectionMetrics;
  #reported = "";
  #isLeading = false;

  /** Throws an ElectionTimingError for durations that cannot work. */
  constructor(options: ElectorOptions) {
    checkTiming(options.timing);
    const { clock, timing, lock, log } = options;
    this.#options = options;
    this.fence = new LeaseFence(clock, timing.renewDeadlineMs);
    this.#metrics = electionMetrics(options.metrics, options.name);
    this.#metrics.leading(false);
    this.#election = new Election({ lock, timing, clock, log, fence: this.fence, metrics: this.#metrics });
  }

  /** This process has the lease, as far as it knows. Whether it may write is for the fence to say. */
  isLeader(): boolean {
    return this.#isLeading && this.#election.isHolder;
  }

  /** The identity of the last leader that was seen, or "". */
  leader(): string {
    return this.#election.holder;
  }

  /**
   * A leader that has not renewed for so long ought to have ended: something in this process is stuck. Candidates are
   * always healthy.
   */
  checkHealth(toleranceMs = 20_000): Error | undefined {
    if (!this.isLeader()) return undefined;
    if (this.#election.observedForMs() <= this.#options.timing.leaseDurationMs + toleranceMs)
      return undefined;
    return new Error(`failed election to renew leadership on lease ${this.#options.name}`);
  }

  /**
   * Waits for the lease, then runs `lead` and renews until that has ended. An abort of `signal` aborts lead's, which
   * has all the time it needs, under a lease that is still renewed; only then is the lease released. A lost lease
   * aborts lead's signal with a LeaseLostError; nothing can be written from then on. Rejects only as `lead` does.
   */
  async run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<ElectionOutcome> {
    const { lock, log, releaseOnStop } = this.#options;
    log.info("Attempting to acquire leader lease...", { lock: lock.describe() });
    if (!(await this.#acquire(signal))) return "stopped";
    this.#isLeading = true;
    this.#metrics.leading(true);
    lock.recordEvent("became leader");
    log.info("Successfully acquired lease", { lock: lock.describe() });

    const leading = new AbortController();
    const stop = (): void => leading.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const workEnded = new AbortController();
    const work = runToEnd(lead, leading.signal).finally(() => workEnded.abort());
    const isKept = await this.#renewUntil(workEnded.signal);
    if (!isKept) this.#lose(leading);
    const failure = await work;
    signal.removeEventListener("abort", stop);

    this.fence.close();
    this.#metrics.leading(false);
    if (isKept && releaseOnStop) await this.#release();
    lock.recordEvent("stopped leading");
    this.#isLeading = false;
    if (failure !== undefined) throw failure.error;
    return isKept ? "stopped" : "lost";
  }

  #lose(leading: AbortController): void {
    const { lock, log } = this.#options;
    this.fence.close();
    this.#metrics.leading(false);
    log.info("Failed to renew lease", { lock: lock.describe(), leader: this.leader() });
    leading.abort(new LeaseLostError(lock.describe()));
  }

  /** False when the signal aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, log, lock, timing } = this.#options;
    const news = new LeaseNews({ lock, clock, log, retryMs: timing.retryPeriodMs });
    const standingBy = new AbortController();
    const stop = (): void => standingBy.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const followed = news.follow(standingBy.signal);
    try {
      while (!signal.aborted) {
        if (await this.#try(signal)) return true;
        await news.next(this.#nextTryMs(), signal);
      }
      return false;
    } finally {
      signal.removeEventListener("abort", stop);
      standingBy.abort();
      await followed;
    }
  }

  /** After one to 2.2 retry periods; sooner, when the lease runs out before. */
  #nextTryMs(): number {
    const { random, timing } = this.#options;
    const pollMs = jitter(random, timing.retryPeriodMs, JITTER_FACTOR);
    const expiresInMs = this.#election.expiresInMs();
    return expiresInMs > 0 ? Math.min(pollMs, expiresInMs) : pollMs;
  }

  /** True when the signal aborted, false when the lease was lost. */
  async #renewUntil(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      await this.#pause(this.#options.timing.retryPeriodMs, signal);
      if (!(await this.#renewOnce(signal))) return signal.aborted;
    }
    return true;
  }

  /** Tries until the lease is renewed; false when that was not possible before the deadline or the signal's abort. */
  async #renewOnce(signal: AbortSignal): Promise<boolean> {
    const { timing, clock } = this.#options;
    const deadlineMs = clock.monotonicMs() + timing.renewDeadlineMs;
    for (;;) {
      if (signal.aborted) return false;
      const leftMs = deadlineMs - clock.monotonicMs();
      if (leftMs <= 0) return false;
      if (
        await withDeadline(
          clock,
          { limitMs: leftMs, what: "renewing" },
          async (limited) => this.#try(limited),
          signal,
        )
      )
        return true;
      if (!this.#election.isHolder) return false;
      await this.#pause(Math.min(timing.retryPeriodMs, deadlineMs - clock.monotonicMs()), signal);
    }
  }

  async #try(signal: AbortSignal): Promise<boolean> {
    const isOurs = await this.#election.acquireOrRenew(signal).catch((error: unknown) => {
      if (signal.aborted) return false;
      throw error;
    });
    this.#reportLeader();
    return isOurs;
  }

  #reportLeader(): void {
    const leader = this.leader();
    if (leader === this.#reported) return;
    this.#reported = leader;
    this.#options.onNewLeader?.(leader);
  }

  async #release(): Promise<void> {
    const { clock, timing, log, lock } = this.#options;
    const limitMs = timing.renewDeadlineMs;
    try {
      await withDeadline(clock, { limitMs, what: "the release" }, async (limited) =>
        this.#election.release(limited),
      );
    } catch (error) {
      log.error(error, "Failed to release lease", { lock: lock.describe() });
    }
  }

  /** Ends early, and quietly, when the signal aborts. */
  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await sleep(this.#options.clock, delayMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/** Settles with lead's failure, if any. An abort is not one. */
async function runToEnd(
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await lead(signal);
    return undefined;
  } catch (error) {
    return signal.aborted && error === signal.reason ? undefined : { error };
  }
}
