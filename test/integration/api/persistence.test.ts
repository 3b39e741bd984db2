import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realClock } from "../../../pkg/clock/real.ts";
import { persistentStore } from "../../../pkg/embedded/storage/persistent-store.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kcm-store-"));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

/** Kills a writing process with SIGKILL once it has said this many revisions; returns the last one that it said. */
async function writeAndKill(count: number): Promise<number> {
  const script = fileURLToPath(import.meta.resolve("./write-until-killed.ts"));
  const child = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (output.split("\n").length > count) child.kill("SIGKILL");
  });
  await once(child, "close");
  return Number(output.trimEnd().split("\n").at(-1));
}

test("every write that a killed process told of is there again, more than once", async () => {
  let before = 1;
  for (let round = 0; round < 2; round++) {
    const told = await writeAndKill(500);
    expect(told).toBeGreaterThan(before + 400);
    const store = persistentStore(directory, realClock);
    expect(store.revision).toBeGreaterThanOrEqual(told);
    expect(store.count("things")).toBe(100);
    before = store.revision;
    await store.close();
  }
});

test("a directory that cannot be used is one clear line", async () => {
  const file = join(directory, "file");
  await writeFile(file, "");
  expect(() => persistentStore(file, realClock)).toThrow(/^data directory .*file: [^\n]+$/);
  await writeFile(join(directory, "log-0000000000000000"), "this is not what was written here, by far");
  expect(() => persistentStore(directory, realClock)).toThrow(
    /^data directory .*: log-0000000000000000 is corrupt \(header checksum mismatch at byte 0\)/,
  );
  expect((await readdir(directory)).sort()).toEqual(["file", "log-0000000000000000"]);
});
