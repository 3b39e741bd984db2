import { expect, test } from "vitest";
import { FakeSource, busy, expired, lost } from "../../test/harness/fake-source.ts";
import { VirtualClock } from "../../test/harness/virtual-clock.ts";
import type { ApiObject } from "../api/object.ts";
import { seededRandom } from "../clock/random.ts";
import { silentLogger } from "../log/logger.ts";
import type { EventHandler } from "./informer.ts";
import { ResourceInformer } from "./resource-informer.ts";
import { Rotation } from "./rotation.ts";

interface Thing extends ApiObject {
  readonly value?: number;
}

const thing = (name: string, value = 0, namespace = "ns"): Thing => ({
  metadata: { namespace, name },
  value,
});

function fixture(options: { resyncMs?: number; queue?: "in-order" | "keyed" } = {}) {
  const clock = new VirtualClock();
  const source = new FakeSource<Thing>(clock);
  const rotation = new Rotation(clock, silentLogger);
  const informer = new ResourceInformer<Thing>({
    source,
    transform: (object) => object,
    namespaced: true,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    rotation,
    resyncMs: options.resyncMs ?? 0,
    onBatch: () => undefined,
    queue: options.queue ?? "in-order",
  });
  const stop = new AbortController();
  const start = (): Promise<void> => informer.run(stop.signal);
  const finish = async (run: Promise<void>): Promise<void> => {
    stop.abort();
    await clock.advanceBy(0);
    await run;
  };
  return { clock, source, informer, start, finish };
}

function recorder(): { events: string[]; handler: EventHandler<Thing> } {
  const events: string[] = [];
  return {
    events,
    handler: {
      onAdd: (object, initial) =>
        events.push(`add ${object.metadata.name} ${object.value}${initial ? " initial" : ""}`),
      onUpdate: (before, after) =>
        events.push(`update ${after.metadata.name} ${before.value}→${after.value}`),
      onDelete: (object, missed) => events.push(`delete ${object.metadata.name}${missed ? " missed" : ""}`),
    },
  };
}

test.each(["in-order", "keyed"] as const)(
  "an informer with the %s queue lists, follows and stops",
  async (queue) => {
    const { clock, source, informer, start, finish } = fixture({ queue });
    source.put(thing("a", 1));
    source.put(thing("b", 1));
    const { events, handler } = recorder();
    const registration = informer.addHandler(handler);
    expect(registration.hasSynced()).toBe(false);
    const run = start();
    await clock.runUntil(() => registration.hasSynced());
    expect(events).toEqual(["add a 1 initial", "add b 1 initial"]);
    source.put(thing("a", 2));
    source.put(thing("c", 1));
    source.remove("ns/b");
    await clock.advanceBy(10);
    expect(events.slice(2)).toEqual(["update a 1→2", "add c 1", "delete b"]);
    expect(informer.lister.inNamespace("ns").map((object) => object.metadata.name)).toEqual(["a", "c"]);
    if (queue === "in-order") expect(informer.lastSyncResourceVersion()).toBe(source.version);
    await finish(run);
    expect(source.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  },
);

test.each(["in-order", "keyed"] as const)(
  "a relist finds what was missed with the %s queue",
  async (queue) => {
    const { clock, source, informer, start, finish } = fixture({ queue });
    source.put(thing("stays", 1));
    source.put(thing("changes", 1));
    source.put(thing("goes", 1));
    const { events, handler } = recorder();
    informer.addHandler(handler);
    const run = start();
    await clock.runUntil(() => events.length === 3);
    source.failures.push(busy());
    source.endWatches(lost());
    source.put(thing("changes", 2));
    source.remove("ns/goes");
    source.put(thing("comes", 1));
    source.compact();
    await clock.runUntil(() => events.length === 6);
    expect(new Set(events.slice(3))).toEqual(
      new Set(["delete goes missed", "update changes 1→2", "add comes 1"]),
    );
    await finish(run);
  },
);

test("a watch that breaks goes on from the last version without a list", async () => {
  const { clock, source, informer, start, finish } = fixture();
  source.put(thing("a", 1));
  const run = start();
  await clock.runUntil(() => informer.hasSynced());
  source.endWatches(lost());
  source.put(thing("a", 2));
  await clock.runUntil(() => informer.lister.get("ns", "a")?.value === 2);
  expect(source.requests.map((request) => request.verb)).toEqual(["watch", "watch"]);
  expect(source.requests[1]).toMatchObject({ resourceVersion: "2" });
  source.endWatches(expired());
  await clock.runUntil(() => source.requests.length === 3);
  expect(source.requests[2]).toMatchObject({ sendInitialEvents: true, resourceVersion: "3" });
  await finish(run);
});
