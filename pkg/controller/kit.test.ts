import { afterEach, describe, expect, test } from "vitest";
import { type ControllerWorld, newWorld, type WorldOptions } from "../../test/harness/controller-world.ts";
import { resources } from "../api/resources.ts";
import type { ConfigMap } from "../api/types/core-v1.gen.ts";
import { keyOf } from "../api/object.ts";
import { PerOwner } from "../api/per-owner.ts";
import { createMetrics } from "../metrics/registry.ts";
import type { Cache, Wake } from "./cache.ts";
import type { Change } from "./change.ts";
import type { ConsistencyStore } from "./consistency.ts";
import type { ControllerDescriptor } from "./env.ts";
import { type Kit, wired } from "./kit.ts";
import type { Sync } from "./sync.ts";
import { itself } from "./wake-rules.ts";

let world: ControllerWorld;
afterEach(async () => world.stop());

type Shown = readonly {
  readonly queue: string;
  readonly history: readonly {
    readonly key: string;
    readonly reasons: readonly string[];
    readonly decisions: readonly string[];
    readonly writes: readonly string[];
    readonly outcome: string;
  }[];
}[];

/** A controller of ConfigMaps, which `setUp` wires. */
function probe(setUp: (kit: Kit, maps: Cache<ConfigMap>) => void): ControllerDescriptor {
  return {
    name: "probe",
    clientName: "probe",
    eventSource: "probe",
    build: wired((kit) => setUp(kit, kit.reads(resources.configMaps))),
  };
}

async function start(setUp: Parameters<typeof probe>[0], options: WorldOptions = {}) {
  world ??= await newWorld(options);
  const set = await world.start(probe(setUp));
  const shown = (query = ""): Shown => {
    const page = set.debug("probe", "/", new URLSearchParams(query));
    return JSON.parse(page?.body ?? "[]") as Shown;
  };
  return { set, shown };
}

async function stage(options: WorldOptions = {}): Promise<void> {
  world = await newWorld(options);
}

const map = (name: string): ConfigMap => ({ metadata: { name }, data: {} });
const queueOf = (maps: Cache<ConfigMap>, synced: string[], extra = {}) => ({
  name: "maps",
  workers: 1,
  owners: maps,
  sync: async ({ owner }: { owner: ConfigMap }) => (synced.push(keyOf(owner)), {}),
  ...extra,
});

