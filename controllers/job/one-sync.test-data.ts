import { asStored } from "../../test/harness/stored.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { isJobFinished } from "../../pkg/api/job.ts";
import { expect } from "vitest";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { indexOf } from "./job-pods.ts";
import { type Before, Recorder, syncOf } from "./recorder.test-data.ts";
import { podsBy } from "./samples.test-data.ts";
import { syncJob } from "./sync.ts";

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
  /** Of the conditions. */
  readonly messages: readonly string[];
  readonly events: readonly string[];
  readonly pods: readonly Stored<Pod>[];
  readonly requeueAfterMs: number | undefined;
  readonly error: unknown;
}

/** Has the controller look at a Job once, with these pods in its cache and nothing behind it. */
export async function syncOnce(
  subject: Stored<Job>,
  all: readonly Stored<Pod>[],
  before: Before = {},
): Promise<OneSync> {
  const recorder = new Recorder(subject, before);
  const context = recorder.context(all);
  let [error, requeueAfterMs]: [unknown, number | undefined] = [undefined, undefined];
  try {
    ({ requeueAfterMs } = await syncJob(syncOf(recorder.job), context));
  } catch (thrown) {
    error = thrown;
  }
  const { statuses, created, events } = recorder;
  const status = statuses.at(-1) ?? recorder.job.status ?? {};
  const messages = (status.conditions ?? []).map(({ message = "" }) => message);
  const told = toldOf(recorder, status, error);
  return { told, statuses, messages, events, pods: created, requeueAfterMs, error };
}

function toldOf({ created, deleted, released }: Recorder, status: JobStatus, error: unknown): Told {
  const indexes = created.map(indexOf).filter((index) => index !== undefined);
  return withoutNothing({
    created: created.length,
    indexes: indexes.join(" "),
    deleted,
    released,
    active: status.active,
    ready: status.ready,
    succeeded: status.succeeded,
    failed: status.failed,
    terminating: status.terminating,
    completed: status.completedIndexes,
    failedIndexes: status.failedIndexes,
    conditions: conditionsOf(status),
    fails: error !== undefined,
  });
}

function conditionsOf({ conditions = [] }: JobStatus): string {
  return conditions
    .map(({ type, status, reason }) => `${status === "True" ? "" : "!"}${type}/${reason}`)
    .join(" ");
}

/** Name, Job, pods (see podsBy), what came of it, and what was before. */
export type Row = [string, Job, string | readonly Stored<Pod>[], Told, Before?];

export async function expectOfRow(...[, subject, pods, told, before = {}]: Row): Promise<void> {
  const sync = await syncOnce(asStored(subject), typeof pods === "string" ? podsBy(pods) : pods, before);
  expect(sync.told).toEqual(told);
  const written = sync.statuses.at(-1);
  // Upstream's cases have a suspended Job end without a start, which the server refuses.
  const hasStart =
    subject.spec?.suspend !== true || (written && isJobFinished({ ...subject, status: written }));
  if (written !== undefined) expect(written.startTime !== undefined).toBe(hasStart);
}

function withoutNothing(told: Readonly<Record<string, string | number | boolean | undefined>>): Told {
  const something = Object.entries(told).filter(([, value]) => Boolean(value));
  return Object.fromEntries(something) as Told;
}
