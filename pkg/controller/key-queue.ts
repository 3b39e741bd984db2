import type { PartialObject } from "../api/object.ts";
import type { Priority, WorkQueue } from "../workqueue/queue.ts";
import { type Change, isBackground } from "./change.ts";
import { Reasons } from "./reasons.ts";

/** The keys that wait to be synced, and why each of them does. Workers take them from `work`. */
export class KeyQueue<K = string> {
  readonly work: WorkQueue<K>;
  readonly reasons = new Reasons<K>();

  constructor(work: WorkQueue<K>) {
    this.work = work;
  }

  /**
   * Wakes the key because an object of this resource (its name as groupResource has it) has changed, now or later. A key
   * that waits, if only for 0 ms, counts as a retry in the metrics of the queue. What nobody has just done waits for what
   * somebody has.
   */
  changed(key: K, resource: string, change: Change<PartialObject>, afterMs?: number): void {
    this.reasons.changed(key, resource, change);
    const priority = isBackground(change) ? "background" : "live";
    if (afterMs === undefined) this.work.add(key, priority);
    else this.work.addAfter(key, afterMs, priority);
  }

  /** Wakes the key because another sync of the controller wants it. */
  add(key: K, priority: Priority = "live"): void {
    this.reasons.asked(key);
    this.work.add(key, priority);
  }

  addAfter(key: K, delayMs: number, priority: Priority = "live"): void {
    this.reasons.asked(key);
    this.work.addAfter(key, delayMs, priority);
  }

  /** After the delay of a failure, which grows with each. */
  addRateLimited(key: K): void {
    this.reasons.asked(key);
    this.work.addRateLimited(key);
  }
}
