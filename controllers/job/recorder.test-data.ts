import { featureGates } from "../../pkg/api/feature-gates.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { type Metrics, noMetrics } from "../../pkg/metrics/metrics.ts";
import { DeletionTracking, Expectations } from "../../pkg/controller/expectations.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";
import { PodControl } from "../../pkg/controller/pod-control.ts";
import { POD_CONTROLLER_INDEX, podControllerIndex } from "../../pkg/controller/pod-index.ts";
import { listerOf } from "../../test/harness/lister-of.ts";
import { VirtualClock } from "../../test/harness/virtual-clock.ts";
import type { BackoffRecord } from "./backoff.ts";
import { type JobContext, jobMetrics } from "./context.ts";
import { FinalizerExpectations } from "./finalizer-expectations.ts";
import { NOW_MS, pod } from "./samples.test-data.ts";

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
  readonly onServer?: Job;
  /** No more pods than this can be created. */
  readonly mostCreated?: number;
}

export const LABELS = { app: "job" };

/** Takes the place of the API server: writes down what it is asked. */
export class Recorder {
  readonly job: Job;
  readonly #before: Before;
  /** Every status that was to be written. */
  readonly statuses: JobStatus[] = [];
  readonly created: Pod[] = [];
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

  constructor(job: Job, before: Before) {
    this.job = withSelector(job);
    this.#before = before;
  }

  /** With these pods in the cache, and these Jobs. */
  context(all: readonly Pod[], jobs: readonly Job[] = [this.job]): JobContext {
    const clock = new VirtualClock(NOW_MS);
    const expectations = new Expectations(clock);
    const event = (_: unknown, _type: string, reason: string): void => void this.events.push(reason);
    const events = { event, eventWithAnnotations: () => {} };
    const { awaits = 0, released = [], backoff } = this.#before;
    if (awaits > 0) expectations.expectCreations(this.job, awaits);
    if (awaits < 0) expectations.expectDeletions(this.job, -awaits);
    const backoffs = new PerOwner<BackoffRecord>();
    if (backoff !== undefined) backoffs.set(this.job, backoff);
    const finalizers = new FinalizerExpectations();
    finalizers.expectRemoval(this.job, released);
    const owned = this.#before.looseToo ? all : all.map((each) => ownedBy(this.job, each));
    return {
      jobs: listerOf(jobs),
      pods: listerOf(owned, { [POD_CONTROLLER_INDEX]: podControllerIndex }),
      client: {
        get: async () => this.#before.onServer ?? this.job,
        updateStatus: async (job: Job) => {
          this.statuses.push(job.status ?? {});
          if (this.#before.statusFails) throw this.#before.statusFails;
          return job;
        },
      },
      podControl: new PodControl({ pods: this.#podClient(), events: { event: () => {} }, log: silentLogger }),
      expectations,
      deletions: new DeletionTracking(expectations),
      finalizers,
      backoffs,
      finished: new Set(),
      isLeaving: () => false,
      consistency: undefined,
      events,
      clock,
      features: featureGates(),
      metrics: jobMetrics(this.#metrics()),
    };
  }

  #podClient(): ConstructorParameters<typeof PodControl>[0]["pods"] {
    const { podsFail, mostCreated = Infinity } = this.#before;
    const fail = (): void => {
      if (podsFail) throw refused();
    };
    return {
      create: async (created: Pod) => {
        if (this.created.length >= mostCreated) throw refused();
        this.created.push(created);
        fail();
        return created;
      },
      delete: async () => {
        fail();
        this.deleted++;
        return {};
      },
      patch: async ({ name }, { body }) => {
        this.released++;
        this.patches.push(`${name} ${JSON.stringify(body)}`);
        fail();
        return pod();
      },
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

export function withSelector(job: Job): Job {
  const { template = {} } = job.spec ?? {};
  const labelled = { ...template, metadata: { ...template.metadata, labels: LABELS } };
  return { ...job, spec: { ...job.spec, selector: { matchLabels: LABELS }, template: labelled } };
}

export function ownedBy(job: Job, owned: Pod): Pod {
  const ownerReferences = [newControllerRef(job, resources.jobs)];
  return { ...owned, metadata: { ...owned.metadata, labels: LABELS, ownerReferences } };
}

export function conflict(): ApiError {
  return new ApiError("it has changed", { code: 409, reason: "Conflict", method: "PUT", path: "/" });
}

export function refused(): ApiError {
  return new ApiError("refused", { code: 500, reason: "InternalError", method: "POST", path: "/" });
}
