import type { Predicate } from "./predicates.ts";

export interface ControllerOptions {
  /** How many objects are reconciled at a time: 4. */
  readonly workers?: number;
  /** Changes within so long are looked at together: 0. */
  readonly debounceMs?: number;
  /** How long one reconcile may take: no limit. */
  readonly timeoutMs?: number;
  /** How often every object is reconciled although nothing has changed: never. */
  readonly resyncMs?: number;
  /** After so many failures in a row an object waits for its next change: it is tried again for ever. */
  readonly maxRetries?: number;
  /** Which updates of an object wake it: all. */
  readonly where?: Predicate;
  /** Of its objects only those with such labels are read: all. What has them no longer counts as gone. */
  readonly labelSelector?: string;
  /** Nothing of other namespaces is read: those of the manager, or all. */
  readonly namespaces?: readonly string[];
  /** How long caches may take to fill: two minutes. */
  readonly syncTimeoutMs?: number;
}

export const DEFAULT_WORKERS = 4;
export const DEFAULT_SYNC_TIMEOUT_MS = 120_000;
