import { describe, expect, test } from "vitest";
import {
  broken,
  busy,
  expired,
  FakeSource,
  lost,
  refused,
  tooLarge,
} from "../../../test/harness/fake-source.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ApiObject, ListMeta, WatchEvent } from "../../api/object.ts";
import { keyOf } from "../../api/object.ts";
import { ApiError } from "../../client/errors.ts";
import type { ListOptions } from "../../client/resource-client.ts";
import { seededRandom } from "../../clock/random.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import type { ListWatch } from "./list-watch.ts";
import type { Delta } from "./delta.ts";
import { Reflector } from "./reflector.ts";
import { type Draft, Store } from "../store/store.ts";

const pod = (name: string, resourceVersion = ""): ApiObject => ({ metadata: { name, resourceVersion } });
const endMark = (resourceVersion: string): WatchEvent<ApiObject> => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } } },
});

/** Writes down what a reflector does to its sink. */
class Sink {
  readonly calls: string[] = [];
  blocked: Promise<void> | undefined;
  take = (delta: Delta<ApiObject>): void => void this.calls.push(textOf(delta));
  draft = (): Draft<ApiObject> => new Store<ApiObject>().draft();
  room = (): Promise<void> | undefined => this.blocked;
}

function textOf(delta: Delta<ApiObject>): string {
  if (delta.type === "replace")
    return `replace ${[...delta.objects.keys()].join(",")} at ${delta.resourceVersion}`;
  if (delta.type === "bookmark") return `bookmark ${delta.resourceVersion}`;
  return delta.type === "resync" ? "resync" : `${delta.type} ${delta.key}`;
}

function started(
  source: ListWatch<ApiObject>,
  clock: VirtualClock,
  options: { streamLists?: boolean; transform?: (object: ApiObject) => ApiObject; log?: Logger } = {},
) {
  const sink = new Sink();
  const reflector = new Reflector({
    source,
    sink,
    keyOf,
    transform: (object) => object,
    clock,
    random: seededRandom(5),
    log: silentLogger,
    ...options,
  });
  const stop = new AbortController();
  const run = reflector.run(stop.signal);
  const finish = async (): Promise<void> => {
    stop.abort(new Error("stopped"));
    await clock.advanceBy(0);
    await run;
    expect(clock.pendingTimers).toBe(0);
  };
  return { sink, reflector, finish };
}

function fake(options: { streamLists?: boolean } = {}) {
  const clock = new VirtualClock();
  const source = new FakeSource<ApiObject>(clock, 10);
  source.put(pod("a"));
  const make = (): ReturnType<typeof started> => started(source, clock, options);
  /** What was asked, in short: L for a list, S for a stream, W for a watch, with the version. */
  const asked = (): string[] =>
    source.requests.map((request) => {
      if (request.verb === "list")
        return `L${request.resourceVersion ?? ""}${request.limit === undefined ? "" : ` limit ${request.limit}`}`;
      return `${request.sendInitialEvents === true ? "S" : "W"}${request.resourceVersion ?? ""}`;
    });
  return { clock, source, make, asked };
}

/** A source whose watches send given events and then end, stay open, or fail. */
function scripted(
  clock: VirtualClock,
  scripts: readonly { events: readonly WatchEvent<ApiObject>[]; finally: "end" | "stay" | Error }[],
  lists: (options: ListOptions) => { items: readonly ApiObject[]; meta: ListMeta } = () => {
    throw broken();
  },
): { source: ListWatch<ApiObject>; options: object[] } {
  const options: object[] = [];
  let next = 0;
  const source: ListWatch<ApiObject> = {
    listEach: async (listOptions, onItem) => {
      options.push(listOptions);
      const { items, meta } = lists(listOptions);
      for (const item of items) onItem(item);
      return meta;
    },
    async *watch({ onUnreadable, ...watchOptions }, signal) {
      expect(onUnreadable).toBeDefined();
      options.push(watchOptions);
      const script = scripts[next++] ?? { events: [], finally: "stay" as const };
      await clock.turn();
      signal?.throwIfAborted();
      yield* script.events;
      if (script.finally instanceof Error) throw script.finally;
      if (script.finally === "end") return;
      await new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
      );
    },
  };
  return { source, options };
}

