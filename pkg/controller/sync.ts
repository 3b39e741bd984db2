import type { PartialObject, Stored } from "../api/object.ts";
import type { LogFields, Logger } from "../log/logger.ts";
import type { Reason } from "./reasons.ts";

/** All that one sync is given. */
export interface Sync<K = string> {
  readonly key: K;
  /** What has woken the key since its last sync began, the first of it. Empty for a retry, or when its time has come. */
  readonly reasons: readonly Reason[];
  /** Its lines name the key and this run. */
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Puts a decision and its reasons into the log and into the history of the controller. */
  decided(what: string, why?: LogFields): void;
}

/** The sync of a key that names an object, with that object as the cache has it. */
export interface OwnerSync<T extends PartialObject> extends Sync {
  readonly owner: Stored<T>;
}

export interface SyncResult {
  /** Sync again after this long although nothing failed; 0 means at once. */
  readonly requeueAfterMs?: number;
  /** Sync again after the delay of a failure, which grows: what was missing is not the fault of anybody. */
  readonly backOff?: true;
}

/** Brings the world one step closer to what the object says. */
export type SyncFunction<K> = (sync: Sync<K>) => Promise<SyncResult>;