describe("the owners of a queue", () => {
  test("are synced when they were there, came and changed, with the object at hand", async () => {
    await stage();
    await world.create(resources.configMaps, map("there"));
    const synced: string[] = [];
    await start((kit, maps) => kit.ownerQueue(queueOf(maps, synced)));
    expect(synced).toEqual(["default/there"]);
    await world.create(resources.configMaps, map("new"));
    await world.run();
    await world.update(resources.configMaps, "there", (object) => ({ ...object, data: { a: "1" } }));
    await world.run();
    expect(synced).toEqual(["default/there", "default/new", "default/there"]);
  });

  test("that go are forgotten, and not synced", async () => {
    await stage();
    const synced: string[] = [];
    const gone: string[] = [];
    const memory = new PerOwner<string>();
    const remember = async ({ owner }: { owner: ConfigMap }) => (memory.set(owner, "seen"), {});
    await start((kit, maps) =>
      kit.ownerQueue(
        queueOf(maps, synced, { remembers: [memory], gone: (key: string) => gone.push(key), sync: remember }),
      ),
    );
    await world.create(resources.configMaps, map("one"));
    await world.run();
    expect([memory.size, gone]).toEqual([1, []]);
    await world.delete(resources.configMaps, "one");
    await world.run();
    expect([memory.size, gone]).toEqual([0, ["default/one"]]);
  });

  test("that go have a sync of their own, after they are forgotten, where one is asked for", async () => {
    await stage();
    const memory = new PerOwner<string>();
    const seen: unknown[] = [];
    const sync = async ({ owner }: { owner: ConfigMap }) => (memory.set(owner, "seen"), {});
    const syncGone = async ({ key }: { key: string }) => {
      seen.push([key, memory.size]);
      return seen.length === 1 ? { requeueAfterMs: 10 } : {};
    };
    await start((kit, maps) => kit.ownerQueue(queueOf(maps, [], { remembers: [memory], sync, syncGone })));
    await world.create(resources.configMaps, map("one"));
    await world.run();
    await world.delete(resources.configMaps, "one");
    await world.run();
    expect(seen).toEqual([
      ["default/one", 0],
      ["default/one", 0],
    ]);
  });

  test("are forgotten, too, where nobody is woken by their end", async () => {
    await stage();
    const memory = new PerOwner<string>();
    const remember = async ({ owner }: { owner: ConfigMap }) => (memory.set(owner, "seen"), {});
    await start((kit, maps) =>
      kit.ownerQueue(
        queueOf(maps, [], {
          remembers: [memory],
          sync: remember,
          wakes: (change: Change<ConfigMap>, wake: Wake) => {
            if (change.type !== "deleted") itself(change, wake);
          },
        }),
      ),
    );
    await world.create(resources.configMaps, map("one"));
    await world.run();
    await world.delete(resources.configMaps, "one");
    await world.run();
    expect(memory.size).toBe(0);
  });

  test("leave nothing behind when they go while they are synced", async () => {
    await stage();
    const memory = new PerOwner<string>();
    const synced = Promise.withResolvers<void>();
    await start((kit, maps) =>
      kit.ownerQueue(
        queueOf(maps, [], {
          remembers: [memory],
          sync: async ({ owner }: { owner: ConfigMap }) => {
            await synced.promise;
            memory.set(owner, "too late");
            return {};
          },
        }),
      ),
    );
    await world.create(resources.configMaps, map("one"));
    await world.run();
    await world.delete(resources.configMaps, "one");
    await world.run();
    synced.resolve();
    await world.run();
    expect(memory.size).toBe(0);
  });

  test("wait until the cache has seen what was written for them", async () => {
    await stage();
    const synced: (string | undefined)[] = [];
    await start((kit, maps) => {
      const writes = kit.writes(resources.configMaps);
      kit.ownerQueue({
        ...queueOf(maps, []),
        sync: async (sync) => {
          const { owner } = sync;
          synced.push(owner.data?.["count"]);
          const count = String(Number(owner.data?.["count"] ?? 0) + 1);
          if (count === "4") return {};
          await writes.update(sync, { ...owner, data: { count } });
          return { requeueAfterMs: 0 };
        },
      });
    });
    await world.create(resources.configMaps, map("one"));
    await world.run();
    const release = world.server.parts.faults.holdWatches({ resource: "configmaps" });
    await world.update(resources.configMaps, "one", (object) => ({ ...object, data: {} }));
    await world.run();
    release();
    await world.run();
    expect(synced).toEqual([undefined, "1", "2", "3", "3", undefined, "1", "2", "3"]);
    expect(world.takeWrites().filter(({ status }) => status !== 200)).toEqual([]);
  });

  test("of several kinds have what was written for each kept apart", async () => {
    await stage();
    const sync = async (): Promise<object> => ({});
    await start((kit, maps) => {
      const owners = kit.reads(resources.secrets);
      kit.ownerQueue({ ...queueOf(maps, []), name: "maps" });
      const secrets = { name: "secrets", workers: 1, owners, sync };
      expect(() => kit.ownerQueue(secrets)).toThrow("Secret is not ConfigMap");
      kit.ownerQueue({ ...secrets, consistency: kit.newConsistency() });
    });
  });

  test.each([
    { gate: true, waits: true },
    { gate: false, waits: false },
  ])("wait only where the gate of that feature is on: $gate", async ({ gate, waits }) => {
    await stage({ features: { StaleControllerConsistencyJob: gate } });
    let store: ConsistencyStore | undefined;
    await start((kit) => {
      kit.readYourWrites({ featureGate: "StaleControllerConsistencyJob" });
      store = kit.consistency;
    });
    store?.wroteAt("default/a", "uid", resources.configMaps, "999999");
    expect(store?.waitMs("default/a") !== undefined).toBe(waits);
  });
});

