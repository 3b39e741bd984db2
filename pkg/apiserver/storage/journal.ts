import type { ApiObject } from "../../api/object.ts";

/** Where a store writes its changes before it takes them into memory, and what it starts from. */
export interface Journal {
  /** Hands over everything written before, in order; called once, before the first append. */
  replay(target: ReplayTarget): void;
  /** Returns once the operating system has the record: it survives the end of this process. */
  appendPut(bucket: string, key: string, object: ApiObject, revision: number): void;
  appendRemoval(bucket: string, key: string, revision: number): void;
  snapshotDue(): boolean;
  /** Begins to write the whole state in the background; appends go on meanwhile. */
  startSnapshot(buckets: readonly [string, ReadonlyMap<string, ApiObject>][], revision: number): void;
  close(): Promise<void>;
}

export interface ReplayTarget {
  put(bucket: string, key: string, object: ApiObject, revision: number): void;
  remove(bucket: string, key: string, revision: number): void;
  /** The state so far is that of a snapshot at `revision`: there is no history before it. */
  reset(revision: number): void;
}
