import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../log/logger.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { ApiSurface } from "./discovery-documents.ts";
import { DiscoveryFile } from "./discovery-file.ts";

const HOUR_MS = 3_600_000;
const pods = {
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  namespaced: true,
  verbs: ["get"],
  subresources: ["status"],
  shortNames: ["po"],
  categories: ["all"],
};
const surface: ApiSurface = {
  groups: [{ name: "", versions: ["v1"] }],
  resources: [pods],
  failures: new Map(),
};

let directory: string;
let clock: VirtualClock;
let warnings: string[];
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "discovery-")), "cache", "discovery");
  clock = new VirtualClock();
  warnings = [];
});
afterEach(async () => rm(join(directory, "../.."), { recursive: true, force: true }));

const fileOf = (server = "https://10.0.0.1:6443/", maxAgeMs?: number): DiscoveryFile =>
  new DiscoveryFile({
    directory,
    server: new URL(server),
    clock,
    log: { ...silentLogger, warn: (message) => void warnings.push(message) },
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  });
const path = (): string => join(directory, "10.0.0.1_6443_.json");

test("what was written is read, by another process too", async () => {
  expect(await fileOf().read()).toBeUndefined();
  await fileOf().write(surface);
  expect(await fileOf().read()).toEqual(surface);
  expect(warnings).toEqual([]);
});

test("it is for its owner alone, and nothing else is left in its place", async () => {
  await fileOf().write(surface);
  await fileOf().write(surface);
  expect(await readdir(directory)).toEqual(["10.0.0.1_6443_.json"]);
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
});

test("it is of use for six hours, or as long as is said", async () => {
  await fileOf().write(surface);
  await clock.advanceBy(6 * HOUR_MS);
  expect(await fileOf().read()).toEqual(surface);
  expect(await fileOf(undefined, HOUR_MS).read()).toBeUndefined();
  await clock.advanceBy(1_000);
  expect(await fileOf().read()).toBeUndefined();
});

test("one from time to come is of no use: its age is not known", async () => {
  await clock.advanceBy(HOUR_MS);
  await fileOf().write(surface);
  clock = new VirtualClock();
  expect(await fileOf().read()).toBeUndefined();
});

test("every server has its own, whose path may differ only", async () => {
  await fileOf("https://10.0.0.1:6443/k8s/a").write(surface);
  expect(await fileOf().read()).toBeUndefined();
  expect(await fileOf("https://10.0.0.1:6443/k8s_a").read()).toBeUndefined();
  expect(await fileOf("https://10.0.0.1:6443/k8s/a").read()).toEqual(surface);
});

test("what was learned in part is not kept", async () => {
  await fileOf().write({ ...surface, failures: new Map([["metrics.k8s.io/v1", new Error("stale")]]) });
  expect(await fileOf().read()).toBeUndefined();
});

describe("a file that is damaged is as none, and replaced", () => {
  const kept = { format: 1, server: "https://10.0.0.1:6443/", saved: "2000-01-01T00:00:00Z", groups: [] };
  test.each<[string, string]>([
    ["empty", ""],
    ["cut off", '{"format":1,"server":"https://10.0'],
    ["of zeros", "\0".repeat(64)],
    ["null", "null"],
    ["of another format", JSON.stringify({ ...kept, resources: [], format: 2 })],
    ["without resources", JSON.stringify(kept)],
    ["with a resource that is none", JSON.stringify({ ...kept, resources: [{ ...pods, kind: 1 }] })],
    ["with a group that is none", JSON.stringify({ ...kept, groups: [{ name: "" }], resources: [] })],
  ])("%s", async (_, text) => {
    await mkdir(directory, { recursive: true });
    await writeFile(path(), text);
    expect(await fileOf().read()).toBeUndefined();
    expect(warnings).toHaveLength(1);
    await fileOf().write(surface);
    expect(await fileOf().read()).toEqual(surface);
  });
});

test("whoever cannot write it works without, and says so", async () => {
  await mkdir(join(directory, ".."), { recursive: true });
  await writeFile(directory, "a file is in the way");
  await fileOf().write(surface);
  expect(await fileOf().read()).toBeUndefined();
  expect(warnings).toContain("What the server offers cannot be kept in a file");
});

test("many who write at once leave one whole file", async () => {
  await Promise.all(Array.from({ length: 20 }, async () => fileOf().write(surface)));
  expect(await readdir(directory)).toHaveLength(1);
  expect(await fileOf().read()).toEqual(surface);
  expect(JSON.parse(await readFile(path(), "utf8"))).toMatchObject({ format: 1 });
  expect(warnings).toEqual([]);
});
