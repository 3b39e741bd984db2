import { AsyncLocalStorage } from "node:async_hooks";
import type { LogFields, Logger } from "../log/logger.ts";
import type { Reason } from "./reasons.ts";
import type { Sync } from "./sync.ts";

const NONE: readonly never[] = Object.freeze([]);
/** Of one sync, as of a namespace's deletion, which writes thousands of times. */
const MOST_NOTES = 20;
const LONGEST_NOTE = 300;
const DECISION_VERBOSITY = 2;

/** A request that changes something. */
export interface Write {
  readonly method: string;
  readonly path: string;
}

/** What a sync has decided. As nobody may ever ask, it is written out only for who does, unless it is large. */
export type Decision = string | { readonly what: string; readonly why: LogFields };

export interface SyncRunOptions<K> {
  readonly key: K;
  readonly reasons: readonly Reason[];
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Whether what is decided and written is noted for a history. */
  readonly noted: boolean;
}

/** A sync under way, with what it has decided and written so far. */
export class SyncRun<K> implements Sync<K> {
  readonly key: K;
  readonly reasons: readonly Reason[];
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Set where the key names an object; a field of every run, so that all have the same shape. */
  readonly owner: unknown = undefined;
  readonly #noted: boolean;
  #decisions: Decision[] | undefined;
  #writes: string[] | undefined;
  #moreWrites = 0;

  constructor({ key, reasons, log, signal, noted }: SyncRunOptions<K>) {
    this.key = key;
    this.reasons = reasons;
    this.log = log;
    this.signal = signal;
    this.#noted = noted;
  }

  decided(what: string, why: LogFields = {}): void {
    this.log.verbose(DECISION_VERBOSITY, what, why);
    if (!this.#noted) return;
    this.#decisions ??= [];
    if (this.#decisions.length < MOST_NOTES) this.#decisions.push(decisionOf(what, why));
  }

  wrote({ method, path }: Write, outcome: string): void {
    this.#writes ??= [];
    if (this.#writes.length < MOST_NOTES) this.#writes.push(`${method} ${path}${outcome}`);
    else this.#moreWrites++;
  }

  get decisions(): readonly Decision[] {
    return this.#decisions ?? NONE;
  }

  get writes(): readonly string[] {
    if (this.#moreWrites === 0) return this.#writes ?? NONE;
    return [...(this.#writes ?? []), `and ${this.#moreWrites} more`];
  }
}

const current = new AsyncLocalStorage<SyncRun<unknown>>();

/** What is written while the sync goes on, by whatever it calls and waits for, is noted by the run. */
export async function within<K, T>(run: SyncRun<K>, sync: (run: SyncRun<K>) => Promise<T>): Promise<T> {
  return current.run(run, sync, run);
}

/** Notes a write of the sync that is going on here, and what has come of it; outside of one it does nothing. */
export function noteWrite(write: Write, outcome: string): void {
  current.getStore()?.wrote(write, outcome);
}

/** Whether somebody would note a write. */
export function isWithinSync(): boolean {
  return current.getStore() !== undefined;
}

/** Only what is small is kept as it is. */
function decisionOf(what: string, why: LogFields): Decision {
  for (const name in why) {
    const value = why[name];
    const isLong = typeof value === "string" && value.length > LONGEST_NOTE;
    if (isLong || (typeof value === "object" && value !== null)) return noteOf(what, why);
  }
  return { what, why };
}

/** As a line: "Too few count=3". */
export function describeDecision(decision: Decision): string {
  return typeof decision === "string" ? decision : noteOf(decision.what, decision.why);
}

function noteOf(what: string, why: LogFields): string {
  const fields = Object.entries(why).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const note = [what, ...fields].join(" ");
  return note.length <= LONGEST_NOTE ? note : `${note.slice(0, LONGEST_NOTE - 1)}…`;
}
