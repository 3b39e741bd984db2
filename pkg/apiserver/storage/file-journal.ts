import type { ApiObject } from "../../api/object.ts";
import { parseJson } from "../../api/wire-json.ts";
import type { Clock } from "../../clock/clock.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import type { Journal, ReplayTarget } from "./journal.ts";
import type { AppendFile, JournalFiles } from "./journal-files.ts";
import { CorruptRecordError, encodeRecord, readRecords } from "./records.ts";

/** The directory cannot be used; the message is one line for whoever starts the server. */
export class DataDirectoryError extends Error {
  readonly code = "DataDirectory";
  constructor(directory: string, why: string, cause?: unknown) {
    super(`data directory ${directory}: ${why}`, { cause });
    this.name = "DataDirectoryError";
  }
}

export interface FileJournalOptions {
  readonly files: JournalFiles;
  readonly clock: Clock;
  readonly log?: Logger;
  /** A snapshot replaces the log when that is longer. */
  readonly snapshotBytes?: number;
  /** Wait for the disk at every write: survives the end of the machine, not only that of the process. */
  readonly sync?: boolean;
}

/** A change, as its record in the log has it; without `o` it is a removal. */
interface Change {
  readonly r: number;
  readonly b: string;
  readonly k: string;
  readonly o?: ApiObject;
}

const logName = /^log-(\d{16})$/;
const snapshotName = /^snapshot-(\d{16})$/;
const unfinished = "snapshot.tmp";
const objectsPerTurn = 200;

/**
 * A write-ahead log and snapshots. `log-N` holds the changes after revision N; `snapshot-N` the state at N, which makes
 * all older files superfluous. A snapshot gets its name once it is complete.
 */
export class FileJournal implements Journal {
  readonly #files: JournalFiles;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #snapshotBytes: number;
  readonly #sync: boolean;
  #file: AppendFile | undefined;
  #fileName = "";
  #length = 0;
  #snapshot: Promise<void> | undefined;
  #broken: unknown;

  constructor(options: FileJournalOptions) {
    this.#files = options.files;
    this.#clock = options.clock;
    this.#log = options.log ?? silentLogger;
    this.#snapshotBytes = options.snapshotBytes ?? 64 * 1024 * 1024;
    this.#sync = options.sync ?? false;
  }

  replay(target: ReplayTarget): void {
    const names = this.#files.list();
    if (names.includes(unfinished)) this.#files.remove(unfinished);
    const snapshot = revisionsOf(names, snapshotName).at(-1) ?? 0;
    if (snapshot > 0) this.#replaySnapshot(fileName("snapshot", snapshot), snapshot, target);
    const logs = revisionsOf(names, logName).filter((start) => start >= snapshot);
    let revision = snapshot;
    for (const start of logs) {
      if (start > 0 && revision !== start)
        throw this.#error(`there are no changes between revisions ${revision} and ${start}`);
      revision = this.#replayLog(start, revision, start === logs.at(-1), target);
    }
    this.#removeOlderThan(snapshot);
    this.#openLog(logs.at(-1) ?? snapshot);
  }

  appendPut(bucket: string, key: string, object: ApiObject, revision: number): void {
    this.#append({ r: revision, b: bucket, k: key, o: object });
  }

  appendRemoval(bucket: string, key: string, revision: number): void {
    this.#append({ r: revision, b: bucket, k: key });
  }

  snapshotDue(): boolean {
    return this.#length >= this.#snapshotBytes && this.#snapshot === undefined;
  }

