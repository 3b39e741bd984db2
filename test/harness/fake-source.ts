import type { ApiObject, ListMeta, Stored, WatchEvent } from "../../pkg/api/object.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { ListWatch } from "../../pkg/cache/feed/list-watch.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import type { ListOptions, WatchOptions } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { asStored } from "./stored.ts";

export type FakeRequest =
  | ({ readonly verb: "list" } & ListOptions)
  | ({ readonly verb: "watch" } & WatchOptions);

interface Connection<T> {
  readonly queue: WatchEvent<T>[];
  /** Ends the watch, with the error or in an orderly way. */
  readonly end: (error?: unknown) => void;
  readonly wake: () => void;
}

const REQUEST = { method: "GET", path: "/api/v1/things" } as const;

export const expired = (): ApiError =>
  new ApiError("too old resource version", { ...REQUEST, code: 410, reason: "Expired" });
export const tooLarge = (): ApiError =>
  new ApiError("too large resource version", {
    ...REQUEST,
    code: 504,
    reason: "Timeout",
    details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
  });
export const busy = (): ApiError =>
  new ApiError("try later", { ...REQUEST, code: 429, reason: "TooManyRequests" });
export const broken = (): ApiError => new ApiError("no", { ...REQUEST, code: 500, reason: "InternalError" });
export const refused = (): ApiError =>
  new ApiError("connection refused", { ...REQUEST, code: 0, reason: "", failure: "refused" });
export const lost = (): ApiError =>
  new ApiError("reset", { ...REQUEST, code: 0, reason: "", failure: "lost" });
const malformed = (): ApiError =>
  new ApiError("broken JSON", { ...REQUEST, code: 0, reason: "", failure: "malformed" });
const invalid = (): ApiError => new ApiError("no streams", { ...REQUEST, code: 422, reason: "Invalid" });

/**
 * One resource on an API server, in memory: versions, history, watches, and whatever can go wrong with them. Objects
 * are copied on their way in and out, as they would be on the wire.
 */
export class FakeSource<T extends ApiObject> implements ListWatch<Stored<T>> {
  readonly requests: FakeRequest[] = [];
  /** Whether lists can be had as streams of events. */
  streams = true;
  /** How many events from before the version that it asked for the next watch gets once more. */
  replayed = 0;
  /** Events of these objects cannot be read, though lists can. */
  readonly unreadable = new Set<string>();
  /** The next requests fail with these, in order; undefined lets one through. */
  readonly failures: (Error | undefined)[] = [];
  readonly #clock: Clock;
  readonly #objects = new Map<string, Stored<T>>();
  #history: WatchEvent<Stored<T>>[] = [];
  #version: number;
  #compacted = 0;
  readonly #connections = new Set<Connection<Stored<T>>>();

  constructor(clock: Clock, firstVersion = 1) {
    this.#clock = clock;
    this.#version = firstVersion;
  }