describe("the first state as a stream", () => {
  test.each<{ what: string; events: WatchEvent<ApiObject>[]; calls: string[] }>([
    {
      what: "is not complete without its end mark",
      events: [{ type: "ADDED", object: pod("a", "1") }],
      calls: [],
    },
    {
      what: "is complete with its end mark, and the same watch goes on",
      events: [
        { type: "ADDED", object: pod("a", "1") },
        { type: "ADDED", object: pod("b", "2") },
        endMark("2"),
        { type: "MODIFIED", object: pod("a", "3") },
      ],
      calls: ["replace a,b at 2", "set a"],
    },
    {
      what: "takes changes before its end mark into account",
      events: [
        { type: "ADDED", object: pod("a", "1") },
        { type: "ADDED", object: pod("b", "2") },
        { type: "MODIFIED", object: pod("a", "3") },
        { type: "ADDED", object: pod("c", "4") },
        { type: "DELETED", object: pod("c", "5") },
        endMark("5"),
      ],
      calls: ["replace a,b at 5"],
    },
    {
      what: "is not ended by another bookmark",
      events: [
        { type: "ADDED", object: pod("a", "1") },
        { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } },
      ],
      calls: [],
    },
  ])("$what", async ({ events, calls }) => {
    const clock = new VirtualClock();
    const { source, options } = scripted(clock, [{ events, finally: "stay" }]);
    const { sink, finish } = started(source, clock);
    await clock.advanceBy(1_000);
    expect(sink.calls).toEqual(calls);
    expect(options).toEqual([
      { sendInitialEvents: true, allowWatchBookmarks: true, timeoutSeconds: expect.any(Number) as number },
    ]);
    await finish();
  });

  test("that breaks off is begun anew, and nothing of the first try is kept", async () => {
    const clock = new VirtualClock();
    const { source } = scripted(clock, [
      { events: [{ type: "ADDED", object: pod("ghost", "1") }], finally: "end" },
      { events: [{ type: "ADDED", object: pod("a", "2") }, endMark("3")], finally: "stay" },
    ]);
    const { sink, finish } = started(source, clock);
    await clock.runUntil(() => sink.calls.length > 0);
    expect(sink.calls).toEqual(["replace a at 3"]);
    await finish();
  });

  test.each([
    { what: "is tried again after a 429", failures: [busy(), busy()], asked: ["S", "S", "S"] },
    { what: "is tried again when there is no connection", failures: [refused()], asked: ["S", "S"] },
    {
      what: "gives way to a list after any other failure",
      failures: [broken()],
      asked: ["S", "L0 limit 500", "W11"],
    },
    { what: "that comes too early pauses", failures: [tooLarge(), expired()], asked: ["S", "S", "S"] },
  ])("$what", async ({ failures, asked: expected }) => {
    const { clock, source, make, asked } = fake();
    source.failures.push(...failures);
    const { sink, finish } = make();
    await clock.runUntil(() => sink.calls.length > 0 && source.openWatches === 1);
    expect(asked()).toEqual(expected);
    expect(sink.calls).toEqual(["replace a at 11"]);
    await finish();
  });

  test("is not asked for from a server that refuses streams, until the next time that everything is needed", async () => {
    const { clock, source, make, asked } = fake();
    source.streams = false;
    const { finish } = make();
    await clock.runUntil(() => source.openWatches === 1);
    expect(asked()).toEqual(["S", "L0 limit 500", "W11"]);
    await finish();
  });
});

