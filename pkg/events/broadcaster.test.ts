import { expect, test } from "vitest";
import { statusError } from "../../test/harness/lease-server.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { ApiObject } from "../api/object.ts";
import type { Event } from "../api/types/core-v1.gen.ts";
import { seededRandom } from "../clock/random.ts";
import { sleep } from "../clock/wait.ts";
import { ApiError } from "../client/errors.ts";
import { silentLogger } from "../log/logger.ts";
import { createMetrics } from "../metrics/registry.ts";
import { EventBroadcaster, type EventClient } from "./broadcaster.ts";
import { EventMaker } from "./event-object.ts";

const unreachable = (): ApiError =>
  new ApiError("refused", {
    code: 0,
    reason: "",
    method: "POST",
    path: "/api/v1/events",
    failure: "refused",
  });

/** An API server for events: what it holds, what was sent to it, and how it misbehaves. */
class EventServer implements EventClient {
  readonly events = new Map<string, Event>();
  readonly sent: string[] = [];
  readonly #clock: VirtualClock;
  /** Thrown instead of an answer, while there are any. */
  failures: Error[] = [];
  latencyMs = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  async create(event: Event, _options?: object, signal?: AbortSignal): Promise<Event> {
    await this.#arrive(`create ${event.reason}`, signal);
    if (this.events.has(event.metadata.name ?? "")) throw statusError(409, "AlreadyExists", "POST");
    return this.#store(event);
  }

  async patch(
    ref: { name: string },
    patch: { type: string; body: unknown },
    _options?: object,
    signal?: AbortSignal,
  ): Promise<Event> {
    await this.#arrive(`patch ${patch.type}`, signal);
    const event = this.events.get(ref.name);
    if (event === undefined) throw statusError(404, "NotFound", "PATCH");
    return this.#store({ ...event, ...(patch.body as Partial<Event>) });
  }

  async #arrive(what: string, signal: AbortSignal | undefined): Promise<void> {
    this.sent.push(what);
    if (this.latencyMs > 0) await sleep(this.#clock, this.latencyMs, signal);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }

  #store(event: Event): Event {
    this.events.set(event.metadata.name ?? "", event);
    return event;
  }
}

const pod: ApiObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "foo", namespace: "baz", uid: "bar", resourceVersion: "12" },
};
const source = { component: "eventTest" };

function harness(): {
  clock: VirtualClock;
  server: EventServer;
  broadcaster: EventBroadcaster;
  dropped(): Promise<Record<string, number>>;
} {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const server = new EventServer(clock);
  const { main } = createMetrics({ version: "1.36.4" });
  const broadcaster = new EventBroadcaster({
    client: server,
    clock,
    random: seededRandom(5),
    log: silentLogger,
    metrics: main,
  });
  const dropped = async (): Promise<Record<string, number>> => {
    const lines = (await main.expose()).matchAll(
      /^event_recorder_dropped_events_total\{reason="(\w+)"\} (\d+)$/gm,
    );
    return Object.fromEntries([...lines].map(([, reason = "", count]) => [reason, Number(count)]));
  };
  return { clock, server, broadcaster, dropped };
}

test("an event is created as client-go creates it", async () => {
  const { clock, server, broadcaster } = harness();
  const recorder = broadcaster.recorder({ component: "eventTest", host: "node-1" });
  recorder.eventWithAnnotations({
    regarding: pod,
    annotations: { a: "b" },
    type: "Normal",
    reason: "Started",
    message: "some message",
  });
  expect(server.sent).toEqual([]);
  await clock.advanceBy(0);
  const [[name, event] = ["", undefined]] = server.events;
  expect(name).toMatch(/^foo\.1886[0-9a-f]{12}$/);
  expect(event).toEqual({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: "baz", annotations: { a: "b" } },
    involvedObject: {
      kind: "Pod",
      namespace: "baz",
      name: "foo",
      uid: "bar",
      apiVersion: "v1",
      resourceVersion: "12",
    },
    reason: "Started",
    message: "some message",
    source: { component: "eventTest", host: "node-1" },
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    count: 1,
    type: "Normal",
    eventTime: null,
    reportingComponent: "eventTest",
    reportingInstance: "node-1",
  });
});

