import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";

/** What a test file has entered, or a program that it started. */
export interface Note {
  readonly test: string;
  readonly failed: boolean;
  readonly seconds: number;
  readonly reached: readonly string[];
}

/** Written once more whenever there is more to say. */
export function noteReached(note: Omit<Note, "reached">): void {
  const reached = Object.keys(globalThis.reached ?? {});
  const path = join(process.env["PROBES"] as string, `${process.pid}-${threadId}.json`);
  writeFileSync(path, JSON.stringify({ ...note, reached }));
}