describe("a list", () => {
  test.each([
    { what: "asks for the newest state when the version is gone", failure: expired() },
    { what: "asks for the newest state when the version is ahead of the server", failure: tooLarge() },
    {
      what: "asks for the newest state when an old server only says so in words",
      failure: new ApiError("Too large resource version", {
        code: 504,
        reason: "Timeout",
        method: "GET",
        path: "/",
      }),
    },
  ])("$what", async ({ failure }) => {
    const { clock, source, make, asked } = fake({ streamLists: false });
    const { finish } = make();
    await clock.runUntil(() => source.openWatches === 1);
    source.failures.push(failure);
    source.endWatches(expired());
    await clock.runUntil(() => source.openWatches === 1);
    expect(asked()).toEqual(["L0 limit 500", "W11", "L11", "L limit 500", "W11"]);
    source.endWatches(expired());
    await clock.runUntil(() => asked().length === 6);
    expect(asked()[5], "the version is good again").toBe("L11");
    await finish();
  });

  const page = (names: string[], meta: ListMeta): { items: ApiObject[]; meta: ListMeta } => ({
    items: names.map((name) => pod(name)),
    meta,
  });

  test("is read page by page", async () => {
    const clock = new VirtualClock();
    const { source, options } = scripted(clock, [], ({ continue: token }) =>
      token === undefined
        ? page(["a"], { resourceVersion: "10", continue: "C1" })
        : token === "C1"
          ? page(["b"], { resourceVersion: "10", continue: "C2" })
          : page(["c"], { resourceVersion: "10" }),
    );
    const { sink, finish } = started(source, clock, { streamLists: false });
    await clock.advanceBy(10);
    expect(sink.calls).toEqual(["replace a,b,c at 10"]);
    expect(options).toEqual([
      { resourceVersion: "0", limit: 500 },
      { limit: 500, continue: "C1" },
      { limit: 500, continue: "C2" },
      { resourceVersion: "10", allowWatchBookmarks: true, timeoutSeconds: expect.any(Number) as number },
    ]);
    await finish();
  });

  test("whose pages expire under way is asked for in one piece", async () => {
    const clock = new VirtualClock();
    const { source, options } = scripted(clock, [], ({ continue: token, limit }) => {
      if (token !== undefined) throw expired();
      return limit === undefined
        ? page(["b", "c"], { resourceVersion: "11" })
        : page(["a"], { resourceVersion: "10", continue: "C1" });
    });
    const { sink, finish } = started(source, clock, { streamLists: false });
    await clock.advanceBy(10);
    expect(sink.calls).toEqual(["replace b,c at 11"]);
    expect(options.slice(0, 3)).toEqual([
      { resourceVersion: "0", limit: 500 },
      { limit: 500, continue: "C1" },
      { resourceVersion: "0" },
    ]);
    await finish();
  });

  test("stays paged on a server that pages even at version 0", async () => {
    const clock = new VirtualClock();
    const { source, options } = scripted(clock, [{ events: [], finally: expired() }], ({ continue: token }) =>
      token === undefined
        ? page(["a"], { resourceVersion: "10", continue: "C1" })
        : page(["b"], { resourceVersion: "10" }),
    );
    const { sink, finish } = started(source, clock, { streamLists: false });
    await clock.runUntil(() => sink.calls.length === 2);
    expect(options[3]).toEqual({ resourceVersion: "10", limit: 500 });
    await finish();
  });

  test("that fails is tried again after a pause", async () => {
    const { clock, source, make, asked } = fake({ streamLists: false });
    source.failures.push(broken(), broken());
    const { sink, reflector, finish } = make();
    await clock.advanceBy(0);
    expect(reflector.lastError).toMatchObject({ code: 500 });
    await clock.runUntil(() => sink.calls.length === 1);
    expect(asked().slice(0, 3)).toEqual(["L0 limit 500", "L0 limit 500", "L0 limit 500"]);
    expect(reflector.lastError).toBeUndefined();
    await finish();
  });
});

