import { formatMicroTime } from "../api/time.ts";
import type { Clock } from "../clock/clock.ts";
import { withDeadline } from "../clock/wait.ts";
import { isNotFound } from "../client/errors.ts";
import type { Logger } from "../log/logger.ts";
import type { ElectionMetrics } from "./election-metrics.ts";
import { sameRecord, type ElectionRecord } from "./election-record.ts";
import type { ElectionTiming } from "./election-timing.ts";
import { instantOf, type Instant, type LeaseFence } from "./fence.ts";
import type { LeaseLock } from "./lease-lock.ts";

export interface ElectionParts {
  readonly lock: LeaseLock;
  readonly timing: ElectionTiming;
  readonly clock: Clock;
  readonly fence: LeaseFence;
  readonly log: Logger;
  readonly metrics: ElectionMetrics;
}

const nobody: ElectionRecord = {
  holder: "",
  leaseSeconds: 0,
  acquireTime: "",
  renewTime: "",
  transitions: 0,
};

/**
 * One candidate's view of the lease, and single tries to acquire, renew or release it.
 * Invariants: `#observedMs` is monotonic time, taken after the answer that showed `#observed` for the first time, so
 * that expiry is judged by our own clock and never early; the fence is open only while `#observed` names us.
 */
export class Election {
  readonly #parts: ElectionParts;
  #observed: ElectionRecord = nobody;
  #observedMs = 0;

  constructor(parts: ElectionParts) {
    this.#parts = parts;
  }

  get holder(): string {
    return this.#observed.holder;
  }

  get isHolder(): boolean {
    return this.#observed.holder === this.#parts.lock.identity;
  }

  observedForMs(): number {
    return this.#parts.clock.monotonicMs() - this.#observedMs;
  }

  /** How long another holder's lease is still to be respected; 0 or less when it need not be. */
  expiresInMs(): number {
    if (this.holder === "") return 0;
    return this.#observedMs + this.#observed.leaseSeconds * 1_000 - this.#parts.clock.monotonicMs();
  }

  /** Resolves to whether the lease is ours now. Failures are logged; only an abort of the signal rejects. */
  async acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const startedAt = instantOf(this.#parts.clock);
    if (
      this.isHolder &&
      this.#isValidAt(startedAt.monotonicMs) &&
      (await this.#renewOutright(startedAt, signal))
    ) {
      return true;
    }
    const current = await this.#read(signal);
    if (current === "failed") return false;
    if (current === "missing") return this.#write("create", this.#claim(startedAt), startedAt, signal);
    const wasHolder = this.isHolder;
    this.#observe(current);
    // upstream: leaderelection.go#tryAcquireOrRenew wins a lost lease back. Another one may have led meanwhile, and what
    // this process believes would be out of date; so it must not go on as if nothing had happened.
    if (wasHolder && !this.isHolder) return false;
    if (current.holder !== "" && !this.isHolder && this.#isValidAt(startedAt.monotonicMs)) {
      this.#parts.log.verbose(4, "Lease is held by and has not yet expired", this.#logFields());
      return false;
    }
    if (this.isHolder) this.#parts.metrics.slowPath();
    const claim = this.isHolder
      ? this.#renewal(startedAt)
      : { ...this.#claim(startedAt), transitions: current.transitions + 1 };
    return this.#write("update", claim, startedAt, signal);
  }

  /** Empties the lease, so that the next candidate need not wait for it to expire. Writing must have ended. */
  async release(signal: AbortSignal): Promise<boolean> {
    const current = await this.#read(signal);
    // upstream: leaderelection.go#release writes even when this read shows another holder; that would depose it.
    if (current === "failed" || current === "missing") return false;
    this.#observe(current);
    if (!this.isHolder) return true;
    const now = formatMicroTime(this.#parts.clock.nowMs());
    const empty = {
      ...nobody,
      leaseSeconds: 1,
      acquireTime: now,
      renewTime: now,
      transitions: current.transitions,
    };
    return this.#try("Failed to release lease", signal, async (limited) => {
      await this.#parts.lock.update(empty, limited);
      this.#observe(empty);
    });
  }

  /** The leader's fast path: it knows the version it wrote last, so no read is needed unless somebody interferes. */
  async #renewOutright(startedAt: Instant, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#timed(signal, async (limited) =>
        this.#parts.lock.update(this.#renewal(startedAt), limited),
      );
    } catch (error) {
      signal.throwIfAborted();
      const fields = { ...this.#logFields(), err: String(error) };
      this.#parts.log.verbose(2, "Failed to update lease optimistically, falling back to slow path", fields);
      return false;
    }
    this.#hold(this.#renewal(startedAt), startedAt);
    return true;
  }

  async #read(signal: AbortSignal): Promise<ElectionRecord | "missing" | "failed"> {
    try {
      return await this.#timed(signal, async (limited) => this.#parts.lock.get(limited));
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error)) return "missing";
      this.#parts.log.error(error, "Error retrieving lease lock", this.#logFields());
      return "failed";
    }
  }

  async #write(
    verb: "create" | "update",
    record: ElectionRecord,
    startedAt: Instant,
    signal: AbortSignal,
  ): Promise<boolean> {
    const failure = verb === "create" ? "Error initially creating lease lock" : "Failed to update lease";
    return this.#try(failure, signal, async (limited) => {
      await this.#parts.lock[verb](record, limited);
      this.#hold(record, startedAt);
    });
  }

  async #try(
    failure: string,
    signal: AbortSignal,
    work: (limited: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    try {
      await this.#timed(signal, work);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#parts.log.error(error, failure, this.#logFields());
      return false;
    }
  }

  /** No request may use up the whole renew deadline: there must be time for another. */
  async #timed<T>(signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, timing } = this.#parts;
    return withDeadline(
      clock,
      { limitMs: timing.renewDeadlineMs / 2, what: "the lease request" },
      work,
      signal,
    );
  }

  #claim({ wallMs }: Instant): ElectionRecord {
    const now = formatMicroTime(wallMs);
    // Rounded up, for others must not wait less than we count on.
    const leaseSeconds = Math.ceil(this.#parts.timing.leaseDurationMs / 1_000);
    return {
      holder: this.#parts.lock.identity,
      leaseSeconds,
      acquireTime: now,
      renewTime: now,
      transitions: 0,
    };
  }

  #renewal(startedAt: Instant): ElectionRecord {
    const { acquireTime, transitions } = this.#observed;
    return { ...this.#claim(startedAt), acquireTime, transitions };
  }

  #hold(record: ElectionRecord, startedAt: Instant): void {
    this.#observed = record;
    this.#observedMs = this.#parts.clock.monotonicMs();
    this.#parts.fence.renewed(startedAt);
  }

  #observe(record: ElectionRecord): void {
    if (sameRecord(record, this.#observed)) return;
    this.#observed = record;
    this.#observedMs = this.#parts.clock.monotonicMs();
    if (!this.isHolder) this.#parts.fence.close();
  }

  #isValidAt(monotonicMs: number): boolean {
    return this.#observedMs + this.#observed.leaseSeconds * 1_000 > monotonicMs;
  }

  #logFields(): Readonly<Record<string, unknown>> {
    return { lock: this.#parts.lock.describe(), holder: this.holder };
  }
}
