import { featureGates } from "../../pkg/api/feature-gates.ts";
import { type ApiObject, keyOf, type PartialObject, type Stored } from "../../pkg/api/object.ts";
import type { Resource, TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import type { Informers } from "../../pkg/cache/informer/informer-factory.ts";
import type { IndexFunction } from "../../pkg/cache/informer/informer.ts";
import { Store } from "../../pkg/cache/store/store.ts";
import { StoreLister } from "../../pkg/cache/store/store-lister.ts";
import { Kit } from "../../pkg/controller/kit.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { fencedClient } from "../../pkg/leader/fenced-client.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { fakeClients } from "../../test/harness/fake-clients.ts";
import { type FakeAnswer, FakeTransport } from "../../test/harness/fake-transport.ts";
import { ownerSyncOf } from "../../test/harness/sync-of.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { persistentVolumeContext, type PersistentVolumeSettings } from "./context.ts";
import { followVolume } from "./handlers.ts";
import { syncClaim } from "./sync-claim.ts";
import { syncVolume } from "./sync-volume.ts";

/** A request that fails, once for each time that it stands in the list. */
export interface Failing {
  readonly method: string;
  /** Part of the path. */
  readonly path: string;
  readonly status?: number;
  readonly reason?: string;
}

export interface Given {
  readonly volumes?: readonly Stored<PersistentVolume>[];
  readonly claims?: readonly Stored<PersistentVolumeClaim>[];
  /** The server has these, and the cache does not, or others of their names. */
  readonly unseen?: readonly ApiObject[];
  readonly classes?: readonly StorageClass[];
  readonly pods?: readonly Pod[];
  readonly nodes?: readonly Node[];
  readonly failing?: readonly Failing[];
  readonly settings?: Partial<PersistentVolumeSettings>;
  /** What becomes of calls that make and remove directories, in order: an error's message, or "" for success. */
  readonly makes?: readonly string[];
  readonly removes?: readonly string[];
  /** Name of a volume that somebody else is writing, and lets go of when the sync has ended. */
  readonly held?: string;
  /** Called when a request is about to be answered. */
  readonly before?: (server: Server, line: string) => void;
}

export interface Outcome {
  readonly volumes: readonly ApiObject[];
  readonly claims: readonly ApiObject[];
  /** "Normal Reason message". */
  readonly events: readonly string[];
  readonly result: SyncResult | undefined;
  readonly error: unknown;
  /** What is to be looked at again: "claim default/data", "volume pv after 500". */
  readonly woken: readonly string[];
  readonly requests: readonly string[];
}

type Server = Map<string, ApiObject>;

/** Keeps objects by their paths, as simple as can be: no defaults, no rules, versions are counted. */
class Reactor {
  readonly objects: Server = new Map();
  readonly transport: FakeTransport;
  readonly #failing: Failing[];
  #version = 10;

  constructor({ failing = [], before }: Given) {
    this.#failing = [...failing];
    this.transport = new FakeTransport(({ method, path, body }) => {
      before?.(this.objects, `${method} ${path}`);
      return this.#answer(method, path, body as ApiObject);
    });
  }

  add(resource: Resource, object: ApiObject): void {
    this.objects.set(pathOf(resource, object), object);
  }

  of(resource: Resource): readonly ApiObject[] {
    return [...this.objects]
      .filter(([path]) => path.includes(`/${resource.plural}/`))
      .map(([, each]) => each);
  }

  #answer(method: string, path: string, body: ApiObject): FakeAnswer {
    const index = this.#failing.findIndex((each) => each.method === method && path.includes(each.path));
    const failing = this.#failing[index];
    if (failing !== undefined) {
      this.#failing.splice(index, 1);
      return refusal(failing.status ?? 500, failing.reason ?? "InternalError");
    }
    const [at = "", isStatus] = path.endsWith("/status") ? [path.slice(0, -"/status".length), true] : [path];
    if (method === "POST") {
      const key = `${path}/${body.metadata.name}`;
      return this.objects.has(key) ? refusal(409, "AlreadyExists") : this.#keep(key, { ...body });
    }
    const before = this.objects.get(at);
    if (before === undefined) return refusal(404, "NotFound");
    if (method === "GET") return { body: before };
    if (method === "DELETE") {
      this.objects.delete(at);
      return { body: before };
    }
    if (body.metadata.resourceVersion !== before.metadata.resourceVersion) return refusal(409, "Conflict");
    const { status } = before as PersistentVolume;
    return this.#keep(at, isStatus ? body : { ...body, ...(status && { status }) });
  }

  #keep(path: string, object: ApiObject): FakeAnswer {
    const uid = object.metadata.uid ?? `uid-of-${object.metadata.name}`;
    const kept = {
      ...object,
      metadata: { ...object.metadata, uid, resourceVersion: String(this.#version++) },
    };
    this.objects.set(path, kept);
    return { body: kept };
  }
}

function pathOf({ group, version, plural, namespaced }: Resource, { metadata }: ApiObject): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespaced ? `/namespaces/${metadata.namespace}` : "";
  return `${root}${place}/${plural}/${metadata.name}`;
}

