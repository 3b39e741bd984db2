import { formatMicroTime } from "../api/time.ts";
import { describeReason, type Reason } from "./reasons.ts";
import { type Decision, describeDecision } from "./sync-run.ts";

/** A sync that has ended. */
export interface SyncRecord {
  /** Which sync of its queue it was, counted from 1. */
  readonly run: number;
  readonly key: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly reasons: readonly Reason[];
  readonly decisions: readonly Decision[];
  /** Requests and their answers, such as "PATCH /api/v1/namespaces/team/pods/web-1 200". */
  readonly writes: readonly string[];
  readonly outcome: string;
}

/** The outcome of a sync after which nothing is left to do. */
export const DONE = "done";

/** The last `size` of what was put in. */
class LastOnes<T> {
  readonly #size: number;
  readonly #items: T[] = [];
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(item: T): void {
    this.#items[this.#next] = item;
    this.#next = (this.#next + 1) % this.#size;
  }

  /** The latest first. */
  latest(): readonly T[] {
    return [...this.#items.slice(0, this.#next).toReversed(), ...this.#items.slice(this.#next).toReversed()];
  }
}

/**
 * The last syncs of a queue, for whoever asks what its controller did and why. Syncs that did something are kept apart
 * from those that did nothing, of which there are many more.
 */
export class SyncHistory {
  readonly #acted: LastOnes<SyncRecord>;
  readonly #idle: LastOnes<SyncRecord>;

  /** As many are kept, of either sort. */
  constructor(size: number) {
    this.#acted = new LastOnes(size);
    this.#idle = new LastOnes(size);
  }

  add(record: SyncRecord): void {
    const { decisions, writes, outcome } = record;
    const isIdle = decisions.length === 0 && writes.length === 0 && outcome === DONE;
    (isIdle ? this.#idle : this.#acted).add(record);
  }

  /** The latest first; those of one key only, if it is given. */
  latest(key?: string): readonly SyncRecord[] {
    const records = [...this.#acted.latest(), ...this.#idle.latest()];
    return records
      .filter((record) => key === undefined || record.key === key)
      .toSorted((a, b) => b.run - a.run);
  }
}

/** As it is shown to people. */
export function describeRecord({ startMs, reasons, decisions, ...record }: SyncRecord): object {
  return {
    started: formatMicroTime(startMs),
    ...record,
    decisions: decisions.map(describeDecision),
    reasons: reasons.map(describeReason),
  };
}