test("events about objects without a namespace go to default; objects without a kind are refused", async () => {
  const { clock, server, broadcaster } = harness();
  const recorder = broadcaster.recorder(source);
  recorder.event(
    { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u" } },
    "Warning",
    "Gone",
    "m",
  );
  recorder.event({ metadata: { name: "unknown" } }, "Normal", "Gone", "m");
  await clock.advanceBy(0);
  const events = [...server.events.values()];
  expect(events).toHaveLength(1);
  expect(events[0]?.metadata.namespace).toBe("default");
  expect(events[0]?.involvedObject).toEqual({ apiVersion: "v1", kind: "Node", name: "n", uid: "u" });
});

test("a repeated event is counted by a patch, one of another object is created", async () => {
  const { clock, server, broadcaster } = harness();
  const recorder = broadcaster.recorder(source);
  const other = { ...pod, metadata: { ...pod.metadata, uid: "differentUid" } };
  for (const object of [pod, pod, other, pod, other]) {
    await clock.advanceBy(1_000);
    recorder.event(object, "Normal", "Started", "m");
  }
  await clock.advanceBy(0);
  expect(server.sent).toEqual([
    "create Started",
    "patch strategic",
    "create Started",
    "patch strategic",
    "patch strategic",
  ]);
  const counts = [...server.events.values()].map(({ count, firstTimestamp, lastTimestamp }) => [
    count,
    firstTimestamp,
    lastTimestamp,
  ]);
  expect(counts).toEqual([
    [3, "2026-01-01T00:00:01Z", "2026-01-01T00:00:04Z"],
    [2, "2026-01-01T00:00:03Z", "2026-01-01T00:00:05Z"],
  ]);
});

test("an event that the server has forgotten is created again, with its count", async () => {
  const { clock, server, broadcaster } = harness();
  const recorder = broadcaster.recorder(source);
  recorder.event(pod, "Normal", "Started", "m");
  await clock.advanceBy(1_000);
  server.events.clear();
  recorder.event(pod, "Normal", "Started", "m");
  await clock.advanceBy(1_000);
  expect(server.sent).toEqual(["create Started", "patch strategic", "create Started"]);
  expect([...server.events.values()][0]?.count).toBe(2);
});

test("without an answer it tries 12 times, 10 s apart, then goes on with the next event", async () => {
  const { clock, server, broadcaster, dropped } = harness();
  server.failures = Array.from({ length: 12 }, unreachable);
  const recorder = broadcaster.recorder(source);
  recorder.event(pod, "Normal", "First", "m");
  recorder.event(pod, "Normal", "Second", "m");
  await clock.advanceBy(0);
  expect(server.sent).toHaveLength(1);
  await clock.advanceBy(10_000);
  expect(server.sent).toHaveLength(2);
  await clock.advanceBy(89_999);
  expect(server.sent).toHaveLength(10 + 1);
  await clock.advanceBy(20_000);
  expect(server.sent).toHaveLength(13);
  expect([...server.events.values()].map(({ reason }) => reason)).toEqual(["Second"]);
  expect(await dropped()).toEqual({ retries: 1 });
});

test.each([
  [403, "Forbidden"],
  [422, "Invalid"],
  [409, "AlreadyExists"],
  [500, "InternalError"],
])("an answer of %i is final", async (code, reason) => {
  const { clock, server, broadcaster, dropped } = harness();
  server.failures = [statusError(code, reason, "POST")];
  broadcaster.recorder(source).event(pod, "Normal", "First", "m");
  await clock.advanceBy(60_000);
  expect(server.sent).toEqual(["create First"]);
  expect(await dropped()).toEqual({ refused: 1 });
});

test("an event that this client will not send holds up no other", async () => {
  const { clock, server, broadcaster, dropped } = harness();
  server.failures = [new TypeError("events need a namespace")];
  const recorder = broadcaster.recorder(source);
  recorder.event(pod, "Normal", "First", "m");
  recorder.event(pod, "Normal", "Second", "m");
  await clock.advanceBy(0);
  expect(server.sent).toEqual(["create First", "create Second"]);
  expect(await dropped()).toEqual({ refused: 1 });
});

test.each([undefined, ""])(
  "events about an object in namespace %j are in the default one",
  async (namespace) => {
    const { clock, server, broadcaster } = harness();
    const metadata = { name: "node-1", ...(namespace !== undefined && { namespace }) };
    broadcaster
      .recorder(source)
      .event({ apiVersion: "v1", kind: "Node", metadata }, "Normal", "Started", "m");
    await clock.advanceBy(0);
    expect([...server.events.values()][0]?.metadata.namespace).toBe("default");
  },
);

test("recording never waits; beyond 1000 that wait, events are dropped and counted", async () => {
  const { clock, server, broadcaster, dropped } = harness();
  server.latencyMs = 1e9;
  const recorder = broadcaster.recorder(source);
  const about = (index: number): ApiObject => ({
    ...pod,
    metadata: { name: `pod-${index}`, namespace: "baz" },
  });
  recorder.event(about(0), "Normal", "Started", "m");
  await clock.advanceBy(0);
  for (let index = 1; index <= 1_300; index++) recorder.event(about(index), "Normal", "Started", "m");
  expect(await dropped()).toEqual({ overload: 300 });
  expect(server.sent).toHaveLength(1);
});

test("a shutdown tries each event that waits one last time", async () => {
  const { clock, server, broadcaster, dropped } = harness();
  server.failures = [unreachable(), unreachable()];
  const recorder = broadcaster.recorder(source);
  for (const reason of ["A", "B", "C", "D"]) recorder.event(pod, "Normal", reason, "m");
  await clock.advanceBy(0);
  const ended = broadcaster.shutDown(5_000);
  recorder.event(pod, "Normal", "Late", "m");
  await clock.advanceBy(0);
  await ended;
  expect(server.sent).toEqual(["create A", "create A", "create B", "create C", "create D"]);
  expect([...server.events.values()].map(({ reason }) => reason)).toEqual(["B", "C", "D"]);
  expect(await dropped()).toEqual({ shutdown: 2 });
  expect(clock.pendingTimers).toBe(0);
});

test("a shutdown ends at its deadline, whatever the server does", async () => {
  const { clock, server, broadcaster, dropped } = harness();
  server.latencyMs = 1e9;
  const recorder = broadcaster.recorder(source);
  for (const reason of ["A", "B", "C"]) recorder.event(pod, "Normal", reason, "m");
  let hasEnded = false;
  void broadcaster.shutDown(5_000).then(() => (hasEnded = true));
  await clock.advanceBy(4_999);
  expect(hasEnded).toBe(false);
  await clock.advanceBy(1);
  expect(hasEnded).toBe(true);
  expect(await dropped()).toEqual({ shutdown: 3 });
});

test("sending starts anew after a rest", async () => {
  const { clock, server, broadcaster } = harness();
  const recorder = broadcaster.recorder(source);
  for (const reason of ["A", "B", "C"]) {
    recorder.event(pod, "Normal", reason, "m");
    await clock.advanceBy(1_000);
  }
  expect(server.sent).toEqual(["create A", "create B", "create C"]);
});

test("spam is counted as dropped", async () => {
  const { clock, broadcaster, dropped } = harness();
  const recorder = broadcaster.recorder(source);
  for (let index = 0; index < 30; index++) recorder.event(pod, "Normal", "Again", "m");
  await clock.advanceBy(1_000);
  expect(await dropped()).toEqual({ spam: 5 });
});

test.each([
  ["test-pod", /^test-pod\.[0-9a-f]+$/],
  ["x".repeat(300), /^[0-9a-f-]{36}$/],
  ["test.POD", /^[0-9a-f-]{36}$/],
  ["test.pod/invalid!chars?", /^[0-9a-f-]{36}$/],
  ["--test.pod", /^[0-9a-f-]{36}$/],
])("an event about %j has a valid name", (name, expected) => {
  expect(new EventMaker(new VirtualClock(), seededRandom(1)).name(name)).toMatch(expected);
});

test("names of one millisecond, and after a clock set back, are all different", () => {
  const clock = new VirtualClock();
  const maker = new EventMaker(clock, seededRandom(1));
  const names = new Set<string>();
  for (let index = 0; index < 1_000; index++) {
    if (index === 500) clock.jumpWallClock(-60_000);
    names.add(maker.name("pod"));
  }
  expect(names.size).toBe(1_000);
});