describe("a watch", () => {
  test.each([
    { what: "that ends is opened again from the last version", end: undefined, next: "W12" },
    { what: "that breaks is opened again from the last version", end: lost(), next: "W12" },
    { what: "that is throttled is opened again from the last version", end: busy(), next: "W12" },
    {
      what: "whose version is gone gives way to a new stream that is not older",
      end: expired(),
      next: "S12",
    },
    {
      what: "whose version is ahead of the server gives way to the newest state",
      end: tooLarge(),
      next: "S",
    },
    {
      what: "in which the server cannot read an object gives way to a new stream",
      end: broken(),
      next: "S12",
    },
  ])("$what", async ({ end, next }) => {
    const { clock, source, make, asked } = fake();
    const { sink, finish } = make();
    await clock.runUntil(() => source.openWatches === 1);
    await clock.advanceBy(2_000);
    source.put(pod("b"));
    await clock.advanceBy(0);
    expect(sink.calls).toEqual(["replace a at 11", "set b"]);
    source.endWatches(end);
    await clock.runUntil(() => source.requests.length === 2);
    expect(asked()).toEqual(["S", next]);
    await finish();
  });

  test("that is refused is opened again and again from the last version", async () => {
    const { clock, source, make, asked } = fake();
    const { sink, finish } = make();
    await clock.runUntil(() => source.openWatches === 1);
    source.failures.push(refused(), refused(), busy());
    source.endWatches(lost());
    source.put(pod("a"));
    await clock.runUntil(() => sink.calls.includes("set a"));
    expect(asked()).toEqual(["S", "W11", "W11", "W11", "W11"]);
    await finish();
  });

  test("with one event that cannot be read gives way to the newest state", async () => {
    const { clock, source, make, asked } = fake();
    const { sink, reflector, finish } = make();
    await clock.advanceBy(60_000);
    source.unreadable.add("b");
    source.put(pod("b"));
    await clock.advanceBy(0);
    expect(reflector.lastError).toMatchObject({ failure: "malformed" });
    source.unreadable.clear();
    source.put(pod("c"));
    await clock.advanceBy(10_000);
    expect(sink.calls).toEqual(["replace a at 11", "replace a,b,c at 13"]);
    expect(asked()).toEqual(["S", "S11"]);
    expect(reflector.lastError).toBeUndefined();
    await finish();
  });

  test("with events that can never be read skips them, and has what they told from a list once it ends", async () => {
    const { clock, source, make, asked } = fake();
    const { sink, finish } = make();
    await clock.advanceBy(60_000);
    source.unreadable.add("b");
    source.put(pod("b"));
    await clock.runUntil(() => sink.calls.length === 2);
    // The stream of initial events holds it, too: a list does not.
    expect(asked()).toEqual(["S", "S11", "L11", "W12"]);
    expect(sink.calls).toEqual(["replace a at 11", "replace a,b at 12"]);
    for (let second = 0; second < 60; second++) {
      source.put(pod("b"));
      await clock.advanceBy(1_000);
    }
    source.put(pod("c"));
    await clock.advanceBy(0);
    expect(asked()).toHaveLength(4);
    expect(sink.calls.slice(2)).toEqual(["set c"]);
    source.endWatches();
    await clock.runUntil(() => sink.calls.length === 4);
    expect(asked().slice(4)).toEqual(["S73", "L73", "W73"]);
    expect(sink.calls.slice(3)).toEqual(["replace a,b,c at 73"]);
    await clock.advanceBy(60_000);
    source.endWatches();
    await clock.advanceBy(0);
    expect(asked().slice(7)).toEqual(["W73"]);
    await finish();
  });

  test.each([
    ["breaks", lost(), ["S12", "L12", "W14"]],
    ["is throttled", busy(), ["S12", "L12", "W14"]],
  ])("with a skipped event that %s has it from a list, too", async (_, end, next) => {
    const { clock, source, make, asked } = fake();
    const { sink, finish } = make();
    await clock.advanceBy(60_000);
    source.unreadable.add("b");
    source.put(pod("b"));
    await clock.runUntil(() => sink.calls.length === 2);
    source.put(pod("b"));
    source.put(pod("b"));
    await clock.advanceBy(60_000);
    source.endWatches(end);
    await clock.runUntil(() => sink.calls.length === 3);
    expect(asked().slice(4)).toEqual(next);
    await finish();
  });

  test("takes an event that cannot be read for the first one again after a watch without any", async () => {
    const { clock, source, make, asked } = fake();
    const { sink, finish } = make();
    await clock.advanceBy(60_000);
    const once = async (calls: number): Promise<void> => {
      source.unreadable.add("b");
      source.put(pod("b"));
      await clock.advanceBy(0);
      source.unreadable.clear();
      await clock.advanceBy(10_000);
      expect(sink.calls).toHaveLength(calls);
    };
    await once(2);
    await clock.advanceBy(60_000);
    source.endWatches();
    await clock.advanceBy(60_000);
    await once(3);
    expect(asked()).toEqual(["S", "S11", "W12", "S12"]);
    await finish();
  });

  test("that something cuts off every minute is opened again at once each time", async () => {
    const { clock, source, make, asked } = fake();
    const { reflector, finish } = make();
    for (let minute = 0; minute < 10; minute++) {
      await clock.advanceBy(60_000);
      source.endWatches(lost());
      await clock.advanceBy(0);
      expect(source.openWatches).toBe(1);
    }
    expect(asked()).toEqual(["S", ...Array.from({ length: 10 }, () => "W11")]);
    expect(reflector.lastError).toBeUndefined();
    await finish();
  });

  test("that breaks off as soon as it is open is opened again after pauses", async () => {
    const { clock, source, make } = fake();
    const { finish } = make();
    await clock.runUntil(() => source.openWatches === 1);
    source.endWatches(lost());
    await clock.advanceBy(700);
    expect(source.openWatches).toBe(0);
    await clock.runUntil(() => source.openWatches === 1, 1_600);
    await finish();
  });

  test("from no version goes on from a version only once the server is past what existed before", async () => {
    const clock = new VirtualClock();
    const { source, options } = scripted(
      clock,
      [
        {
          events: [5, 3].map((version) => ({ type: "ADDED", object: pod(`p${version}`, String(version)) })),
          finally: "end",
        },
        {
          events: [
            { type: "ADDED", object: pod("p5", "5") },
            { type: "MODIFIED", object: pod("p5", "7") },
            { type: "ADDED", object: pod("p8", "8") },
          ],
          finally: "end",
        },
      ],
      () => ({ items: [], meta: {} }),
    );
    const { finish } = started(source, clock, { streamLists: false });
    await clock.runUntil(() => options.length === 4);
    const from = options
      .slice(1)
      .map((option) => ("resourceVersion" in option ? option.resourceVersion : undefined));
    expect(from).toEqual([undefined, undefined, "8"]);
    await finish();
  });

  test("goes on from bookmarks", async () => {
    const { clock, source, make, asked } = fake();
    const { sink, finish } = make();
    await clock.runUntil(() => source.openWatches === 1);
    source.put(pod("b"));
    source.remove("b");
    source.bookmark();
    await clock.advanceBy(2_000);
    source.endWatches();
    await clock.runUntil(() => source.requests.length === 2);
    expect(sink.calls.slice(1)).toEqual(["set b", "delete b", "bookmark 13"]);
    expect(asked()[1]).toBe("W13");
    await finish();
  });

  test("that ends within a second and empty is a failure", async () => {
    const clock = new VirtualClock();
    const { source, options } = scripted(
      clock,
      [
        { events: [], finally: "end" },
        { events: [], finally: "stay" },
      ],
      () => ({ items: [], meta: { resourceVersion: "5" } }),
    );
    const { reflector, finish } = started(source, clock, { streamLists: false });
    await clock.advanceBy(100);
    expect(reflector.lastError).toMatchObject({ code: "ShortWatch" });
    await clock.advanceBy(2_000);
    expect(options.map((option) => ("timeoutSeconds" in option ? "watch" : "list"))).toEqual([
      "list",
      "watch",
      "list",
      "watch",
    ]);
    await finish();
  });

  test("is agreed on for 300 to 600 seconds, at random", async () => {
    const { clock, source, make } = fake();
    const { finish } = make();
    await clock.advanceBy(24 * 3_600_000);
    const seconds = source.requests.map((request) =>
      request.verb === "watch" ? (request.timeoutSeconds ?? 0) : 0,
    );
    expect(seconds.length).toBeGreaterThan(100);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(600);
    expect(new Set(seconds).size).toBeGreaterThan(50);
    await finish();
  });

  test("that outlives its time is given up, without a new list", async () => {
    const clock = new VirtualClock();
    const { source, options } = scripted(clock, [{ events: [endMark("5")], finally: "stay" }]);
    const { reflector, finish } = started(source, clock);
    await clock.advanceBy(299_000);
    expect(options.length).toBe(1);
    await clock.runUntil(() => reflector.lastError !== undefined, 331_000);
    expect(reflector.lastError).toMatchObject({ code: "WatchOverdue" });
    await clock.runUntil(() => options.length === 2);
    expect(options[1]).toMatchObject({ resourceVersion: "5" });
    await finish();
  });

  test("waits while the sink is full", async () => {
    const { clock, source, make } = fake();
    const { sink, finish } = make();
    await clock.runUntil(() => source.openWatches === 1);
    let letIn = (): void => undefined;
    sink.blocked = new Promise((resolve) => (letIn = resolve));
    source.put(pod("b"));
    source.put(pod("c"));
    await clock.advanceBy(1_000);
    expect(sink.calls.slice(1)).toEqual(["set b"]);
    sink.blocked = undefined;
    letIn();
    await clock.advanceBy(0);
    expect(sink.calls.slice(1)).toEqual(["set b", "set c"]);
    await finish();
  });
});

