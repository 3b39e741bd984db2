import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { parseJson } from "../../../pkg/api/wire-json.ts";
import { makeDirectory } from "./make-directory.ts";

export interface Holder {
  readonly processId: number;
  readonly host: string;
}

const LOCK = "lock.sqlite";
const HOLDER = "lock.json";
const SQLITE_BUSY = 5;
/** Whoever only looks whether the lock is taken is in the way for much less. */
const TAKE_LIMIT_MS = 1_000;

/**
 * A directory that one process at a time uses. SQLite is here for the locks that it has from the kernel, which lets go of
 * them when the holder ends, however that comes about: nothing is left behind that could be mistaken for a holder. The
 * file is never removed, as others may be about to lock it.
 */
export class DirectoryLock {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Undefined when another process has it. Makes the directory, for its owner alone. */
  static take(directory: string): DirectoryLock | undefined {
    makeDirectory(directory, 0o700);
    const database = openDatabase(join(directory, LOCK), { timeout: TAKE_LIMIT_MS });
    try {
      database.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    const holder: Holder = { processId: process.pid, host: hostname() };
    writeFileSync(join(directory, HOLDER), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    return new DirectoryLock(database);
  }

  static isTaken(directory: string): boolean {
    const path = join(directory, LOCK);
    if (!existsSync(path)) return false;
    const database = openDatabase(path, { readOnly: true });
    try {
      database.prepare("SELECT 1 FROM sqlite_schema").get();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    } finally {
      database.close();
    }
  }

  release(): void {
    this.#database.close();
  }
}

/** Who took the lock last; undefined when nobody has, or has come no further yet. */
export function lastHolder(directory: string): Holder | undefined {
  const path = join(directory, HOLDER);
  if (!existsSync(path)) return undefined;
  try {
    return parseJson(readFileSync(path, "utf8")) as Holder;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** For messages: "process 7", or "process 7 on HOST" where that is another one. */
export function describeHolder(holder: Holder | undefined): string {
  if (holder === undefined) return "another process";
  const { processId, host } = holder;
  return host === hostname() ? `process ${processId}` : `process ${processId} on ${host}`;
}

/** Asked for when it is needed: an import would end the program on an old Node.js before it can say that it is too old. */
function openDatabase(path: string, options: DatabaseSyncOptions): DatabaseSync {
  const sqlite = withoutWarnings(() => process.getBuiltinModule("node:sqlite"));
  return new sqlite.DatabaseSync(path, options);
}

/** Node.js 22 warns of SQLite being an experiment, which is no news to whoever starts a cluster. */
function withoutWarnings<T>(look: () => T): T {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return look();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isBusy(error: unknown): boolean {
  return (error as { readonly errcode?: number }).errcode === SQLITE_BUSY;
}
