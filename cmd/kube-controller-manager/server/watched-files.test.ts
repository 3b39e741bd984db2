import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Logger, silentLogger } from "../../../pkg/log/logger.ts";
import { VirtualClock } from "../../../pkg/testing/virtual-clock.ts";
import { type WatchedFiles, watchFiles } from "./watched-files.ts";

let directory = "";
let watched: WatchedFiles | undefined;
const clock = new VirtualClock();
const errors: unknown[] = [];
const log: Logger = { ...silentLogger, error: (error) => void errors.push(error) };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "watched-"));
  errors.length = 0;
});
afterEach(async () => {
  watched?.stop();
  await rm(directory, { recursive: true });
});

/** A round ends when its timer is armed again, which takes real reads in between. */
async function nextRound(): Promise<void> {
  await clock.advanceBy(10_000);
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(1), { timeout: 60_000 });
}

test("changed files are applied together, unchanged ones are not; what cannot be used is tried again", async () => {
  const [a, b] = [join(directory, "a"), join(directory, "b")];
  await writeFile(a, "1");
  await writeFile(b, "1");
  const applied: string[] = [];
  const apply = (contents: readonly Buffer[]): void => {
    if (String(contents[0]) !== String(contents[1])) throw new Error("the halves differ");
    applied.push(contents.join("|"));
  };
  watched = watchFiles([a, b], [Buffer.from("1"), Buffer.from("1")], apply, { clock, log });

  await nextRound();
  expect(applied).toEqual([]);
  await writeFile(a, "2");
  await nextRound();
  expect(String(errors)).toContain("the halves differ");
  await writeFile(b, "2");
  await nextRound();
  expect(applied).toEqual(["2|2"]);
});

test("a missing file is complained of once and picked up when it is back", async () => {
  const path = join(directory, "ca");
  await writeFile(path, "1");
  const applied: string[] = [];
  const apply = ([content]: readonly Buffer[]): void => void applied.push(String(content));
  watched = watchFiles([path], [Buffer.from("1")], apply, { clock, log });
  await rename(path, `${path}.away`);
  await nextRound();
  await nextRound();
  expect(errors.length).toBe(1);
  await writeFile(path, "3");
  await nextRound();
  expect(applied).toEqual(["3"]);
});
