import type { Clock } from "../../clock/clock.ts";
import { sleep } from "../../clock/wait.ts";
import type { WatchFrame } from "./request.ts";
import type { StatusError } from "./status-error.ts";
import type { WatchStream } from "./watch-stream.ts";

/** Which requests a fault is for; what is left out matches all. */
export interface FaultTarget {
  readonly verb?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly username?: string;
}

export type FaultAction =
  | { readonly kind: "latency"; readonly ms: number }
  /** `after`: the write takes effect, and its client hears of a failure all the same. */
  | { readonly kind: "status"; readonly when: "before" | "after"; readonly error: StatusError }
  /** No answer at all, as when the connection breaks. `refused`: as if nobody listened where the server should be. */
  | { readonly kind: "disconnect"; readonly when: "refused" | "before" | "after" }
  /** Runs between the read and the write of a request: another client that gets in between. */
  | { readonly kind: "interfere"; readonly run: () => Promise<void> | void };

export interface FaultRule {
  readonly target: FaultTarget;
  readonly action: FaultAction;
  /** How often; for ever when left out. */
  readonly times?: number;
}

/** How far the server got: it was not there, it took no notice of the request, or it may have acted on it. */
export type Disconnection = "refused" | "ignored" | "acted";

/** No answer: whoever carries the request breaks its client's connection. */
export class DisconnectError extends Error {
  readonly code = "Disconnected";
  readonly disconnection: Disconnection;
  constructor(disconnection: Disconnection) {
    super("the connection was closed before an answer came");
    this.name = "DisconnectError";
    this.disconnection = disconnection;
  }
}

/** What a fault sees of a request. */
export interface FaultSubject {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly username: string;
}

interface ArmedRule {
  readonly rule: FaultRule;
  left: number;
}

interface OpenWatch {
  readonly stream: WatchStream;
  readonly subject: FaultSubject;
  held: WatchFrame[] | undefined;
}

/** Faults on demand, for tests and the simulator: nothing happens until a rule is added. */
export class Faults {
  readonly #clock: Clock;
  readonly #rules = new Set<ArmedRule>();
  readonly #watches = new Set<OpenWatch>();
  readonly #byStream = new Map<WatchStream, OpenWatch>();
  readonly #holds = new Set<FaultTarget>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the way to take the rule back. */
  add(rule: FaultRule): () => void {
    const armed = { rule, left: rule.times ?? Infinity };
    this.#rules.add(armed);
    return () => this.#rules.delete(armed);
  }

  /** Watches that are open now. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Cuts the watches that match, without a word. Returns how many there were. */
  dropWatches(target: FaultTarget = {}): number {
    const matching = [...this.#watches].filter(({ subject }) => matches(target, subject));
    for (const { stream } of matching) stream.end();
    return matching.length;
  }

  /** Events for matching watches wait until the hold is released: their caches grow stale. */
  holdWatches(target: FaultTarget = {}): () => void {
    this.#holds.add(target);
    for (const watch of this.#watches) this.#updateHold(watch);
    return () => {
      this.#holds.delete(target);
      for (const watch of this.#watches) this.#updateHold(watch);
    };
  }

  async before(subject: FaultSubject, signal?: AbortSignal): Promise<void> {
    for (const { action } of this.#take(subject, isBefore)) {
      if (action.kind === "latency") await sleep(this.#clock, action.ms, signal);
      else if (action.kind === "status") throw action.error;
      else if (action.kind === "disconnect")
        throw new DisconnectError(action.when === "refused" ? "refused" : "ignored");
    }
  }

  async beforeWrite(subject: FaultSubject): Promise<void> {
    if (this.#rules.size === 0) return;
    for (const { action } of this.#take(subject, isInterference)) {
      if (action.kind === "interfere") await action.run();
    }
  }

  after(subject: FaultSubject): void {
    for (const { action } of this.#take(subject, isAfter)) {
      if (action.kind === "status") throw action.error;
      throw new DisconnectError("acted");
    }
  }

  watchStarted(subject: FaultSubject, stream: WatchStream): void {
    const watch: OpenWatch = { stream, subject: { ...subject, verb: "watch" }, held: undefined };
    this.#watches.add(watch);
    this.#byStream.set(stream, watch);
    this.#updateHold(watch);
    stream.onEnd(() => {
      this.#watches.delete(watch);
      this.#byStream.delete(stream);
    });
  }

  deliver(frame: WatchFrame, stream: WatchStream): void {
    const held = this.#holds.size === 0 ? undefined : this.#byStream.get(stream)?.held;
    if (held === undefined) stream.push(frame);
    else held.push(frame);
  }

  /** Whether events are held up for watches like this one. */
  holds(subject: FaultSubject): boolean {
    return [...this.#holds].some((target) => matches(target, { ...subject, verb: "watch" }));
  }

  #updateHold(watch: OpenWatch): void {
    if (this.holds(watch.subject)) {
      watch.held ??= [];
      return;
    }
    for (const frame of watch.held ?? []) watch.stream.push(frame);
    watch.held = undefined;
  }

  #take(subject: FaultSubject, wanted: (action: FaultAction) => boolean): readonly FaultRule[] {
    const taken: FaultRule[] = [];
    for (const armed of this.#rules) {
      if (!wanted(armed.rule.action) || !matches(armed.rule.target, subject)) continue;
      armed.left--;
      if (armed.left <= 0) this.#rules.delete(armed);
      taken.push(armed.rule);
    }
    return taken;
  }
}

function isBefore(action: FaultAction): boolean {
  return action.kind === "latency" || (action.kind !== "interfere" && action.when !== "after");
}

function isAfter(action: FaultAction): boolean {
  return action.kind !== "latency" && action.kind !== "interfere" && action.when === "after";
}

function isInterference(action: FaultAction): boolean {
  return action.kind === "interfere";
}

function matches(target: FaultTarget, subject: FaultSubject): boolean {
  return (Object.keys(target) as (keyof FaultTarget)[]).every((key) => target[key] === subject[key]);
}
