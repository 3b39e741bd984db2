import { expect } from "vitest";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { type Metrics, noMetrics } from "../../pkg/metrics/metrics.ts";
import { DeletionTracking, Expectations } from "../../pkg/reconcile/expectations.ts";
import { PodControl } from "../../pkg/reconcile/pod-control.ts";
import { POD_CONTROLLER_INDEX, podControllerIndex } from "../../pkg/reconcile/pod-index.ts";
import { listerOf } from "../../test/harness/lister-of.ts";
import { VirtualClock } from "../../test/harness/virtual-clock.ts";
import { type BackoffRecord } from "./backoff.ts";
import { type JobContext, jobMetrics } from "./context.ts";
import { FinalizerExpectations } from "./finalizer-expectations.ts";
import { indexOf } from "./job-pods.ts";
import { NOW_MS, pod, podsBy } from "./samples.test-data.ts";
import { syncJob } from "./sync.ts";

/** What the controller knows before it looks, and what goes wrong. */
export interface Before {
  readonly backoff?: BackoffRecord;
  /** Creations that it has yet to see; when negative, deletions. */
  readonly awaits?: number;
  /** uids of pods whose finalizer it has yet to see gone. */
  readonly released?: readonly string[];
  /** Every write of pods fails. */
  readonly podsFail?: true;
  /** Writes of the status fail. */
  readonly statusFails?: true;
  /** No more pods than this can be created. */
  readonly mostCreated?: number;
}

/** What one sync did. What is nothing is left out. */
export interface Told {
  readonly created?: number;
  /** Their indexes. */
  readonly indexes?: string;
  readonly deleted?: number;
  /** Pods whose finalizer was to go. */
  readonly released?: number;
  readonly active?: number;
  readonly ready?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly completed?: string;
  readonly failedIndexes?: string;
  /** "FailureTarget/DeadlineExceeded", with "!" before those that are false. */
  readonly conditions?: string;
  readonly fails?: true;
}

export interface OneSync {
  readonly told: Told;
  /** Every status that was written. */
  readonly statuses: readonly JobStatus[];
  readonly messages: readonly string[];
  readonly events: readonly string[];
  readonly pods: readonly Pod[];
  readonly requeueAfterMs: number | undefined;
  readonly error: unknown;
  /** Pods that the metrics say have finished: succeeded and failed. */
  readonly counted: string;
  readonly context: JobContext;
}

const LABELS = { app: "job" };

/** Has the controller look at a Job once, with these pods in its cache and nothing behind it. */
export async function syncOnce(subject: Job, all: readonly Pod[], before: Before = {}): Promise<OneSync> {
  const job = withSelector(subject);
  const recorder = new Recorder(job, before);
  const context = recorder.context(all);
  const key = keyOf(job);
  const { awaits = 0, released = [], backoff } = before;
  if (awaits > 0) context.expectations.expectCreations(key, awaits);
  if (awaits < 0) context.expectations.expectDeletions(key, -awaits);
  if (backoff !== undefined) context.backoffs.set(key, backoff);
  context.finalizers.expectRemoval(key, released);
  let [error, requeueAfterMs]: [unknown, number | undefined] = [undefined, undefined];
  try {
    ({ requeueAfterMs } = await syncJob(key, context, silentLogger, new AbortController().signal));
  } catch (thrown) {
    error = thrown;
  }
  return recorder.result(context, requeueAfterMs, error);
}

class Recorder {
  readonly #job: Job;
  readonly #before: Before;
  readonly #statuses: JobStatus[] = [];
  readonly #created: Pod[] = [];
  readonly #events: string[] = [];
  readonly #counted = { succeeded: 0, failed: 0 };
  #deleted = 0;
  #released = 0;

  constructor(job: Job, before: Before) {
    this.#job = job;
    this.#before = before;
  }