function refusal(status: number, reason: string): FakeAnswer {
  return {
    status,
    body: { kind: "Status", status: "Failure", code: status, reason, message: `Mock ${reason}` },
  };
}

/** Caches that hold these objects, and never change. */
function informersOf(contents: ReadonlyMap<string, readonly ApiObject[]>): Informers {
  const synced = { hasSynced: () => true, whenSynced: async () => true };
  const informer = (resource: TypedResource<PartialObject>) => {
    const store = new Store<Stored<PartialObject>>();
    for (const object of contents.get(resource.plural) ?? [])
      store.set(keyOf(object), object as Stored<ApiObject>);
    return {
      ...synced,
      lister: new StoreLister(store),
      addHandler: () => ({ ...synced, remove: () => undefined }),
      addIndex: (name: string, index: IndexFunction<PartialObject>) => store.addIndex(name, index),
      listLive: async () => undefined,
      lastSyncResourceVersion: () => "",
      silentSinceMs: () => 0,
    };
  };
  return {
    informer,
    metadataInformer: informer,
    start: () => undefined,
    release: async () => undefined,
  } as never;
}

const SETTINGS: Omit<PersistentVolumeSettings, "hostPaths"> = {
  retryPeriodMs: 15_000,
  provisions: true,
  provisionsHostPaths: true,
  recyclerTemplates: () => ({ hostPath: undefined, nfs: undefined }),
  minimumHostPathSeconds: 60,
  incrementHostPathSeconds: 30,
  minimumNfsSeconds: 300,
  incrementNfsSeconds: 30,
};

/** One sync of the first claim or volume that is given, with what it starts, and the world after it. */
export async function syncOnce(what: "claim" | "volume", given: Given): Promise<Outcome> {
  const { volumes = [], claims = [], unseen = [] } = given;
  const reactor = new Reactor(given);
  for (const each of volumes) reactor.add(resources.persistentVolumes, each);
  for (const each of [...claims, ...unseen])
    reactor.add(
      each.kind === "PersistentVolume" ? resources.persistentVolumes : resources.persistentVolumeClaims,
      each,
    );
  const clock = new VirtualClock();
  const [events, woken]: [string[], string[]] = [[], []];
  const wake = (sort: string) => (key: string, afterMs?: number) =>
    void woken.push(`${sort} ${key}${afterMs === undefined ? "" : ` after ${afterMs}`}`);
  const context = persistentVolumeContext(kitOf(given, { reactor, clock, events }), settingsOf(given), {
    claim: wake("claim"),
    volume: wake("volume"),
  });
  for (const object of volumes) followVolume({ type: "added", object, listed: true }, context);
  const { held } = given;
  if (held !== undefined) context.holds.tryHold(held, () => undefined);
  const stop = new AbortController();
  const operations = context.operations.run(stop.signal);
  let [result, error]: [SyncResult | undefined, unknown] = [undefined, undefined];
  let ended = false;
  const run = async (): Promise<void> => {
    const [volume, claim] = [volumes[0], claims[0]];
    try {
      if (what === "claim" && claim) result = await syncClaim(ownerSyncOf(claim), context);
      if (what === "volume" && volume) result = await syncVolume(ownerSyncOf(volume), context);
    } catch (failure) {
      error = failure;
    }
    ended = true;
  };
  void run();
  await clock.runUntil(() => ended, 10_000);
  if (held !== undefined) context.holds.release(held);
  // What was started tries again for less than two minutes.
  await clock.advanceBy(120_000);
  stop.abort();
  await operations;
  return {
    volumes: reactor.of(resources.persistentVolumes),
    claims: reactor.of(resources.persistentVolumeClaims),
    events,
    result,
    error,
    woken,
    requests: reactor.transport.lines,
  };
}

function settingsOf({ makes = [], removes = [], settings }: Given): PersistentVolumeSettings {
  const calls = (left: string[]) => async (): Promise<void> => {
    const message = left.shift() ?? "no calls configured";
    if (message !== "") throw new Error(message);
  };
  return { ...SETTINGS, hostPaths: { make: calls([...makes]), remove: calls([...removes]) }, ...settings };
}

interface Stage {
  readonly reactor: Reactor;
  readonly clock: VirtualClock;
  readonly events: string[];
}

function kitOf(given: Given, { reactor, clock, events }: Stage): Kit {
  const { volumes = [], claims = [], classes = [], pods = [], nodes = [] } = given;
  const tell = (_: PartialObject, type: string, reason: string, message: string): void =>
    void events.push(`${type} ${reason} ${message}`);
  return new Kit({
    client: fencedClient(fakeClients(reactor.transport, clock).client("test"), openGate),
    informers: informersOf(
      new Map<string, readonly ApiObject[]>([
        ["persistentvolumes", volumes],
        ["persistentvolumeclaims", claims],
        ["storageclasses", classes],
        ["pods", pods],
        ["nodes", nodes],
      ]),
    ),
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: noMetrics,
    features: featureGates(),
    events: { event: tell, eventWithAnnotations: () => undefined },
    fairQueues: false,
    syncHistory: 0,
  });
}
