import fc from "fast-check";
import { expect, test } from "vitest";
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
import type { PartialObject } from "../../api/object.ts";
import { keyOf } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { seededRandom } from "../../clock/random.ts";
import { silentLogger } from "../../log/logger.ts";
import { noMetrics } from "../../metrics/metrics.ts";
import type { EventHandler, SharedInformer } from "./informer.ts";
import { SharedInformerFactory } from "./informer-factory.ts";

const THINGS: Resource = { group: "", version: "v1", plural: "things", kind: "Thing", namespaced: true };
const FAILURES = { broken, busy, expired, lost, refused, tooLarge };
const failureName = fc.constantFrom(...(Object.keys(FAILURES) as (keyof typeof FAILURES)[]));
const key = fc.constantFrom("a/1", "a/2", "a/3", "b/1", "b/2");

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("put" as const), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("remove" as const), key }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 0, max: 400_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("end" as const), failure: fc.option(failureName) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fail" as const), failure: failureName }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("replay" as const), events: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "compact" as const,
        "bookmark" as const,
        "streams" as const,
        "handler" as const,
        "unhandle" as const,
      ),
    }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** Follows the events of one handler and fails as soon as they contradict each other. */
class Witness implements EventHandler<PartialObject> {
  readonly seen = new Map<string, PartialObject>();

  onAdd(object: PartialObject): void {
    expect(this.seen.has(keyOf(object)), `added ${keyOf(object)} twice`).toBe(false);
    this.seen.set(keyOf(object), object);
  }

  onUpdate(before: PartialObject, after: PartialObject): void {
    expect(this.seen.get(keyOf(after)), `the old ${keyOf(after)} is not the last new one`).toEqual(before);
    this.seen.set(keyOf(after), after);
  }

  onDelete(object: PartialObject): void {
    expect(this.seen.delete(keyOf(object)), `deleted ${keyOf(object)} without an add`).toBe(true);
  }
}

function contents(objects: Iterable<PartialObject>): unknown {
  return Object.fromEntries([...objects].map((object) => [keyOf(object), object.metadata.resourceVersion]));
}

class World {
  readonly clock = new VirtualClock();
  readonly source = new FakeSource(this.clock);
  readonly errors: unknown[] = [];
  readonly factory: SharedInformerFactory;
  readonly informer: SharedInformer;
  readonly witnesses: { witness: Witness; remove: () => void }[] = [];
  readonly #stop = new AbortController();

  constructor(seed: number) {
    this.factory = new SharedInformerFactory({
      clients: { dynamic: () => this.source, metadata: () => this.source },
      clock: this.clock,
      random: seededRandom(seed),
      // A witness that objects is a handler that throws.
      log: { ...silentLogger, child: () => ({ ...silentLogger, error: this.#onError }) },
      metrics: noMetrics,
      name: "test",
      strict: (error) => this.errors.push(error),
      leastResyncMs: 60_000,
    });
    this.informer = this.factory.informer(THINGS);
    this.witness();
    this.factory.start(this.#stop.signal);
  }

  readonly #onError = (error: unknown, message: string): void => {
    if (message === "An event handler failed") this.errors.push(error);
  };

  witness(): void {
    const witness = new Witness();
    const registration = this.informer.addHandler(witness, { resyncMs: 90_000 });
    this.witnesses.push({ witness, remove: () => registration.remove() });
  }

  async run(step: Action): Promise<void> {
    const { source } = this;
    if (step.do === "put") {
      const [namespace = "", name = ""] = step.key.split("/");
      source.put({ metadata: { namespace, name } });
    } else if (step.do === "remove") source.remove(step.key);
    else if (step.do === "advance") await this.clock.advanceBy(step.ms);
    else if (step.do === "end")
      source.endWatches(step.failure === null ? undefined : FAILURES[step.failure]());
    else if (step.do === "fail") source.failures.push(FAILURES[step.failure]());
    else if (step.do === "replay") source.replayed = step.events;
    else if (step.do === "compact") source.compact();
    else if (step.do === "bookmark") source.bookmark();
    else if (step.do === "streams") source.streams = !source.streams;
    else if (step.do === "handler") this.witness();
    else this.witnesses.splice(1, 1)[0]?.remove();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    const ended = this.factory.shutdown();
    await this.clock.advanceBy(0);
    await ended;
  }
}

test("whatever happens on the way, the cache and every handler end up with the server's state", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 80, size: "max" }), fc.nat(), async (steps, seed) => {
      const world = new World(seed);
      for (const step of steps) await world.run(step);
      // The last write marks the point up to which everything must have been seen.
      world.source.failures.length = 0;
      const last = world.source.put({ metadata: { namespace: "z", name: "last" } });
      await world.clock.runUntil(() => world.informer.lister.getByKey("z/last") !== undefined);
      await world.clock.advanceBy(1_000);
      const expected = contents(world.source.objects);
      expect(contents(world.informer.lister.list())).toEqual(expected);
      expect(contents(world.informer.lister.inNamespace("a"))).toEqual(
        contents(world.source.objects.filter((object) => object.metadata.namespace === "a")),
      );
      expect(world.informer.lastSyncResourceVersion()).toBe(last.metadata.resourceVersion);
      for (const { witness } of world.witnesses) expect(contents(witness.seen.values())).toEqual(expected);
      expect(world.errors).toEqual([]);
      await world.stop();
      expect(world.source.openWatches).toBe(0);
      expect(world.clock.pendingTimers).toBe(0);
    }),
    { numRuns: 150 },
  );
});
