// Which test files enter which blocks of pkg/ and controllers/: found by one run of all of them with probes planted, and
// kept for as long as the commit is the same.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Note } from "./note-reached.ts";
import { runTests } from "./plant.ts";

export interface TestFile {
  readonly path: string;
  readonly seconds: number;
}

export interface ProbeOptions {
  /** What vitest is told. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The test files that enter each block, those not that fail although nothing is planted. */
export async function testsByBlock(options: ProbeOptions): Promise<ReadonlyMap<string, readonly TestFile[]>> {
  const notes = await notesOf(options);
  const seconds = new Map<string, number>();
  for (const note of notes) seconds.set(note.test, note.seconds + (seconds.get(note.test) ?? 0));
  const failed = new Set(notes.flatMap(({ test, failed: isFailed }) => (isFailed ? [test] : [])));
  for (const path of failed) console.log(`fails although nothing is planted, and is left out: ${path}`);
  const blocks = new Map<string, Map<string, TestFile>>();
  for (const { test, reached } of notes) {
    if (failed.has(test)) continue;
    const file = { path: test, seconds: seconds.get(test) ?? 0 };
    for (const block of reached) {
      const files = blocks.get(block);
      if (files === undefined) blocks.set(block, new Map([[test, file]]));
      else files.set(test, file);
    }
  }
  return new Map([...blocks].map(([block, files]) => [block, [...files.values()]]));
}

async function notesOf({ args, env }: ProbeOptions): Promise<readonly Note[]> {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  const directory = resolve(".cache/reached", commit);
  if (!existsSync(directory)) {
    const unfinished = `${directory}.part`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    console.log("All tests run once, to see what each of them reaches.");
    const probes = { ...env, PROBES: unfinished };
    const { output } = await runTests({ edits: [], args, env: probes });
    console.log(output.trim().slice(-300));
    renameSync(unfinished, directory);
  }
  return readdirSync(directory).map(
    (name) => JSON.parse(readFileSync(join(directory, name), "utf8")) as Note,
  );
}
