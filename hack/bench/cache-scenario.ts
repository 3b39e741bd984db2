import { spawn } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ListMeta, Stored, WatchEvent } from "../../pkg/api/object.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import { NAMESPACE_INDEX } from "../../pkg/cache/informer/informer.ts";
import { SharedInformerFactory } from "../../pkg/cache/informer/informer-factory.ts";
import type { ListWatch } from "../../pkg/cache/feed/list-watch.ts";
import type { Fields } from "../../pkg/cache/store/projection.ts";
import { Store } from "../../pkg/cache/store/store.ts";
import { StoreLister } from "../../pkg/cache/store/store-lister.ts";
import { JsonLines } from "../../pkg/client/http/json-lines.ts";
import { ListReader } from "../../pkg/client/http/list-reader.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import type { ListOptions, WatchOptions } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { streamPods } from "./pod-stream.ts";
import { makePod, POD_FIELDS } from "./pods.ts";

/** What one scenario, run in a process of its own, prints as JSON. */
export interface CacheScenarioResult {
  readonly perSecond?: number;
  readonly tookMs?: number;
  readonly peakMiB?: number;
  readonly settledMiB?: number;
  readonly heapBytesPerPod?: number;
  readonly longestStallMs?: number;
}

const PODS: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const PAGE = 500;

const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1));
    return { cancel: () => clearTimeout(timer) };
  },
  turn: async () => new Promise((resolve) => setImmediate(resolve)),
};

