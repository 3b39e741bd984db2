import { featureGates } from "../../pkg/api/feature-gates.ts";
import { type Stored, keyOf } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod, Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { type Metrics, noMetrics } from "../../pkg/metrics/metrics.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import { OwnedPods } from "../../pkg/controller/owned-pods.ts";
import { CONTROLLER_INDEX, controllerIndex } from "../../pkg/controller/controller-index.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { SyncRun } from "../../pkg/controller/sync-run.ts";
import { cacheOf } from "../../test/harness/lister-of.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { BackoffRecord } from "./backoff.ts";
import type { JobContext } from "./context.ts";
import { FinalizerExpectations } from "./finalizer-expectations.ts";
import { TRACKING_FINALIZER, type CachedPod } from "./job-pods.ts";
import { jobMetrics } from "./metrics.ts";
import { podTemplate } from "./pod-template.ts";
import { NOW_MS, pod } from "./samples.test-data.ts";
import { TRACKED_PODS_INDEX, trackedPodsIndex } from "./tracked-pods.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { PodClient } from "../../pkg/controller/pod-control.ts";

/** What the controller knows before it looks, and what goes wrong. */
export interface Before {
  readonly backoff?: BackoffRecord;
  /** Creations that it has yet to see; when negative, deletions. */
  readonly awaits?: number;
  /** uids of pods whose finalizer it has yet to see gone. */
  readonly released?: readonly string[];
  /** Every write of pods fails. */
  readonly podsFail?: true;
  /** Writes of the status fail like this. */
  readonly statusFails?: Error;
  /** Pods are what they are: without labels and owner, unless they say so. */
  readonly looseToo?: true;
  /** The server has the Job like this. */
  readonly onServer?: Stored<Job>;
  /** No more pods than this can be created. */
  readonly mostCreated?: number;
}

export const LABELS = { app: "job" };

/** Takes the place of the API server: writes down what it is asked. */
export class Recorder {
  readonly job: Stored<Job>;
  readonly #before: Before;
  /** Every status that was to be written. */
  readonly statuses: JobStatus[] = [];
  readonly created: Stored<Pod>[] = [];
  readonly events: string[] = [];
  /** Pods that the metrics say have finished. */
  readonly counted = { succeeded: 0, failed: 0 };
  /** Name and body. */
  readonly patches: string[] = [];
  readonly tracked: string[] = [];
  readonly policyActions: string[] = [];
  deleted = 0;
  /** Pods whose finalizer was to go. */
  released = 0;
  /** Requests are left without an answer. */
  #isAway = false;

  constructor(job: Stored<Job>, before: Before) {
    this.job = withSelector(job);
    this.#before = before;
  }

