import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ClaimedCluster, clusterHome, findCluster, findClusters, isClusterName } from "./cluster-home.ts";
import { clusterTable } from "./cluster-table.ts";
import { DirectoryLock, lastHolder } from "./directory-lock.ts";

const record = { url: "https://127.0.0.1:1", kubeconfig: "/k", startedAt: "2026-01-01T00:00:00Z" };
let home = "";

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "kcm-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test.each([
  ["a", true],
  ["a-1", true],
  ["a".repeat(40), true],
  ["a".repeat(41), false],
  ["", false],
  ["A", false],
  ["-a", false],
  ["a-", false],
  ["..", false],
  ["a/b", false],
])("%j is a name of a cluster: %s", (name, is) => {
  expect(isClusterName(name)).toBe(is);
});

test("clusters are at home where KCM_HOME says", () => {
  expect(clusterHome({ KCM_HOME: "/x" })).toBe("/x");
  expect(clusterHome({ KCM_HOME: "" })).toMatch(/\/\.kcm$/);
});

test("a cluster is starting, running, and gone", () => {
  expect(findClusters(join(home, "nowhere"))).toEqual([]);
  const claimed = ClaimedCluster.claim(home, "a");
  expect(findCluster(home, "a")).toBeUndefined();
  claimed.write({ ...record, url: "" });
  expect(findCluster(home, "a")?.state).toBe("starting");
  claimed.write(record);
  expect(findCluster(home, "a")).toMatchObject({
    name: "a",
    state: "running",
    record,
    holder: { processId: process.pid, host: hostname() },
  });
  expect(() => ClaimedCluster.claim(home, "a")).toThrow(
    `cluster a runs already, as process ${process.pid} at https://127.0.0.1:1; kcm down a ends it`,
  );
  claimed.release();
  expect(findClusters(home)).toEqual([]);
});

test("an old Node.js warns nobody of how clusters are locked", () => {
  const { getBuiltinModule } = process;
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) => {
    process.emitWarning("SQLite is an experimental feature", "ExperimentalWarning");
    return getBuiltinModule(name);
  });
  try {
    ClaimedCluster.claim(home, "a").release();
    expect(warned).not.toHaveBeenCalled();
    process.emitWarning("another");
    expect(warned).toHaveBeenCalledWith("another");
  } finally {
    vi.restoreAllMocks();
  }
});

test("what a process had locked is free when it has been killed", async () => {
  const module = new URL("./directory-lock.ts", import.meta.url).href;
  const script = join(home, "hold.mjs");
  writeFileSync(
    script,
    `const { DirectoryLock } = await import(${JSON.stringify(module)});
     globalThis.lock = DirectoryLock.take(${JSON.stringify(join(home, "a"))});
     process.send("taken");
     process.on("message", () => undefined);`,
  );
  const child = fork(script);
  await once(child, "message");
  expect(DirectoryLock.isTaken(join(home, "a"))).toBe(true);
  expect(DirectoryLock.take(join(home, "a"))).toBeUndefined();
  expect(lastHolder(join(home, "a"))?.processId).toBe(child.pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(DirectoryLock.isTaken(join(home, "a"))).toBe(false);
  const lock = DirectoryLock.take(join(home, "a"));
  expect(lock).toBeDefined();
  lock?.release();
});

test("a record without a process is stale, and the next of its name is told of it", () => {
  mkdirSync(join(home, "a"));
  writeFileSync(join(home, "a", "cluster.json"), JSON.stringify(record));
  expect(findClusters(home).map(({ name, state }) => [name, state])).toEqual([["a", "stale"]]);
  const claimed = ClaimedCluster.claim(home, "a");
  expect(claimed.left).toEqual(record);
  claimed.release();
});

test("a record that cannot be read is named", () => {
  mkdirSync(join(home, "a"));
  writeFileSync(join(home, "a", "cluster.json"), "{");
  expect(() => findClusters(home)).toThrow(/cluster\.json cannot be read; remove it/);
});

test("the list is a table", () => {
  const found = { name: "a", directory: "/d", record, holder: { processId: 7, host: "h" } } as const;
  const nowMs = Date.parse(record.startedAt) + 61_000;
  expect(
    clusterTable(
      [
        { ...found, state: "running" },
        { ...found, name: "longer", state: "starting", record: { ...record, url: "" } },
        { ...found, name: "old", state: "stale", holder: undefined },
      ],
      nowMs,
    ),
  ).toEqual([
    "NAME     STATUS     PROCESS   AGE    URL                   KUBECONFIG",
    "a        Running    7         1m1s   https://127.0.0.1:1   /k",
    "longer   Starting   7         1m1s   <none>                /k",
    "old      Stale      ?         1m1s   https://127.0.0.1:1   /k",
  ]);
});