  get version(): string {
    return String(this.#version);
  }

  get openWatches(): number {
    return this.#connections.size;
  }

  get objects(): readonly Stored<T>[] {
    return [...this.#objects.values()];
  }

  /** Creates or updates. */
  put(object: T): Stored<T> {
    const key = keyOf(object);
    const type = this.#objects.has(key) ? "MODIFIED" : "ADDED";
    const stored = this.#versioned(object);
    this.#objects.set(key, stored);
    this.#record({ type, object: stored });
    return stored;
  }

  remove(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    this.#record({ type: "DELETED", object: this.#versioned(object) });
  }

  /** Tells all watches the version, without an event. */
  bookmark(): void {
    this.#record({ type: "BOOKMARK", object: { metadata: { resourceVersion: this.version } } as Stored<T> });
  }

  /** History is forgotten: watches from before now get 410. */
  compact(): void {
    this.#compacted = this.#version;
    this.#history = [];
  }

  /** All open watches end, with the error or in an orderly way. */
  endWatches(error?: Error): void {
    for (const connection of this.#connections) connection.end(error);
  }

  async listEach(
    options: ListOptions,
    onItem: (item: Stored<T>) => void,
    signal?: AbortSignal,
  ): Promise<ListMeta> {
    this.requests.push({ verb: "list", ...options });
    await this.#clock.turn();
    signal?.throwIfAborted();
    this.#failMaybe();
    if (Number(options.resourceVersion ?? 0) > this.#version) throw tooLarge();
    const [offset = 0, at = this.#version] = options.continue?.split("@").map(Number) ?? [];
    if (at < this.#compacted) throw expired();
    const all = this.objects;
    const end =
      options.limit === undefined || options.resourceVersion === "0" ? all.length : offset + options.limit;
    for (const object of all.slice(offset, end)) onItem(structuredClone(object));
    const more = end < all.length ? { continue: `${end}@${at}` } : {};
    return { resourceVersion: String(at), ...more };
  }

  async *watch(
    options: WatchOptions,
    signal?: AbortSignal,
  ): AsyncGenerator<WatchEvent<Stored<T>>, void, undefined> {
    this.requests.push({ verb: "watch", ...options });
    await this.#clock.turn();
    signal?.throwIfAborted();
    this.#failMaybe();
    if (options.sendInitialEvents === true && !this.streams) throw invalid();
    const since = Number(options.resourceVersion ?? 0);
    if (since > this.#version) throw tooLarge();
    const initial = options.sendInitialEvents === true || since === 0;
    if (!initial && since < this.#compacted) throw expired();
    const backlog = initial
      ? this.#initialEvents(options.sendInitialEvents === true)
      : this.#eventsAfter(since);
    yield* this.#deliver(backlog, options, signal);
  }

  #eventsAfter(since: number): WatchEvent<Stored<T>>[] {
    const first = this.#history.findIndex(({ object }) => Number(object.metadata.resourceVersion) > since);
    const from = (first < 0 ? this.#history.length : first) - this.replayed;
    this.replayed = 0;
    return this.#history.slice(Math.max(0, from));
  }

  #initialEvents(endMark: boolean): WatchEvent<Stored<T>>[] {
    const events: WatchEvent<Stored<T>>[] = this.objects.map((object) => ({ type: "ADDED", object }));
    const annotations = { "k8s.io/initial-events-end": "true" };
    const mark = { metadata: { resourceVersion: this.version, annotations } } as unknown as Stored<T>;
    return endMark ? [...events, { type: "BOOKMARK", object: mark }] : events;
  }

  /** The backlog, and then what is recorded while the watch is open. */
  async *#deliver(
    backlog: WatchEvent<Stored<T>>[],
    options: WatchOptions,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<WatchEvent<Stored<T>>, void, undefined> {
    let ended: { readonly error: unknown } | undefined;
    let wake = (): void => undefined;
    const end = (error?: unknown): void => {
      ended ??= { error };
      wake();
    };
    const connection = { end, wake: () => wake(), queue: backlog };
    const onAbort = (): void => end(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer = this.#clock.setTimer((options.timeoutSeconds ?? 1_800) * 1_000, () => end());
    this.#connections.add(connection);
    try {
      for (;;) {
        if (ended !== undefined) {
          if (ended.error !== undefined) throw ended.error as Error;
          return;
        }
        const event = backlog.shift();
        if (event !== undefined && this.unreadable.size > 0 && this.unreadable.has(keyOf(event.object)))
          unread(options);
        else if (event !== undefined) yield structuredClone(event);
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      timer.cancel();
      signal?.removeEventListener("abort", onAbort);
      this.#connections.delete(connection);
    }
  }

  #record(event: WatchEvent<Stored<T>>): void {
    if (event.type !== "BOOKMARK") this.#history.push(event);
    for (const connection of this.#connections) {
      connection.queue.push(event);
      connection.wake();
    }
  }

  #versioned(object: T): Stored<T> {
    this.#version++;
    const metadata = { ...object.metadata, resourceVersion: this.version };
    return asStored(structuredClone({ ...object, metadata }));
  }

  #failMaybe(): void {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}

function unread({ onUnreadable }: WatchOptions): void {
  if (onUnreadable === undefined) throw malformed();
  onUnreadable(malformed());
}