  /** With these pods in the cache, and these Jobs. */
  context(all: readonly Stored<Pod>[], jobs: readonly Stored<Job>[] = [this.job]): JobContext {
    const clock = new VirtualClock(NOW_MS);
    const event = (_: unknown, _type: string, reason: string): void => void this.events.push(reason);
    const { released = [], backoff, looseToo } = this.#before;
    const pods = cacheOf<CachedPod, Pod>(
      resources.pods,
      looseToo ? all : all.map((each) => ownedBy(this.job, each)),
      {
        [CONTROLLER_INDEX]: controllerIndex,
        [TRACKED_PODS_INDEX]: trackedPodsIndex,
      },
    );
    const context: JobContext = {
      jobs: cacheOf<Job>(resources.jobs, jobs),
      pods,
      namespaces: cacheOf<Projected<Namespace, []>, Namespace>(resources.namespaces, []),
      writes: {
        updateStatus: async (_: unknown, job: Stored<Job>) => {
          this.statuses.push(job.status ?? {});
          if (this.#before.statusFails) throw this.#before.statusFails;
          return asStored(job);
        },
      },
      owned: this.#ownedPods(clock, pods, jobs),
      finalizers: new FinalizerExpectations(),
      backoffs: new PerOwner(),
      finished: new PerOwner(),
      events: { event, eventWithAnnotations: () => {} },
      clock,
      features: featureGates(),
      metrics: jobMetrics(this.#metrics()),
    };
    if (backoff !== undefined) context.backoffs.set(this.job, backoff);
    context.finalizers.expectRemoval(this.job, released);
    return context;
  }

  #ownedPods(
    clock: VirtualClock,
    pods: JobContext["pods"],
    jobs: readonly Stored<Job>[],
  ): JobContext["owned"] {
    const onServer = { get: async () => asStored(this.#before.onServer ?? this.job) };
    const client = { dynamic: () => onServer };
    const consistency = new ConsistencyStore({ clock, log: silentLogger, caches: [] });
    const events = { event: () => {}, eventWithAnnotations: () => {} };
    const owned = new OwnedPods<Job, CachedPod, Stored>(
      { consistency, env: { client, clock, events, log: silentLogger } },
      {
        owners: cacheOf<Job>(resources.jobs, jobs),
        pods,
        podClient: this.#podClient(),
        finalizer: TRACKING_FINALIZER,
      },
    );
    this.#asks(owned);
    return owned;
  }

  /** Asks for what is yet to be seen. No answer comes. */
  #asks(owned: JobContext["owned"]): void {
    const { awaits = 0 } = this.#before;
    this.#isAway = true;
    const sync = syncOf(this.job);
    if (awaits > 0) void owned.create(sync, podTemplate(this.job), awaits);
    const leaving = Array.from({ length: Math.max(0, -awaits) }, (_, index) =>
      pod({ uid: `awaited${index}` }),
    );
    if (leaving.length > 0) void owned.remove(sync, leaving);
    this.#isAway = false;
  }

  #podClient(): PodClient<Stored> {
    const { podsFail, mostCreated = Infinity } = this.#before;
    const answer = async <T>(write: () => T): Promise<T> => {
      if (this.#isAway) return new Promise(() => {});
      const written = write();
      if (podsFail) throw refused();
      return written;
    };
    return {
      create: async (created: Stored<Pod>) =>
        answer(() => {
          if (this.created.length >= mostCreated) throw refused();
          this.created.push(created);
          return asStored(created);
        }),
      delete: async () => {
        if (podsFail) throw refused();
        return answer(() => (this.deleted++, asStored(pod())));
      },
      patch: async ({ name }, { body }) =>
        answer(() => {
          this.released++;
          this.patches.push(`${name} ${JSON.stringify(body)}`);
          return asStored(pod());
        }),
    };
  }

  #metrics(): Metrics {
    const record = (name: string, labels: Readonly<Record<string, string>>, amount: number): void => {
      const { result, event = "", action = "" } = labels;
      if (name === "job_pods_finished_total")
        this.counted[result === "failed" ? "failed" : "succeeded"] += amount;
      if (name === "terminated_pods_tracking_finalizer_total") this.tracked.push(event);
      if (name === "pod_failures_handled_by_failure_policy_total")
        this.policyActions.push(`${amount} ${action}`);
    };
    return {
      ...noMetrics,
      counter: (options) => {
        const name = options.name.replace("job_controller_", "");
        const inc = (labels = {}, amount = 1): void => record(name, labels, amount);
        return { inc, with: (labels) => ({ inc: (amount) => inc(labels, amount) }) };
      },
    };
  }
}

/** What a sync of the Job is given. */
export function syncOf(owner: Stored<Job>): OwnerSync<Job> {
  const { signal } = new AbortController();
  const run = new SyncRun({ key: keyOf(owner), reasons: [], log: silentLogger, signal, noted: false });
  return Object.assign(run, { owner: asStored(owner) });
}

export function withSelector(job: Stored<Job>): Stored<Job> {
  const { template = {} } = job.spec ?? {};
  const labelled = { ...template, metadata: { ...template.metadata, labels: LABELS } };
  return { ...job, spec: { ...job.spec, selector: { matchLabels: LABELS }, template: labelled } };
}

export function ownedBy(job: Stored<Job>, owned: Stored<Pod>): Stored<Pod> {
  const ownerReferences = [newControllerRef(asStored(job), resources.jobs)];
  return { ...owned, metadata: { ...owned.metadata, labels: LABELS, ownerReferences } };
}

export function conflict(): ApiError {
  return new ApiError("it has changed", { code: 409, reason: "Conflict", method: "PUT", path: "/" });
}

export function refused(): ApiError {
  return new ApiError("refused", { code: 500, reason: "InternalError", method: "POST", path: "/" });
}