/** The bytes come from another process, as from a server. */
function bytes(...form: (string | number)[]): AsyncIterator<Buffer> {
  const args = [import.meta.filename, "server", ...form.map(String)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
}

/** `count` pods in pages or as a stream, and `events` changes after that. */
class PodSource implements ListWatch<Stored> {
  readonly #count: number;
  readonly #events: number;
  readonly #streams: boolean;
  #pages: AsyncIterator<Buffer> | undefined;
  #rest: Buffer = Buffer.alloc(0);

  constructor(count: number, events: number, streams: boolean) {
    this.#count = count;
    this.#events = events;
    this.#streams = streams;
  }

  async listEach(_options: ListOptions, onItem: (item: Stored) => void): Promise<ListMeta> {
    this.#pages ??= bytes("pages", this.#count, PAGE);
    const reader = new ListReader((item) => onItem(item as Stored));
    for (let chunk = this.#rest; ;) {
      const end = chunk.indexOf("\n");
      reader.push(end < 0 ? chunk : chunk.subarray(0, end));
      if (end >= 0) {
        this.#rest = chunk.subarray(end + 1);
        return (reader.end() as { readonly metadata: ListMeta }).metadata;
      }
      const next = await this.#pages.next();
      if (next.done === true) throw new Error("the pages ended too early");
      chunk = next.value;
    }
  }

  async *watch(options: WatchOptions, signal?: AbortSignal): AsyncGenerator<WatchEvent<Stored>> {
    if (options.sendInitialEvents === true) {
      if (!this.#streams)
        throw new ApiError("no", { code: 422, reason: "Invalid", method: "GET", path: "/pods" });
      yield* documents(bytes("initial", this.#count));
    }
    if (this.#events > 0) yield* documents(bytes("events", this.#events));
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
  }
}

async function* documents(chunks: AsyncIterator<Buffer>): AsyncGenerator<WatchEvent<Stored>> {
  const lines = new JsonLines();
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
    yield* lines.push(next.value) as WatchEvent<Stored>[];
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

async function settledMemory(): Promise<{ rss: number; heapUsed: number }> {
  for (let round = 0; round < 5; round++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return process.memoryUsage();
}

const MIB = 2 ** 20;
const STARTING_MS = 300;

async function run(
  podSource: PodSource,
  fields: Fields,
  done: (seen: Seen) => boolean,
): Promise<CacheScenarioResult> {
  const factory = new SharedInformerFactory({
    clients: { dynamic: () => podSource, metadata: () => podSource },
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: noMetrics,
    name: "bench",
  });
  const before = await settledMemory();
  const informer = factory.informer(PODS, { fields });
  const seen: Seen = { adds: 0, updates: 0, firstUpdateMs: 0 };
  for (let handler = 0; handler < 3; handler++) {
    informer.addHandler({
      onAdd: () => seen.adds++,
      onUpdate: () => {
        if (seen.updates++ === 0) seen.firstUpdateMs = performance.now();
      },
    });
  }
  let peak = 0;
  let longestStallMs = 0;
  let lastMs = performance.now();
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const stall = (): void => {
    if (!running) return;
    // Starting the other process blocks this one for a while, and is not what is measured.
    if (lastMs - startMs > STARTING_MS) longestStallMs = Math.max(longestStallMs, performance.now() - lastMs);
    lastMs = performance.now();
    setImmediate(stall);
  };
  let running = true;
  const startMs = performance.now();
  factory.start(new AbortController().signal);
  stall();
  while (!done(seen)) await new Promise((resolve) => setTimeout(resolve, 5));
  const endMs = performance.now();
  running = false;
  clearInterval(sampler);
  const after = await settledMemory();
  const pods = informer.lister.list().length;
  return {
    tookMs: Math.round(endMs - startMs),
    ...(seen.updates > 0
      ? { perSecond: Math.round((seen.updates / 3 / (endMs - seen.firstUpdateMs)) * 1_000) }
      : {}),
    peakMiB: Math.round(peak / MIB),
    settledMiB: Math.round(after.rss / MIB),
    heapBytesPerPod: Math.round((after.heapUsed - before.heapUsed) / pods),
    longestStallMs: Math.round(longestStallMs),
  };
}

interface Seen {
  adds: number;
  updates: number;
  firstUpdateMs: number;
}

const COUNT = 50_000;
const EVENTS = 200_000;
const LOOKUPS = 2_000_000;

/** Reads of one namespace of 500 pods and of one node of 50, of which one pod in a hundred reads has changed. */
function lookups(): CacheScenarioResult {
  const store = new Store<Stored>();
  const pods = Array.from({ length: COUNT }, (_, index) => makePod(index, index));
  store.addIndex(NAMESPACE_INDEX, (pod) => [pod.metadata.namespace ?? ""]);
  store.addIndex("node", (pod) => [(pod as { spec?: { nodeName?: string } }).spec?.nodeName ?? ""]);
  for (const pod of pods) store.set(keyOf(pod), pod);
  const lister = new StoreLister(store);
  let found = 0;
  const startMs = performance.now();
  for (let round = 0; round < LOOKUPS; round += 2) {
    found += lister.inNamespace(`team-${round % 100}`).length;
    found += lister.byIndex("node", `node-${String(round % 1000).padStart(4, "0")}`).length;
    const pod = pods[round % pods.length];
    if (round % 100 === 0 && pod !== undefined) store.set(keyOf(pod), pod);
  }
  const tookMs = performance.now() - startMs;
  if (found !== (LOOKUPS / 2) * 550) throw new Error(`the indexes found ${found} pods`);
  return { tookMs: Math.round(tookMs), perSecond: Math.round((LOOKUPS / tookMs) * 1_000) };
}

async function scenario(name: string, fields: Fields): Promise<CacheScenarioResult> {
  if (name === "lookups") return lookups();
  if (name === "events")
    return run(new PodSource(5_000, EVENTS, true), fields, (seen) => seen.updates >= 3 * EVENTS);
  return run(new PodSource(COUNT, 0, name === "stream"), fields, (seen) => seen.adds >= 3 * COUNT);
}

const [name = "", ...rest] = process.argv.slice(2);
if (name === "server") await streamPods(rest);
else {
  console.log(JSON.stringify(await scenario(name, rest[0] === "whole" ? "whole" : POD_FIELDS)));
  process.exit(0);
}
