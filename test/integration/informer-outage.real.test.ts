import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiObject, ObjectList, Stored } from "../../pkg/api/object.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { EventHandler } from "../../pkg/cache/informer/informer.ts";
import type { InformerFactoryOptions } from "../../pkg/cache/informer/informer-factory.ts";
import { SharedInformerFactory } from "../../pkg/cache/informer/informer-factory.ts";
import type { ListWatch } from "../../pkg/cache/feed/list-watch.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import { httpClients } from "../../pkg/client/http-clients.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";

const STRESS = process.env["STRESS"] === "1";
const RESTARTS = STRESS ? 20 : 5;
const WRITES_PER_SECOND = 200;

let cluster: RealCluster;
let builder: ClientBuilder;
let clients: ClientSet;

/** Polls: what is waited for happens in another program. */
async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 120_000,
): Promise<void> {
  const startMs = performance.now();
  while (!(await condition())) {
    if (performance.now() - startMs > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function factoryOver(informerClients: InformerFactoryOptions["clients"]): SharedInformerFactory {
  return new SharedInformerFactory({
    clients: informerClients,
    clock: realClock,
    random: realRandom,
    log: silentLogger,
    metrics: noMetrics,
    name: "test",
    strict: (error) => {
      throw error;
    },
  });
}

/** Versions by key: equal versions are equal objects. */
function versions(objects: readonly ApiObject[]): Map<string, string | undefined> {
  return new Map(
    objects
      .map((object) => [keyOf(object), object.metadata.resourceVersion] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

async function listed(resource: Resource): Promise<Map<string, string | undefined>> {
  const list: ObjectList<ApiObject> = await clients.dynamic(resource).list();
  return versions(list.items);
}

/** Keeps its own copy by the events alone, and notes every event that contradicts the ones before. */
class Witness implements EventHandler<ApiObject> {
  readonly seen = new Map<string, ApiObject>();
  readonly contradictions: string[] = [];

  onAdd(object: ApiObject): void {
    if (this.seen.has(keyOf(object))) this.contradictions.push(`add of known ${keyOf(object)}`);
    this.seen.set(keyOf(object), object);
  }

  onUpdate(before: ApiObject, after: ApiObject): void {
    if (this.seen.get(keyOf(after)) !== before) this.contradictions.push(`update of another ${keyOf(after)}`);
    this.seen.set(keyOf(after), after);
  }

  onDelete(object: ApiObject): void {
    if (!this.seen.delete(keyOf(object))) this.contradictions.push(`delete of unknown ${keyOf(object)}`);
  }
}

const configMap = (name: string, value: string): ApiObject =>
  ({ metadata: { namespace: "default", name }, data: { value } }) as ApiObject;

describe("informers of a real API server", () => {
  beforeAll(async () => {
    cluster = await startRealCluster();
    builder = httpClients({
      access: await loadAccess({ kubeconfig: cluster.kubeconfig, env: {} }),
      clock: realClock,
      log: silentLogger,
      metrics: noMetrics,
      env: {},
      userAgent: "informer-test",
      qps: 10_000,
      burst: 10_000,
    });
    clients = builder.client("informers");
  });

  afterAll(async () => {
    await builder.close();
    await cluster.stop();
  });

  test("history that is compacted away makes a new list, with nothing lost and nothing invented", async () => {
    const gate = new Gate();
    const factory = factoryOver({
      dynamic: (resource) => gate.guard(clients.dynamic(resource)),
      metadata: (resource) => gate.guard(clients.metadata(resource)),
    });
    const informer = factory.informer<ApiObject>(resources.configMaps);
    const witness = new Witness();
    informer.addHandler(witness);
    const maps = clients.dynamic(resources.configMaps);
    for (const name of ["kept", "changed", "deleted", "recreated"]) await maps.create(configMap(name, "1"));
    factory.start(new AbortController().signal);
    await until("the cache is complete", () => informer.lister.getByKey("default/recreated") !== undefined);

    gate.close();
    await maps.update({
      ...(await maps.get({ namespace: "default", name: "changed" })),
      ...configMap("changed", "2"),
    });
    await maps.delete({ namespace: "default", name: "deleted" });
    await maps.delete({ namespace: "default", name: "recreated" });
    const last = await maps.create(configMap("recreated", "2"));
    await maps.create(configMap("created", "1"));
    await compact(last.metadata.resourceVersion ?? "");
    // A new API server has no memory of its own of what etcd has forgotten.
    await cluster.restartApiServer();
    gate.open();

    await until("the cache has caught up", () => informer.lister.getByKey("default/created") !== undefined);
    expect(gate.codes).toContain(410);
    const current = await listed(resources.configMaps);
    expect(versions(informer.lister.list())).toEqual(current);
    await until("the handler has been told", () => witness.seen.size === current.size);
    expect(versions([...witness.seen.values()])).toEqual(current);
    expect(witness.contradictions).toEqual([]);
    await factory.shutdown();
  });

  test(
    `an API server that is killed ${RESTARTS} times under load leaves the cache equal to a list`,
    { timeout: RESTARTS * 30_000 },
    async () => {
      const factory = factoryOver(clients);
      const informer = factory.informer<ApiObject>(resources.configMaps);
      const witness = new Witness();
      informer.addHandler(witness);
      factory.start(new AbortController().signal);
      await factory.waitForSync(AbortSignal.timeout(30_000));
      const stop = new AbortController();
      const written = writeUntil(stop.signal);
      for (let restart = 0; restart < RESTARTS; restart++) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await cluster.restartApiServer();
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      stop.abort();
      expect(await written).toBeGreaterThan(RESTARTS * WRITES_PER_SECOND * 0.5);
      await until("the cache equals a list", async () => {
        const current = await listed(resources.configMaps);
        return JSON.stringify([...versions(informer.lister.list())]) === JSON.stringify([...current]);
      });
      await until("the handler has been told", () => witness.seen.size === informer.lister.list().length);
      expect(versions([...witness.seen.values()])).toEqual(versions(informer.lister.list()));
      expect(witness.contradictions).toEqual([]);
      await factory.shutdown();
    },
  );
});

/** Creates, updates and deletes ConfigMaps at the agreed rate; resolves to how many writes succeeded. */
async function writeUntil(signal: AbortSignal): Promise<number> {
  const maps = clients.dynamic(resources.configMaps);
  const pending = new Set<Promise<void>>();
  let succeeded = 0;
  for (let count = 0; !signal.aborted; count++) {
    const name = `load-${count % 100}`;
    const ref = { namespace: "default", name };
    const kind = Math.floor(count / 100) % 4;
    const write =
      kind === 0
        ? maps.create(configMap(name, String(count)))
        : kind === 3
          ? maps.delete(ref)
          : maps.patch(ref, { type: "merge", body: { data: { value: String(count) } } });
    const settled = write.then(
      () => void succeeded++,
      (error: unknown) => {
        // The server is down now and then, and a write that failed lets the next one of that object fail too.
        if (!(error instanceof ApiError)) throw error;
      },
    );
    pending.add(settled);
    void settled.finally(() => pending.delete(settled));
    await new Promise((resolve) => setTimeout(resolve, 1_000 / WRITES_PER_SECOND));
  }
  await Promise.all(pending);
  return succeeded;
}

/** Through etcd's JSON gateway, as its own tool would. */
async function compact(revision: string): Promise<void> {
  const response = await fetch(`${cluster.etcdUrl}/v3/kv/compaction`, {
    method: "POST",
    body: JSON.stringify({ revision, physical: true }),
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}

/** Lets watches break and fail while it is closed, and notes how they are refused. */
class Gate {
  readonly codes: number[] = [];
  #closed = new AbortController();

  close(): void {
    this.#closed.abort(
      new ApiError("the gate is closed", { code: 0, reason: "", method: "GET", path: "/", failure: "lost" }),
    );
  }

  open(): void {
    this.#closed = new AbortController();
  }

  guard(client: ListWatch<Stored>): ListWatch<Stored> {
    const note = (error: unknown): unknown => {
      if (error instanceof ApiError) this.codes.push(error.code);
      return error;
    };
    const closed = (): AbortSignal => this.#closed.signal;
    return {
      listEach: async (options, onItem, signal) => client.listEach(options, onItem, signal),
      async *watch(options, signal) {
        closed().throwIfAborted();
        const both = signal === undefined ? closed() : AbortSignal.any([signal, closed()]);
        try {
          yield* client.watch(options, both);
        } catch (error) {
          throw note(error);
        }
      },
    };
  }
}
