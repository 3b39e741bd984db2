import { LRUCache } from "lru-cache";
import type { Event } from "../api/types/core-v1.gen.ts";
import type { Clock } from "../clock/clock.ts";
import type { EventMaker } from "./event-object.ts";

export interface CorrelatorOptions {
  /** Entries of each of the three caches. */
  readonly cacheSize: number;
  /** Similar events are combined from this many different messages on … */
  readonly aggregateFrom: number;
  /** … unless so much time passed since the last of them. */
  readonly aggregateWindowMs: number;
  /** Events about one object that one source may record at once … */
  readonly burst: number;
  /** … and the time in which it earns one more. */
  readonly refillMs: number;
}

export const defaultCorrelation: CorrelatorOptions = {
  cacheSize: 4_096,
  aggregateFrom: 10,
  aggregateWindowMs: 600_000,
  burst: 25,
  refillMs: 300_000,
};

/** What to send: a new event, or the new count, time and message of one that was sent before. */
export interface Correlated {
  readonly event: Event;
  readonly patch?: { readonly count: number; readonly lastTimestamp: string; readonly message: string };
}

interface Aggregate {
  readonly messages: Set<string>;
  readonly lastMs: number;
}

interface Sent {
  readonly count: number;
  readonly firstTimestamp: string;
  readonly name: string;
}

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * Protects the API server, and people, from floods: the same event is counted instead of repeated, events that differ
 * only in their message are combined, and what one source says about one object is rationed.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #maker: EventMaker;
  readonly #options: CorrelatorOptions;
  readonly #aggregates: LRUCache<string, Aggregate>;
  readonly #sent: LRUCache<string, Sent>;
  readonly #buckets: LRUCache<string, Bucket>;

  constructor(clock: Clock, maker: EventMaker, options: CorrelatorOptions) {
    this.#clock = clock;
    this.#maker = maker;
    this.#options = options;
    // Not `max`, for which all places are made at once: there is a correlator for each controller.
    const places = { maxSize: options.cacheSize, sizeCalculation: () => 1 };
    this.#aggregates = new LRUCache(places);
    this.#sent = new LRUCache(places);
    this.#buckets = new LRUCache(places);
  }

  /** Undefined for spam. Spam is counted all the same, so that the next event that passes tells the true number. */
  correlate(event: Event): Correlated | undefined {
    const subject = subjectKey(event);
    const { event: combined, key } = this.#aggregate(event, subject);
    const counted = this.#count(combined, key);
    return this.#takeToken(subject) ? counted : undefined;
  }

  /** The server has this event. */
  sent(event: Event): void {
    this.#sent.set(eventKey(event, subjectKey(event)), sentOf(event));
  }

  #aggregate(event: Event, subject: string): { event: Event; key: string } {
    const nowMs = this.#clock.monotonicMs();
    const key = aggregateKey(event, subject);
    const known = this.#aggregates.get(key);
    const isFresh = known !== undefined && nowMs - known.lastMs <= this.#options.aggregateWindowMs;
    const messages = isFresh ? known.messages : new Set<string>();
    messages.add(event.message ?? "");
    this.#aggregates.set(key, { messages, lastMs: nowMs });
    if (messages.size < this.#options.aggregateFrom) return { event, key: eventKey(event, subject) };
    const [oldest = ""] = messages;
    messages.delete(oldest);
    return { event: this.#combined(event), key };
  }

  /** upstream: events_cache.go#EventAggregate drops annotations and the reporting component. */
  #combined({ metadata, involvedObject, message, type, reason, source }: Event): Event {
    const now = this.#maker.now();
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: this.#maker.name(involvedObject.name ?? ""),
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      },
      involvedObject,
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      message: `(combined from similar events): ${message}`,
      ...(type === undefined ? {} : { type }),
      ...(reason === undefined ? {} : { reason }),
      ...(source === undefined ? {} : { source }),
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    };
  }

  #count(event: Event, key: string): Correlated {
    const before = this.#sent.get(key);
    if (before === undefined) {
      this.#sent.set(key, sentOf(event));
      return { event };
    }
    const count = before.count + 1;
    const { name, firstTimestamp } = before;
    const counted: Event = { ...event, metadata: { ...event.metadata, name }, firstTimestamp, count };
    this.#sent.set(key, sentOf(counted));
    const patch = { count, lastTimestamp: event.lastTimestamp ?? "", message: event.message ?? "" };
    return { event: counted, patch };
  }

  #takeToken(key: string): boolean {
    const { burst, refillMs } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) / refillMs);
    const isTaken = tokens >= 1;
    this.#buckets.set(key, { tokens: isTaken ? tokens - 1 : tokens, atMs: nowMs });
    return isTaken;
  }
}

function sentOf({ count, firstTimestamp, metadata }: Event): Sent {
  return { count: count ?? 0, firstTimestamp: firstTimestamp ?? "", name: metadata.name ?? "" };
}

/** What events are about, by whom: what the burst is granted to. Names have no zeros in them. */
function subjectKey({ source, involvedObject: about, type }: Event): string {
  const object = [about.kind, about.namespace, about.name, about.uid, about.apiVersion];
  return [source?.component, source?.host, ...object, type].join("\0");
}

/** Everything but the message. */
function aggregateKey({ reason, reportingComponent, reportingInstance }: Event, subject: string): string {
  return ["similar", subject, reason, reportingComponent, reportingInstance].join("\0");
}

function eventKey({ involvedObject, reason, message }: Event, subject: string): string {
  return ["same", subject, involvedObject.fieldPath, reason, message].join("\0");
}
