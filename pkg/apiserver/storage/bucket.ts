import type { ApiObject } from "../../api/object.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** One write, as watchers see it. */
export interface StoredEvent {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly key: string;
  /** The state written; of a DELETED event the last state, with the revision of the deletion. */
  readonly object: ApiObject;
  readonly previous: ApiObject | undefined;
  readonly timeMs: number;
}

export type EventListener = (event: StoredEvent) => void;

/**
 * The objects of one resource, and what became of them lately.
 * Invariants: `keys` holds exactly the keys of `objects`; `events` are in order of revision and complete
 * for every revision above `floor`; nothing that was stored changes afterwards.
 */
export class Bucket {
  readonly objects = new Map<string, ApiObject>();
  readonly listeners = new Set<EventListener>();
  readonly keys = new SortedKeys();
  events: StoredEvent[] = [];
  /** Revision of the newest event forgotten: reads and watches from before it cannot be served. */
  floor = 0;

  record(event: StoredEvent): void {
    if (event.type === "ADDED") this.keys.add(event.key);
    if (event.type === "DELETED") {
      this.keys.delete(event.key);
      this.objects.delete(event.key);
    } else this.objects.set(event.key, event.object);
    this.events.push(event);
  }

  /** Forgets the events up to and including `revision`. */
  forgetThrough(revision: number): void {
    this.floor = Math.max(this.floor, revision);
    const kept = this.#firstAfter(revision);
    if (kept > 0) this.events = this.events.slice(kept);
  }

  eventsAfter(revision: number): StoredEvent[] {
    return this.events.slice(this.#firstAfter(revision));
  }

  /** What differed from now at `revision`: by key the state then, undefined where there was none. */
  differencesAt(revision: number): Map<string, ApiObject | undefined> {
    const differences = new Map<string, ApiObject | undefined>();
    for (let index = this.events.length - 1; index >= 0; index--) {
      const event = this.events[index];
      if (event === undefined || event.revision <= revision) break;
      differences.set(event.key, event.previous);
    }
    return differences;
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.events[middle]?.revision ?? Infinity) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
