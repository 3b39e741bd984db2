import type { PartialObject, WatchEvent } from "../../api/object.ts";
import { ApiError, isConnectionError, isExpired, isNotFound } from "../../client/errors.ts";
import type { WatchOptions } from "../../client/resource-client.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import { sleep } from "../../clock/wait.ts";
import type { Logger } from "../../log/logger.ts";
import { Backoff } from "./backoff.ts";
import type { Delta } from "./delta.ts";
import type { ListWatch } from "./list-watch.ts";
import { TurnOfSteps } from "../../clock/turns.ts";
import { listAll } from "./paged-list.ts";
import {
  isPassing,
  isTooLarge,
  isVersionUnavailable,
  LostStateError,
  ShortWatchError,
  UnfinishedStreamError,
} from "./reflector-failures.ts";
import type { Draft } from "../store/store.ts";
import { WatchOverdueError, WatchStream } from "./watch-stream.ts";
import { isObject } from "../../api/patch/json.ts";

/** What a reflector feeds. Objects are already transformed. */
export interface ReflectorSink<T> {
  take(delta: Delta<T>): void;
  /** Where the objects of a replacement are gathered. */
  draft(): Draft<T>;
  /** Settles when the sink can take more; undefined when it can already. */
  room(): Promise<void> | undefined;
}

export interface ReflectorOptions<T> {
  readonly source: ListWatch<T>;
  readonly sink: ReflectorSink<T>;
  readonly keyOf: (object: T) => string;
  /** Called once with every object that comes from the server, and what its event says of it. */
  readonly transform: (object: T, exact: boolean) => T;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Ask for the first state as a stream of events rather than as a list. Default true. */
  readonly streamLists?: boolean;
}

/**
 * empty: what the sink has, if anything, may not be continued: everything must be had anew, best as a stream.
 * listing: everything must be had anew, and the stream was refused.
 * watching: the sink is complete up to the last version; changes follow.
 * pausing: something failed; after a while it goes on from `next`.
 */
type State<T> =
  | { readonly name: "empty" }
  | { readonly name: "listing" }
  | { readonly name: "watching"; readonly stream: WatchStream<T> | undefined }
  | { readonly name: "pausing"; readonly next: "empty" | "watching"; readonly leastMs: number };

const SHORTEST_WATCH_SECONDS = 300;
const YOUNG_WATCH_MS = 1_000;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * Keeps a sink in step with a resource on the server.
 * upstream: tools/cache/reflector.go. One deviation: a watch that breaks for want of a connection, or because the
 * server is busy, goes on from the last version instead of listing everything anew, whatever stage it broke in.
 */
