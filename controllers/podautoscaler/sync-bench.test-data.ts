import { featureGates } from "../../pkg/api/feature-gates.ts";
import type { Json } from "../../pkg/api/json.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";
import { resources } from "../../pkg/api/resources.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
} from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { KindLookup } from "../../pkg/client/kind-lookup.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import { RecordedWrites } from "../../pkg/controller/recorded-writes.ts";
import { fencedClient } from "../../pkg/leader/fenced-client.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { type Metrics, noMetrics } from "../../pkg/metrics/metrics.ts";
import { fakeClients } from "../../test/harness/fake-clients.ts";
import { type FakeAnswer, FakeTransport } from "../../test/harness/fake-transport.ts";
import { cacheOf } from "../../test/harness/lister-of.ts";
import { stored } from "../../test/harness/stored.ts";
import { ownerSyncOf } from "../../test/harness/sync-of.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import type { AutoscalerContext, AutoscalerSettings } from "./context.ts";
import type { CachedPod } from "./fields.ts";
import { autoscalerMetrics } from "./metrics.ts";
import { SelectorIndex } from "./selector-index.ts";
import { MetricsApis } from "./sync-fetch.ts";
import { syncAutoscaler } from "./sync.ts";
import { Targets } from "./sync-target.ts";

/** What the API server answers, in parts; each may be replaced. */
export interface Answers {
  /** Of a GET of the scale. */
  scale(): FakeAnswer;
  /** Of a PUT of it. */
  updateScale(): FakeAnswer;
  updateStatus(): FakeAnswer;
  /** Of the APIs of metrics, by the path. */
  metrics(path: string, query: URLSearchParams | undefined): FakeAnswer;
}

export interface BenchOptions {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly pods: readonly Pod[];
  readonly replicaSets?: readonly ReplicaSet[];
  readonly answers: Answers;
  readonly features?: Readonly<Record<string, boolean>>;
  readonly settings?: Partial<AutoscalerSettings>;
  readonly metrics?: Metrics;
  readonly nowMs: number;
  /** Instead of the virtual one, where work takes its time. */
  readonly clock?: Clock;
}

export const SETTINGS: AutoscalerSettings = {
  workers: 1,
  syncPeriodMs: 15_000,
  downscaleStabilizationMs: 300_000,
  tolerance: 0.1,
  cpuInitializationPeriodMs: 120_000,
  initialReadinessDelayMs: 10_000,
  ownedPodsOnly: false,
};

/** What a sync has told and written. */
export interface Told {
  readonly events: readonly string[];
  readonly scales: readonly number[];
  readonly status: HorizontalPodAutoscalerStatus | undefined;
  readonly error: unknown;
  readonly requests: readonly string[];
}

/** One autoscaler in a world of tables: nothing but what the case says is there. */
export class SyncBench {
  readonly context: AutoscalerContext;
  readonly clock: VirtualClock;
  readonly #transport: FakeTransport;
  #autoscaler: HorizontalPodAutoscaler;
  #events: string[] = [];