describe("a sync", () => {
  test("does not begin before all caches are full and what comes before it is done", async () => {
    await stage();
    await world.create(resources.configMaps, map("there"));
    const events: string[] = [];
    const action = { kind: "disconnect", when: "refused" } as const;
    const release = world.server.parts.faults.add({ target: { resource: "secrets" }, action });
    await start((kit, maps) => {
      kit.reads(resources.secrets);
      kit.beforeSyncs(() => events.push("prepared"));
      kit.ownerQueue({ ...queueOf(maps, events) });
    });
    expect(events).toEqual([]);
    release();
    await world.run(60_000);
    expect(events).toEqual(["prepared", "default/there"]);
  });

  test("knows what has woken it", async () => {
    await stage();
    await world.create(resources.configMaps, map("there"));
    const reasons: Sync["reasons"][] = [];
    await start((kit, maps) =>
      kit.ownerQueue(queueOf(maps, [], { sync: async (sync: Sync) => (reasons.push(sync.reasons), {}) })),
    );
    await world.update(resources.configMaps, "there", (object) => ({ ...object, data: { a: "1" } }));
    await world.run();
    const there = { resource: "configmaps", object: "default/there" };
    expect(reasons).toEqual([
      [{ change: "listed", ...there }],
      [{ change: "updated", ...there, paths: ["data"] }],
    ]);
  });

  test("is told of, with what it decided and wrote and how it ended, the latest first", async () => {
    await stage();
    const { shown } = await start((kit, maps) => {
      const client = kit.env.client.clientFor(resources.configMaps);
      kit.ownerQueue(
        queueOf(maps, [], {
          sync: async ({ owner, signal, decided }: Sync & { owner: ConfigMap }) => {
            if (owner.metadata.name === "bad") throw new Error("it is bad");
            void decided;
            return owner.data?.["done"] === "yes"
              ? {}
              : (await client.update({ ...owner, data: { done: "yes" } }, {}, signal),
                { requeueAfterMs: 5_000 });
          },
        }),
      );
    });
    await world.create(resources.configMaps, map("good"));
    await world.run(1_000);
    const [queue] = shown("key=default/good");
    expect(queue?.history.map(({ reasons, writes, outcome }) => [reasons, writes, outcome])).toEqual([
      [["configmaps default/good updated: data"], [], "done"],
      [
        ["configmaps default/good added"],
        ["PUT /api/v1/namespaces/default/configmaps/good 200"],
        "again in 5000 ms",
      ],
    ]);
    await world.create(resources.configMaps, map("bad"));
    await world.run(1);
    expect(shown("key=default/bad")[0]?.history[0]?.outcome).toBe("failed: it is bad");
  });

  test("puts its decisions into the history", async () => {
    await stage();
    const { shown } = await start((kit, maps) =>
      kit.ownerQueue(
        queueOf(maps, [], {
          sync: async (sync: Sync) => (sync.decided("Too few", { count: 3 }), {}),
        }),
      ),
    );
    await world.create(resources.configMaps, map("one"));
    await world.run();
    expect(shown()[0]?.history[0]?.decisions).toEqual(["Too few count=3"]);
  });

  test("shows its decisions as they were made, and the beginning of long ones", async () => {
    await stage();
    const names = ["a"];
    const { shown } = await start((kit, maps) =>
      kit.ownerQueue(
        queueOf(maps, [], {
          sync: async (sync: Sync) => {
            sync.decided("Some", { names });
            names.push("b");
            sync.decided("One", { name: "x".repeat(1_000) });
            return {};
          },
        }),
      ),
    );
    await world.create(resources.configMaps, map("one"));
    await world.run();
    const [some, one] = shown()[0]?.history[0]?.decisions ?? [];
    expect(some).toBe('Some names=["a"]');
    expect(one).toMatch(/^One name="x{289}…$/);
  });

  test("is not told of where no history is kept", async () => {
    await stage({ syncHistory: 0 });
    const { shown } = await start((kit, maps) => kit.ownerQueue(queueOf(maps, [])));
    await world.create(resources.configMaps, map("one"));
    await world.run();
    expect(shown().map(({ history }) => history)).toEqual([[]]);
  });
});

describe("a queue", () => {
  const order = async (fairQueues: boolean): Promise<readonly string[]> => {
    await stage({ fairQueues });
    const namespaces = world.client.clientFor(resources.namespaces);
    await namespaces.create({ metadata: { name: "other" } });
    for (const name of ["a", "b", "c"]) await world.create(resources.configMaps, map(name));
    await world.create(resources.configMaps, { ...map("z"), metadata: { name: "z", namespace: "other" } });
    const synced: string[] = [];
    await start((kit, maps) => kit.ownerQueue(queueOf(maps, synced)));
    return synced;
  };

  test("lets namespaces take turns", async () => {
    expect((await order(true)).indexOf("other/z")).toBeLessThan(3);
  });

  test("is served in order where they are not to", async () => {
    expect((await order(false)).indexOf("other/z")).toBe(3);
  });

  test("has its metrics, unless it is one that upstream lacks", async () => {
    const metrics = createMetrics({ version: "1.36.4" }).main;
    await stage({ metrics });
    await start((kit, maps) => {
      kit.ownerQueue(queueOf(maps, []));
      kit.queue({ name: "own", workers: 1, unmeasured: true, sync: async () => ({}) });
    });
    const text = await metrics.expose();
    expect(text).toContain('workqueue_depth{name="maps"}');
    expect(text).not.toContain('name="own"');
  });

  test("has a name of its own at health checks", async () => {
    await stage();
    const { set } = await start((kit, maps) => {
      kit.ownerQueue(queueOf(maps, []));
      kit.queue({ name: "maps", label: "others", workers: 2, sync: async () => ({}) });
    });
    const pools = set.health().get("probe")?.pools ?? {};
    expect(Object.entries(pools).map(([name, { workersAlive }]) => [name, workersAlive])).toEqual([
      ["maps", 1],
      ["others", 2],
    ]);
  });

  test("that would have the name of another is refused", async () => {
    await stage();
    const twice = start((kit, maps) => {
      kit.ownerQueue(queueOf(maps, []));
      kit.ownerQueue(queueOf(maps, []));
    });
    await expect(twice).rejects.toThrow("two queues are named maps");
  });
});

test("rounds follow each other, each so long after the one before, and are known to health checks", async () => {
  await stage();
  const at: number[] = [];
  const { set } = await start((kit) =>
    kit.every({ name: "rounds", periodMs: 10_000, round: async () => (at.push(kit.env.clock.nowMs()), {}) }),
  );
  await world.run(30_000);
  expect(at.slice(1).map((ms, index) => ms - (at[index] ?? 0))).toEqual([10_000, 10_000, 10_000]);
  expect(set.health().get("probe")?.pools["rounds"]?.workersAlive).toBe(1);
});