  startSnapshot(buckets: readonly [string, ReadonlyMap<string, ApiObject>][], revision: number): void {
    this.#file?.close();
    this.#openLog(revision);
    this.#snapshot = this.#writeSnapshot(buckets, revision)
      .catch((error: unknown) => this.#log.error(error, "writing a snapshot failed; the log goes on growing"))
      .finally(() => {
        this.#snapshot = undefined;
      });
  }

  async close(): Promise<void> {
    await this.#snapshot;
    this.#file?.sync();
    this.#file?.close();
    this.#file = undefined;
  }

  #append(change: Change): void {
    if (this.#broken !== undefined) throw this.#error("an earlier write failed", this.#broken);
    if (this.#file === undefined) throw this.#error("it is closed");
    const record = encodeRecord(JSON.stringify(change));
    try {
      this.#file.write(record);
      if (this.#sync) this.#file.sync();
    } catch (error) {
      this.#takeBack(error);
      throw this.#error(`cannot write: ${(error as Error).message}`, error);
    }
    this.#length += record.length;
  }

  /** Half a record in the middle would make the file unreadable: cut it off, or take no more writes at all. */
  #takeBack(cause: unknown): void {
    try {
      this.#files.truncate(this.#fileName, this.#length);
    } catch (error) {
      this.#log.error(error, "cannot cut a failed write off the log");
      this.#broken = cause;
    }
  }

  #openLog(start: number): void {
    this.#fileName = fileName("log", start);
    this.#length = this.#files.list().includes(this.#fileName) ? this.#files.read(this.#fileName).length : 0;
    this.#file = this.#files.open(this.#fileName);
  }

  #replaySnapshot(name: string, revision: number, target: ReplayTarget): void {
    const { texts } = this.#read(name);
    const count = (parseJson(texts.at(-1) ?? "{}") as { readonly count?: number }).count;
    if (count !== texts.length - 1) throw this.#error(`${name} is incomplete`);
    for (const text of texts.slice(0, -1)) {
      const { r, b, k, o } = parseJson(text) as Change;
      if (o !== undefined) target.put(b, k, o, r);
    }
    target.reset(revision);
  }

  /** Returns the newest revision in the log. */
  #replayLog(start: number, from: number, isLast: boolean, target: ReplayTarget): number {
    const name = fileName("log", start);
    const { texts, end, length } = this.#read(name);
    if (end < length) {
      if (!isLast) throw this.#error(`${name} ends in the middle of a record at byte ${end}`);
      this.#log.warn("the last write did not complete before the process ended; it is dropped", {
        name,
        end,
      });
      this.#files.truncate(name, end);
    }
    let revision = from;
    for (const text of texts) {
      const { r, b, k, o } = parseJson(text) as Change;
      if (revision > 0 && r !== revision + 1)
        throw this.#error(`${name} goes from revision ${revision} to ${r}`);
      revision = r;
      if (o === undefined) target.remove(b, k, r);
      else target.put(b, k, o, r);
    }
    return revision;
  }

  #read(name: string): { readonly texts: readonly string[]; readonly end: number; readonly length: number } {
    const bytes = this.#files.read(name);
    try {
      return { ...readRecords(bytes), length: bytes.length };
    } catch (error) {
      if (error instanceof CorruptRecordError)
        throw this.#error(
          `${name} is corrupt (${error.message}); restore it from a copy, or start with an empty directory`,
          error,
        );
      throw error;
    }
  }

  async #writeSnapshot(
    buckets: readonly [string, ReadonlyMap<string, ApiObject>][],
    revision: number,
  ): Promise<void> {
    const file = this.#files.open(unfinished);
    let count = 0;
    try {
      for (const [bucket, objects] of buckets) {
        for (const [key, object] of objects) {
          const change: Change = { r: Number(object.metadata.resourceVersion), b: bucket, k: key, o: object };
          file.write(encodeRecord(JSON.stringify(change)));
          count++;
          if (count % objectsPerTurn === 0) await this.#clock.turn();
        }
      }
      file.write(encodeRecord(JSON.stringify({ count })));
      file.sync();
    } finally {
      file.close();
    }
    this.#files.rename(unfinished, fileName("snapshot", revision));
    this.#removeOlderThan(revision);
  }

  #removeOlderThan(revision: number): void {
    for (const name of this.#files.list()) {
      const start = revisionIn(name, logName) ?? revisionIn(name, snapshotName);
      if (start !== undefined && start < revision) this.#files.remove(name);
    }
  }

  #error(why: string, cause?: unknown): DataDirectoryError {
    return new DataDirectoryError(this.#files.directory, why, cause);
  }
}

function fileName(kind: "log" | "snapshot", revision: number): string {
  return `${kind}-${String(revision).padStart(16, "0")}`;
}

function revisionIn(name: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function revisionsOf(names: readonly string[], pattern: RegExp): readonly number[] {
  return names
    .map((name) => revisionIn(name, pattern))
    .filter((revision) => revision !== undefined)
    .sort((a, b) => a - b);
}
