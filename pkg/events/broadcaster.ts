import type { Event, EventSource } from "../api/types/core-v1.gen.ts";
import type { Clock } from "../clock/clock.ts";
import type { Random } from "../clock/random.ts";
import { sleep } from "../clock/wait.ts";
import { isAlreadyExists, isConnectionError, isNamespaceTerminating, isNotFound } from "../client/errors.ts";
import type { WriteOnlyClient } from "../client/write-only-client.ts";
import type { Logger } from "../log/logger.ts";
import type { Counter, Metrics } from "../metrics/metrics.ts";
import {
  defaultCorrelation,
  EventCorrelator,
  type Correlated,
  type CorrelatorOptions,
} from "./correlator.ts";
import { EventMaker } from "./event-object.ts";
import type { EventRecorder, Occurrence } from "./recorder.ts";

export type EventClient = WriteOnlyClient<Event>;

export interface BroadcasterOptions {
  readonly client: EventClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly correlation?: CorrelatorOptions;
}

/** More than these wait for the API server only when it is down or slow; events are not worth the memory then. */
const MOST_QUEUED = 1_000;
const MOST_TRIES = 12;
const RETRY_MS = 10_000;

/**
 * Sends events to the API server, one after the other, beside the work that records them. Sending starts with the
 * first event and rests while there is none. A broadcaster of one's own keeps another source's backlog out of the way.
 */
export class EventBroadcaster {
  readonly #options: BroadcasterOptions;
  readonly #maker: EventMaker;
  readonly #correlator: EventCorrelator;
  readonly #dropped: Counter;
  readonly #queue: Event[] = [];
  /** Aborts when no retries are worth waiting for any more. */
  readonly #closing = new AbortController();
  /** Aborts when time is up. */
  readonly #ending = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(options: BroadcasterOptions) {
    const { clock, random, metrics } = options;
    this.#options = options;
    this.#maker = new EventMaker(clock, random);
    this.#correlator = new EventCorrelator(clock, this.#maker, options.correlation ?? defaultCorrelation);
    this.#dropped = metrics.counter({
      name: "event_recorder_dropped_events_total",
      help: "Events that were not written: queue full, rationed as spam, refused by the server, retries used up, shut down.",
      labels: ["reason"],
      stability: "ALPHA",
    });
  }

  /** A recorder whose events name this source, as source.component and reportingComponent. */
  recorder(source: EventSource): EventRecorder {
    return {
      event: (regarding, type, reason, message) => this.#record({ regarding, type, reason, message }, source),
      eventWithAnnotations: (occurrence) => this.#record(occurrence, source),
    };
  }

  /** Takes nothing more, and tries each event that waits one last time, for at most `limitMs` in all. */
  async shutDown(limitMs: number): Promise<void> {
    this.#closing.abort();
    const timer = this.#options.clock.setTimer(limitMs, () => this.#ending.abort());
    await this.#sending;
    timer.cancel();
  }

  #record(occurrence: Occurrence, source: EventSource): void {
    const { log } = this.#options;
    const { regarding, type, reason, message } = occurrence;
    const { kind, apiVersion, metadata } = regarding;
    if (kind === undefined || apiVersion === undefined) {
      log.error(undefined, "Could not construct reference, will not report event", {
        metadata,
        type,
        reason,
        message,
      });
      return;
    }
    const object = { namespace: metadata.namespace, name: metadata.name };
    if (log.enabled(3)) log.verbose(3, "Event occurred", { object, kind, apiVersion, type, reason, message });
    if (this.#closing.signal.aborted) {
      this.#dropped.inc({ reason: "shutdown" });
      return;
    }
    if (this.#queue.length >= MOST_QUEUED) {
      this.#dropped.inc({ reason: "overload" });
      log.verbose(2, "Unable to record event: too many queued events, dropped event", { object, reason });
      return;
    }
    this.#queue.push(this.#maker.event(occurrence, source));
    this.#sending ??= this.#send();
  }

  /** Never rejects: what goes wrong with an event is counted and logged. */
  async #send(): Promise<void> {
    // The recording side goes on first: nobody who records an event pays for sending it.
    await this.#options.clock.turn();
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      if (this.#ending.signal.aborted) this.#dropped.inc({ reason: "shutdown" });
      else await this.#sendOne(event);
    }
    // In the same turn as the look at the empty queue, so that no event can be queued in between and be forgotten.
    this.#sending = undefined;
  }

  async #sendOne(event: Event): Promise<void> {
    const correlated = this.#correlator.correlate(event);
    if (correlated === undefined) {
      this.#dropped.inc({ reason: "spam" });
      return;
    }
    for (let tries = 1; ; tries++) {
      const outcome = await this.#try(correlated);
      if (outcome === "done") return;
      if (tries >= MOST_TRIES || this.#closing.signal.aborted) {
        const isLate = tries < MOST_TRIES;
        this.#dropped.inc({ reason: isLate ? "shutdown" : "retries" });
        const why = isLate ? "broadcaster is shut down" : "retry limit exceeded!";
        this.#options.log.error(undefined, `Unable to write event (${why})`, describe(event));
        return;
      }
      // The first wait is drawn, so that not all clients come back at once when the server does.
      await this.#pause(tries === 1 ? RETRY_MS * this.#options.random.next() : RETRY_MS);
    }
  }

  /** "retry" only when no server answered: what was refused once, here or there, would be refused again. */
  async #try(correlated: Correlated): Promise<"done" | "retry"> {
    const { log } = this.#options;
    try {
      await this.#write(correlated);
      this.#correlator.sent(correlated.event);
      return "done";
    } catch (error) {
      const fields = describe(correlated.event);
      if (isConnectionError(error) || this.#ending.signal.aborted) {
        log.error(error, "Unable to write event (may retry after sleeping)", fields);
        return "retry";
      }
      this.#dropped.inc({ reason: "refused" });
      if (isAlreadyExists(error) || isNamespaceTerminating(error)) {
        log.verbose(5, "Server rejected event (will not retry!)", { ...fields, err: error });
      } else log.error(error, "Server rejected event (will not retry!)", fields);
      return "done";
    }
  }

  async #write({ event, patch }: Correlated): Promise<void> {
    const { client } = this.#options;
    const { namespace = "", name = "" } = event.metadata;
    const { signal } = this.#ending;
    if (patch === undefined) {
      await client.create(event, {}, signal);
      return;
    }
    try {
      await client.patch({ namespace, name }, { type: "strategic", body: patch }, {}, signal);
    } catch (error) {
      // Events expire after an hour or so, while this program still counts.
      if (!isNotFound(error)) throw error;
      await client.create(event, {}, signal);
    }
  }

  async #pause(delayMs: number): Promise<void> {
    await sleep(this.#options.clock, delayMs, this.#closing.signal).catch((error: unknown) => {
      if (!this.#closing.signal.aborted) throw error;
    });
  }
}

function describe({ involvedObject, reason, message, metadata }: Event): Readonly<Record<string, unknown>> {
  const { namespace, name, kind } = involvedObject;
  return { event: metadata.name, kind, object: { namespace, name }, reason, message };
}