test.each([
  { how: "a stream", streamLists: true, first: "replace even at 4" },
  { how: "a list", streamLists: false, first: "replace even at 4" },
])(
  "an object of $how that the transform cannot understand is left out, and the next ones come through",
  async (form) => {
    const clock = new VirtualClock();
    const source = new FakeSource<ApiObject>(clock, 2);
    source.put(pod("odd"));
    source.put(pod("even"));
    const transform = (object: ApiObject): ApiObject => {
      if (object.metadata.name === "odd") throw new Error("cannot read this");
      return object;
    };
    const { sink, finish } = started(source, clock, { transform, streamLists: form.streamLists });
    await clock.runUntil(() => source.openWatches === 1);
    source.put(pod("odd"));
    source.put(pod("even"));
    source.remove("odd");
    await clock.advanceBy(0);
    expect(sink.calls).toEqual([form.first, "set even"]);
    await finish();
  },
);

test("silence and failures are known", async () => {
  const { clock, source, make } = fake();
  const { reflector, finish } = make();
  await clock.advanceBy(10_000);
  expect(clock.monotonicMs() - reflector.heardMs).toBe(10_000);
  source.bookmark();
  await clock.advanceBy(0);
  expect(clock.monotonicMs() - reflector.heardMs).toBe(0);
  await finish();
});

