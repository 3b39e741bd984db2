import { type ApiObject, keyOf } from "../../api/object.ts";
import { parseTime } from "../../api/time.ts";
import type { Clock, Timer } from "../../clock/clock.ts";
import type { Logger } from "../../log/logger.ts";
import type { Store } from "../storage/store.ts";
import type { ServerService } from "./api-server.ts";

const bucket = "events";
export const DEFAULT_EVENT_TTL_MS = 3_600_000;
/** Nobody minds a second, and many Events go together. */
const GRANULARITY_MS = 1_000;
/** So many go in one turn. */
const AT_ONCE = 200;

export interface EventExpiryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly log: Logger;
}

/** Events go when nobody has written to them for a while, as under the lease of a real store: whoever watches sees them deleted. */
export class EventExpiry implements ServerService {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #log: Logger;
  /** By key, the first to go first: as all live equally long, that is the order of their last writes. */
  readonly #deadlines = new Map<string, number>();
  #timer: Timer | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor({ store, clock, ttlMs, log }: EventExpiryOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#log = log;
  }

  start(): void {
    const nowMs = this.#clock.nowMs();
    // What was stored before this process began has not begun to live anew.
    const found = this.#store
      .scan(bucket, { prefix: "" })
      .items.map((event) => ({ key: keyOf(event), writtenMs: Math.min(nowMs, lastWriteMs(event) ?? nowMs) }))
      .sort((left, right) => left.writtenMs - right.writtenMs);
    for (const { key, writtenMs } of found) this.#deadlines.set(key, writtenMs + this.#ttlMs);
    this.#unsubscribe = this.#store.subscribe(bucket, ({ type, key }) => {
      this.#deadlines.delete(key);
      if (type !== "DELETED") this.#deadlines.set(key, this.#clock.nowMs() + this.#ttlMs);
      this.#arm();
    });
    this.#arm();
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#deadlines.clear();
  }

  settled(): undefined {
    // Nobody waits for what takes an hour.
    return undefined;
  }

  #arm(): void {
    if (this.#timer !== undefined) return;
    const [first] = this.#deadlines.values();
    if (first === undefined) return;
    const leftMs = Math.max(GRANULARITY_MS, first - this.#clock.nowMs());
    this.#timer = this.#clock.setTimer(leftMs, () => {
      this.#timer = undefined;
      this.#expire()
        .catch((error: unknown) => this.#log.error(error, "Events that have expired cannot be removed"))
        .finally(() => this.#arm());
    });
  }

  async #expire(): Promise<void> {
    let count = 0;
    for (const [key, deadlineMs] of this.#deadlines) {
      if (deadlineMs > this.#clock.nowMs()) return;
      this.#deadlines.delete(key);
      const event = this.#store.get(bucket, key);
      if (event !== undefined) this.#store.remove(bucket, key, event);
      count++;
      if (count % AT_ONCE === 0) await this.#clock.turn();
    }
  }
}

/** The last time that the server has noted down on it. */
function lastWriteMs({ metadata }: ApiObject): number | undefined {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)]
    .map((time) => (time === undefined || time === null ? undefined : parseTime(time)))
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}