  constructor(options: BenchOptions) {
    const { pods, replicaSets = [], answers, features, metrics = noMetrics } = options;
    const settings = { ...SETTINGS, ...options.settings };
    this.#autoscaler = options.autoscaler;
    this.clock = new VirtualClock(options.nowMs);
    this.#transport = new FakeTransport(({ method, path, query }) => {
      if (path === "/api") return { body: discovery([["", "v1", CORE]]) };
      if (path === "/apis") return { body: discovery([["apps", "v1", APPS]]) };
      if (path === "/apis/custom.metrics.k8s.io") return { body: CUSTOM_GROUP };
      if (path.endsWith("/scale")) return method === "PUT" ? answers.updateScale() : answers.scale();
      if (path.includes("horizontalpodautoscalers")) return answers.updateStatus();
      return answers.metrics(path, query);
    });
    const clock = options.clock ?? this.clock;
    const plain = fakeClients(this.#transport, clock).client("horizontal-pod-autoscaler");
    const client = fencedClient(plain, openGate);
    const gates = featureGates(features);
    const kinds = new KindLookup(client, clock);
    const event = (_: unknown, type: string, reason: string, message: string): void =>
      void this.#events.push(`${type} ${reason} ${message}`);
    const autoscalers = cacheOf(resources.horizontalPodAutoscalers, [this.#autoscaler]);
    const consistency = new ConsistencyStore({ clock, log: silentLogger, caches: [] });
    this.context = {
      settings,
      autoscalers,
      pods: cacheOf<CachedPod, Pod>(resources.pods, pods.map(stored)),
      replicaSets: cacheOf(resources.replicaSets, replicaSets.map(stored)).lister,
      targets: new Targets(client, kinds, clock),
      apis: new MetricsApis({ client, kinds, clock, versionPeriodMs: settings.syncPeriodMs }),
      statuses: new RecordedWrites(
        { env: { client, clock, log: silentLogger }, consistency },
        resources.horizontalPodAutoscalers,
      ),
      selectors: new SelectorIndex(),
      past: new PerOwner(),
      explanations: new PerOwner(),
      gates: {
        scaleToZero: gates.enabled("HPAScaleToZero"),
        ownTolerances: gates.enabled("HPAConfigurableTolerance"),
        podLevelResources: gates.enabled("PodLevelResources"),
      },
      metrics: autoscalerMetrics(metrics),
      events: { event, eventWithAnnotations: () => undefined },
      clock,
    };
  }

  /** One sync; what it has written is there for the next one. */
  async sync(): Promise<Told> {
    this.#events = [];
    const before = this.#transport.requests.length;
    let error: unknown;
    const run = syncAutoscaler(ownerSyncOf(this.#autoscaler), this.context).catch((failure: unknown) => {
      error = failure;
    });
    let ended = false;
    void run.finally(() => (ended = true));
    await this.clock.runUntil(() => ended, 60_000);
    await run;
    const requests = this.#transport.requests.slice(before);
    const puts = requests.filter(({ method }) => method === "PUT");
    const scales = puts.flatMap(({ path, body }) =>
      path.endsWith("/scale") ? [(body as { spec: { replicas: number } }).spec.replicas] : [],
    );
    const written = puts.findLast(({ path }) => path.endsWith("/status"))?.body;
    if (written !== undefined) this.#autoscaler = written as HorizontalPodAutoscaler;
    const status = (written as HorizontalPodAutoscaler | undefined)?.status;
    return {
      events: this.#events,
      scales,
      status,
      error,
      requests: this.#transport.lines.slice(before),
    };
  }
}

const CORE = [
  ["replicationcontrollers", "ReplicationController"],
  ["services", "Service"],
  ["namespaces", "Namespace"],
] as const;
const APPS = [
  ["deployments", "Deployment"],
  ["replicasets", "ReplicaSet"],
] as const;
const CUSTOM_GROUP = {
  kind: "APIGroup",
  apiVersion: "v1",
  name: "custom.metrics.k8s.io",
  versions: [{ groupVersion: "custom.metrics.k8s.io/v1beta2", version: "v1beta2" }],
  preferredVersion: { groupVersion: "custom.metrics.k8s.io/v1beta2", version: "v1beta2" },
};

type Kinds = readonly (readonly [plural: string, kind: string])[];

function discovery(groups: readonly (readonly [group: string, version: string, Kinds])[]): Json {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    items: groups.map(([name, version, kinds]) => ({
      metadata: { name },
      versions: [
        {
          version,
          resources: kinds.map(([plural, kind]) => ({
            resource: plural,
            responseKind: { kind },
            scope: "Namespaced",
            verbs: ["get"],
            subresources: [{ subresource: "scale" }],
          })),
        },
      ],
    })),
  };
}