export class Reflector<T extends PartialObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: Backoff;
  readonly #turn: TurnOfSteps;
  #state: State<T> = { name: "empty" };
  /** The version up to which the sink was fed; "" before the first list. */
  #version = "";
  /** The server does not know the version any more, or not yet. */
  #versionUnavailable = false;
  /** The server pages lists even at version "0", so it has no watch cache, and large lists are better paged. */
  #pagesAlways = false;
  /** Events have come that cannot be read, and since then no watch that held none has come to its end. */
  #meetsUnreadable = false;
  /** An event was skipped: the sink lacks what it told. */
  #skipped = false;
  #stream: WatchStream<T> | undefined;
  /** Why the sink has lost what it was fed, until it is fed anew. */
  #lost: Error | undefined;
  #heardMs: number;
  #lastError: unknown;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff(options.clock, options.random);
    this.#turn = new TurnOfSteps(options.clock);
    this.#heardMs = options.clock.monotonicMs();
  }

  /** When (monotonic) the server last sent anything. */
  get heardMs(): number {
    return this.#heardMs;
  }

  /** What failed last, until something succeeds. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** The sink has lost what it was fed, and has not been fed anew. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** The sink has lost what it was fed: everything must be had anew. */
  restart(cause: unknown): void {
    this.#lost = new LostStateError(cause);
    this.#stream?.abort(this.#lost);
  }

  /** Resolves after the signal has aborted and the last request has ended. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#state = await this.#step(this.#state, signal);
      } catch (error) {
        // Going on after an unknown error is better than a cache that nobody fills.
        if (!signal.aborted) this.#state = this.#pause("empty", error);
      }
    }
    if (this.#state.name === "watching") await this.#state.stream?.close();
  }

  async #step(state: State<T>, signal: AbortSignal): Promise<State<T>> {
    if (state.name === "watching") return this.#watch(state.stream, signal);
    if (state.name === "listing") return this.#list(signal);
    if (state.name === "empty")
      return this.#options.streamLists === false ? { name: "listing" } : this.#streamList(signal);
    await sleep(this.#options.clock, Math.max(state.leastMs, this.#backoff.nextMs()), signal);
    return state.next === "empty" ? { name: "empty" } : { name: "watching", stream: undefined };
  }

  /** Everything as a stream of events, which then simply goes on. upstream: #watchList */
  async #streamList(signal: AbortSignal): Promise<State<T>> {
    const draft = this.#options.sink.draft();
    const since = this.#versionUnavailable ? "" : this.#version;
    const stream = this.#open({ ...atVersion(since), sendInitialEvents: true }, signal);
    try {
      for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
        this.#heardMs = this.#options.clock.monotonicMs();
        if (event.type === "BOOKMARK") {
          if (!endsInitialEvents(event.object)) continue;
          this.#replace(draft.objects, event.object.metadata.resourceVersion ?? "");
          return { name: "watching", stream };
        }
        const object = this.#accept(event.object, event.exact);
        if (object !== undefined && event.type === "DELETED") draft.delete(this.#options.keyOf(object));
        else if (object !== undefined) draft.set(this.#options.keyOf(object), object);
        const pause = this.#turn.step();
        if (pause !== undefined) await pause;
      }
      if (stream.events === 0 && this.#young(stream)) throw new ShortWatchError();
      return this.#pause("empty", new UnfinishedStreamError());
    } catch (error) {
      await stream.close();
      signal.throwIfAborted();
      if (isVersionUnavailable(error)) return this.#withoutVersion(error, since, "empty");
      if (isPassing(error)) return this.#pause("empty", error);
      this.#options.log.verbose(4, "The stream of initial events failed, listing instead", { err: error });
      return { name: "listing" };
    }
  }

  async #list(signal: AbortSignal): Promise<State<T>> {
    const draft = this.#options.sink.draft();
    const resourceVersion = this.#versionUnavailable ? "" : this.#version || "0";
    // With a version, an unpaged list is served from the server's watch cache, a paged one burdens etcd.
    const paged = this.#pagesAlways || resourceVersion === "" || resourceVersion === "0";
    const onItem = (item: T): void => {
      this.#heardMs = this.#options.clock.monotonicMs();
      const object = this.#accept(item);
      if (object !== undefined) draft.set(this.#options.keyOf(object), object);
    };
    const request = { resourceVersion, paged, onItem, onRestart: () => draft.clear() };
    try {
      const result = await listAll(this.#options.source, request, signal);
      signal.throwIfAborted();
      if (resourceVersion === "0" && result.paged) this.#pagesAlways = true;
      this.#replace(draft.objects, result.resourceVersion);
      return { name: "watching", stream: undefined };
    } catch (error) {
      signal.throwIfAborted();
      if (isVersionUnavailable(error)) return this.#withoutVersion(error, resourceVersion, "listing");
      return this.#pause("empty", error);
    }
  }

  #replace(objects: Map<string, T>, resourceVersion: string): void {
    this.#options.sink.take({ type: "replace", objects, resourceVersion });
    this.#version = resourceVersion;
    this.#versionUnavailable = false;
    this.#skipped = false;
    this.#lost = undefined;
    this.#succeeded();
    this.#options.log.verbose(2, "Caches populated", { objects: objects.size, resourceVersion });
  }

  async #watch(open: WatchStream<T> | undefined, signal: AbortSignal): Promise<State<T>> {
    if (open === undefined && this.#lost !== undefined) return this.#pause("empty", this.#lost);
    const stream = open ?? this.#open(atVersion(this.#version), signal);
    // From no version, the server first sends what exists, in no order: only later versions say what was seen.
    let ordered = open !== undefined || (this.#version !== "" && this.#version !== "0");
    try {
      for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
        ordered ||= event.type !== "ADDED";
        this.#follow(event, ordered);
        const pause = this.#options.sink.room() ?? this.#turn.step();
        if (pause !== undefined) await pause;
        if (signal.aborted) break;
      }
    } catch (error) {
      signal.throwIfAborted();
      return this.#withoutGap(this.#afterWatchFailure(error, stream));
    } finally {
      await stream.close();
    }
    if (stream.events === 0 && this.#young(stream)) return this.#pause("empty", new ShortWatchError());
    // A server without a watch cache sends no bookmarks: of a quiet resource the end of a watch is the only sign of life.
    this.#succeeded();
    this.#meetsUnreadable = this.#skipped;
    return this.#withoutGap({ name: "watching", stream: undefined });
  }

  /**
   * The first event that cannot be read ends the watch, and a list tells what it would have told; in the initial events,
   * each does, for without it the sink would lack an object. Where the list does not end it, those that follow are
   * skipped until the watch ends: otherwise one object that is changed all the time would have everything listed as often.
   */
  #unreadable(error: unknown): void {
    if (this.#state.name !== "watching" || !this.#meetsUnreadable) {
      this.#meetsUnreadable = true;
      throw error;
    }
    this.#skipped = true;
    this.#options.log.error(error, "An event that cannot be read was skipped");
  }

  /** Skipped events are missing until the watch ends: then everything is read anew. */
  #withoutGap(state: State<T>): State<T> {
    if (!this.#skipped) return state;
    if (state.name === "watching") return { name: "empty" };
    return state.name === "pausing" ? { ...state, next: "empty" } : state;
  }

  #follow(event: WatchEvent<T>, ordered: boolean): void {
    const { sink, keyOf } = this.#options;
    this.#succeeded();
    const version = event.object.metadata.resourceVersion ?? "";
    if (event.type === "BOOKMARK") sink.take({ type: "bookmark", resourceVersion: version });
    else {
      const object = this.#accept(event.object, event.exact);
      const type = event.type === "DELETED" ? "delete" : "set";
      if (object !== undefined) sink.take({ type, key: keyOf(object), object });
    }
    if (ordered && version !== "") this.#version = version;
  }

  /** An object that cannot be understood is left out with an error in the log: waiting for it would stop all others. */
  #accept(object: T, exact = false): T | undefined {
    try {
      return this.#options.transform(object, exact);
    } catch (error) {
      this.#options.log.error(error, "An object from the server was left out");
      return undefined;
    }
  }

  #afterWatchFailure(error: unknown, stream: WatchStream<T>): State<T> {
    if (isConnectionError(error) && !this.#young(stream)) {
      // Something between here and the server cuts watches now and then; if the server itself is gone, the next
      // attempt will tell.
      this.#options.log.verbose(1, "A watch broke off", { err: error });
      return { name: "watching", stream: undefined };
    }
    if (isExpired(error)) return this.#pause("empty", error);
    if (isTooLarge(error)) {
      this.#versionUnavailable = true;
      return this.#pause("empty", error);
    }
    return this.#pause(isPassing(error) || error instanceof WatchOverdueError ? "watching" : "empty", error);
  }

  /** Once more at once, for the newest state. If even that is refused, the server is not ready yet. */
  #withoutVersion(error: unknown, asked: string, name: "empty" | "listing"): State<T> {
    this.#versionUnavailable = true;
    return asked === "" ? this.#pause("empty", error) : { name };
  }

  #pause(next: "empty" | "watching", error: unknown): State<T> {
    // Older servers do not serve every kind: that is said once, however often it is asked.
    const isNotServedStill = isNotFound(error) && isNotFound(this.#lastError);
    this.#lastError = error;
    const { log } = this.#options;
    if (isExpired(error)) log.verbose(4, "The version is too old by now, listing anew");
    else if (isConnectionError(error)) log.warn("Lost the server", { err: error });
    else if (isNotServedStill) log.verbose(2, "Still not served", { err: error });
    else log.error(error, "Failed to watch");
    return { name: "pausing", next, leastMs: error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0 };
  }

  #young(stream: WatchStream<T>): boolean {
    return this.#options.clock.monotonicMs() - stream.openedMs < YOUNG_WATCH_MS;
  }

  #succeeded(): void {
    this.#heardMs = this.#options.clock.monotonicMs();
    this.#lastError = undefined;
  }

  #open(options: WatchOptions, signal: AbortSignal): WatchStream<T> {
    // Random, so that the watches of many informers do not all end at the same time.
    const timeoutSeconds = Math.floor(SHORTEST_WATCH_SECONDS * (1 + this.#options.random.next()));
    const onUnreadable = (error: unknown): void => this.#unreadable(error);
    const all = { ...options, timeoutSeconds, allowWatchBookmarks: true, onUnreadable };
    this.#stream = new WatchStream(this.#options.source, all, this.#options.clock, signal);
    return this.#stream;
  }
}

function atVersion(resourceVersion: string): { readonly resourceVersion?: string } {
  return resourceVersion === "" ? {} : { resourceVersion };
}

function endsInitialEvents({ metadata: { annotations } }: PartialObject): boolean {
  return isObject(annotations) && annotations[INITIAL_EVENTS_END] === "true";
}
