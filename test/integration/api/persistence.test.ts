import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Int64, toInt64 } from "../../../pkg/api/int64.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { type Random, randomBelow, seededRandom } from "../../../pkg/clock/random.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { HttpServer } from "../../../pkg/apiserver/http/http-server.ts";
import { embeddedServer } from "../../../pkg/apiserver/embedded-server.ts";
import { persistentStore } from "../../../pkg/apiserver/storage/persistent-store.ts";
import { encodeRecord } from "../../../pkg/apiserver/storage/records.ts";
import { until } from "../../harness/until.ts";
import { clientsOf } from "../../harness/admin-client.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kcm-store-"));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

/** Kills a writing process with SIGKILL once it has noted down this many bytes; gives all that was ever noted down. */
async function writeAndKill(notes: string, bytes: number): Promise<string> {
  const script = fileURLToPath(import.meta.resolve("./write-until-killed.ts"));
  const child = spawn(process.execPath, [script, directory, notes], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const closed = once(child, "close");
  const before = sizeOf(notes);
  await until("it has written", () => child.exitCode !== null || sizeOf(notes) >= before + bytes, 60_000, 1);
  child.kill("SIGKILL");
  await closed;
  expect(child.signalCode).toBe("SIGKILL");
  return readFileSync(notes, "utf8");
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** As if the process had been killed within a write: a part of a record, at the end of the newest log. */
function tearEnd(random: Random): void {
  const newest = readdirSync(directory)
    .filter((name) => name.startsWith("log-"))
    .toSorted()
    .at(-1);
  const record = encodeRecord(JSON.stringify({ r: 1, b: "things", k: "torn", o: { metadata: {} } }));
  const part = record.subarray(0, randomBelow(random, record.length));
  if (newest !== undefined) appendFileSync(join(directory, newest), part);
}

/** By key, the last write that was noted down. */
function lastWrites(
  notes: string,
): ReadonlyMap<string, { readonly revision: number; readonly what: string }> {
  return new Map(
    notes
      .trimEnd()
      .split("\n")
      .map((line) => {
        const [revision = "", key = "", what = ""] = line.split(" ");
        return [key, { revision: Number(revision), what }];
      }),
  );
}

test("a store that is killed a hundred times, at any moment, has lost nothing that it told of", async () => {
  const random = seededRandom(7);
  const notes = `${directory}.notes`;
  const untold: number[] = [];
  let snapshots = 0;
  for (let round = 0; round < 100; round++) {
    const told = lastWrites(await writeAndKill(notes, 1 + randomBelow(random, 20_000)));
    if (round % 2 === 0) tearEnd(random);
    if (readdirSync(directory).some((name) => name.startsWith("snapshot"))) snapshots++;
    const store = persistentStore(directory, realClock);
    const newest = Math.max(...[...told.values()].map(({ revision }) => revision));
    expect([newest, newest + 1]).toContain(store.revision);
    if (store.revision > newest) untold.push(store.revision);
    const lost: string[] = [];
    for (const [key, { revision, what }] of told) {
      const found = Number(store.get("things", key)?.metadata.resourceVersion ?? 0);
      // A write that was under way may have been done as well, untold.
      const isAsTold = what === "stored" ? found === revision : found === 0;
      const isLater = untold.some((one) => one > revision && (found === 0 || found === one));
      if (!isAsTold && !isLater) lost.push(`${key} ${what} at ${revision}: ${found}`);
    }
    expect(lost).toEqual([]);
    await store.close();
  }
  expect(snapshots).toBeGreaterThan(50);
  await rm(notes);
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

test("numbers of 64 bits come back to a client as they went out, also when the server has started again", async () => {
  const int64 = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
  const written: Int64[] = [];
  await withServer(async (client) => {
    const sets = client.clientFor(resources.replicaSets);
    const watch = sets.watch({ namespace: "default" })[Symbol.asyncIterator]();
    await fc.assert(
      fc.asyncProperty(int64, async (value) => {
        const grace = toInt64(value);
        const { metadata } = await sets.create(replicaSet(`set-${written.length}`, grace));
        written.push(grace);
        const ref = { namespace: "default", name: metadata.name ?? "" };
        expect(graceOf(await sets.get(ref))).toBe(grace);
        const { value: event } = (await watch.next()) as { value: { object: ReplicaSet } };
        expect(graceOf(event.object)).toBe(grace);
        const patched = await sets.patch(ref, {
          type: "merge",
          body: { metadata: { annotations: { a: "b" } } },
        });
        expect(graceOf(patched)).toBe(grace);
        expect(graceOf(await sets.update(patched))).toBe(grace);
        await watch.next();
      }),
      { numRuns: 50, examples: [[2n ** 63n - 1n], [9007199254740993n], [2n ** 53n]] },
    );
    await watch.return?.();
  });
  await withServer(async (client) => {
    const { items } = await client.clientFor(resources.replicaSets).list({ namespace: "default" });
    const byName = new Map(items.map((set) => [set.metadata.name, graceOf(set)]));
    expect(byName).toEqual(new Map(written.map((grace, index) => [`set-${index}`, grace])));
  });
});

/** A client of a server that lives in the directory. */
async function withServer(use: (client: ClientSet) => Promise<void>): Promise<void> {
  const store = persistentStore(directory, realClock);
  const server = embeddedServer({ clock: realClock, random: seededRandom(1), store });
  const http = await HttpServer.start({ server });
  const kubeconfig = join(directory, "..", `${basename(directory)}.kubeconfig`);
  await writeFile(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: http.url } }],
      contexts: [{ name: "x", context: { cluster: "c" } }],
      "current-context": "x",
    }),
  );
  const clients = await clientsOf(kubeconfig);
  try {
    const client = clients.client("test");
    const namespaces = client.clientFor(resources.namespaces);
    if ((await namespaces.list({})).items.every(({ metadata }) => metadata.name !== "default"))
      await namespaces.create({ metadata: { name: "default" } });
    await use(client);
  } finally {
    await clients.close();
    await http.close();
    await server.close();
    await rm(kubeconfig);
  }
}

function replicaSet(name: string, terminationGracePeriodSeconds: Int64): ReplicaSet {
  const labels = { app: "a" };
  const spec = { containers: [{ name: "c", image: "i" }], terminationGracePeriodSeconds };
  return {
    metadata: { name, namespace: "default" },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function graceOf({ spec }: ReplicaSet): Int64 | undefined {
  return spec?.template?.spec?.terminationGracePeriodSeconds;
}
