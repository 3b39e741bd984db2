import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostPaths } from "./host-paths.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "kcm-host-paths-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("a directory is made with those that it is in, closed to strangers, and removed with what is in it", async () => {
  const path = join(directory, "pv", "one");
  await hostPaths.make(path);
  expect(statSync(path).mode & 0o027).toBe(0);
  writeFileSync(join(path, "data"), "data");
  await hostPaths.remove(path);
  expect(existsSync(path)).toBe(false);
  expect(existsSync(join(directory, "pv"))).toBe(true);
});

test("what is there is made, and what is not there is removed without failure", async () => {
  await hostPaths.make(directory);
  await hostPaths.remove(join(directory, "none"));
  expect(existsSync(directory)).toBe(true);
});