test("a reflector that is stopped before it starts asks for nothing", async () => {
  const clock = new VirtualClock();
  const source = new FakeSource<ApiObject>(clock);
  const reflector = new Reflector({
    source,
    sink: new Sink(),
    keyOf,
    transform: (object) => object,
    clock,
    random: seededRandom(1),
    log: silentLogger,
  });
  await reflector.run(AbortSignal.abort());
  expect(source.requests).toEqual([]);
});

test("that a kind is not served is told once, and again when it has been served meanwhile", async () => {
  const clock = new VirtualClock();
  const source = new FakeSource<ApiObject>(clock, 10);
  source.put(pod("a"));
  const told: string[] = [];
  const log: Logger = { ...silentLogger, error: (error) => void told.push(String(error)) };
  const request = { method: "GET", path: "/apis/example.com/v1/pods" } as const;
  const notServed = new ApiError("not found", { ...request, code: 404, reason: "NotFound" });
  let isServed = false;
  let asked = 0;
  const served = <T>(answer: () => T): T => {
    asked++;
    if (!isServed) throw notServed;
    return answer();
  };
  const partly: ListWatch<ApiObject> = {
    listEach: async (options, onItem, signal) => served(async () => source.listEach(options, onItem, signal)),
    watch: (options, signal) => served(() => source.watch(options, signal)),
  };
  const { sink, finish } = started(partly, clock, { log });
  await clock.advanceBy(600_000);
  expect(asked).toBeGreaterThan(10);
  expect(told).toEqual([String(notServed)]);
  isServed = true;
  await clock.runUntil(() => sink.calls.length === 1);
  expect(told).toHaveLength(1);
  isServed = false;
  source.endWatches(expired());
  await clock.advanceBy(600_000);
  expect(told).toHaveLength(2);
  await finish();
});

test("a defect does not end the reflector: it starts anew after a pause", async () => {
  const clock = new VirtualClock();
  const source = new FakeSource<ApiObject>(clock, 10);
  source.put(pod("a"));
  let defects = 2;
  const defective: ListWatch<ApiObject> = {
    listEach: async (options, onItem, signal) => source.listEach(options, onItem, signal),
    watch: (options, signal) => {
      if (defects-- > 0) throw new TypeError("a defect");
      return source.watch(options, signal);
    },
  };
  const { sink, reflector, finish } = started(defective, clock);
  await clock.advanceBy(0);
  expect(reflector.lastError).toBeInstanceOf(TypeError);
  await clock.runUntil(() => sink.calls.length === 1);
  expect(sink.calls).toEqual(["replace a at 11"]);
  expect(reflector.lastError).toBeUndefined();
  await finish();
});