  context(all: readonly Pod[]): JobContext {
    const clock = new VirtualClock(NOW_MS);
    const expectations = new Expectations(clock);
    const event = (_: unknown, _type: string, reason: string): void => void this.#events.push(reason);
    const events = { event, eventWithAnnotations: () => {} };
    const owned = all.map((each) => ownedBy(this.#job, each));
    return {
      jobs: listerOf([this.#job]),
      pods: listerOf(owned, { [POD_CONTROLLER_INDEX]: podControllerIndex }),
      client: {
        get: async () => this.#job,
        updateStatus: async (job: Job) => {
          this.#statuses.push(job.status ?? {});
          if (this.#before.statusFails) throw refused();
          return job;
        },
      },
      podControl: new PodControl({ pods: this.#podClient(), events: { event: () => {} }, log: silentLogger }),
      expectations,
      deletions: new DeletionTracking(expectations),
      finalizers: new FinalizerExpectations(),
      backoffs: new Map(),
      finished: new Set(),
      consistency: undefined,
      events,
      clock,
      features: featureGates(),
      metrics: jobMetrics(this.#metrics()),
    };
  }

  result(context: JobContext, requeueAfterMs: number | undefined, error: unknown): OneSync {
    const status = this.#statuses.at(-1) ?? this.#job.status ?? {};
    const conditions = status.conditions ?? [];
    const indexes = this.#created.map(indexOf).filter((index) => index !== undefined);
    const told = withoutNothing({
      created: this.#created.length,
      indexes: indexes.join(" "),
      deleted: this.#deleted,
      released: this.#released,
      active: status.active,
      ready: status.ready,
      succeeded: status.succeeded,
      failed: status.failed,
      terminating: status.terminating,
      completed: status.completedIndexes,
      failedIndexes: status.failedIndexes,
      conditions: conditions
        .map(({ type, status: is, reason }) => `${is === "True" ? "" : "!"}${type}/${reason}`)
        .join(" "),
      fails: error !== undefined,
    });
    return {
      told,
      statuses: this.#statuses,
      messages: conditions.map(({ message = "" }) => message),
      events: this.#events,
      pods: this.#created,
      requeueAfterMs,
      error,
      counted: `${this.#counted.succeeded} ${this.#counted.failed}`,
      context,
    };
  }

  #podClient(): ConstructorParameters<typeof PodControl>[0]["pods"] {
    const { podsFail, mostCreated = Infinity } = this.#before;
    const fail = (): void => {
      if (podsFail) throw refused();
    };
    return {
      create: async (created: Pod) => {
        if (this.#created.length >= mostCreated) throw refused();
        this.#created.push(created);
        fail();
        return created;
      },
      delete: async () => {
        fail();
        this.#deleted++;
        return {};
      },
      patch: async () => {
        this.#released++;
        fail();
        return pod();
      },
    };
  }

  #metrics(): Metrics {
    const inc = (labels: Readonly<Record<string, string>> = {}, amount = 1): void => {
      this.#counted[labels["result"] === "failed" ? "failed" : "succeeded"] += amount;
    };
    return {
      ...noMetrics,
      counter: (options) =>
        options.name === "job_controller_job_pods_finished_total"
          ? { inc, with: (labels) => ({ inc: (amount) => inc(labels, amount) }) }
          : noMetrics.counter(options),
    };
  }
}

/** Name, Job, pods by phase, what came of it, and what was before. */
export type Row = [string, Job, string, Told, Before?];

export async function expectOfRow(...[, subject, phases, told, before = {}]: Row): Promise<void> {
  const sync = await syncOnce(subject, podsBy(phases), before);
  expect(sync.told).toEqual(told);
  const written = sync.statuses.at(-1);
  if (written !== undefined) expect(written.startTime === undefined).toBe(subject.spec?.suspend === true);
}

function withSelector(job: Job): Job {
  const { template = {} } = job.spec ?? {};
  const labelled = { ...template, metadata: { ...template.metadata, labels: LABELS } };
  return { ...job, spec: { ...job.spec, selector: { matchLabels: LABELS }, template: labelled } };
}

function ownedBy(job: Job, owned: Pod): Pod {
  const ownerReferences = [newControllerRef(job, resources.jobs)];
  return { ...owned, metadata: { ...owned.metadata, labels: LABELS, ownerReferences } };
}

function refused(): ApiError {
  return new ApiError("refused", { code: 500, reason: "InternalError", method: "POST", path: "/" });
}

function withoutNothing(told: Readonly<Record<string, string | number | boolean | undefined>>): Told {
  const something = Object.entries(told).filter(([, value]) => Boolean(value));
  return Object.fromEntries(something) as Told;
}
