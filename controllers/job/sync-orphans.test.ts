import { describe, expect, test } from "vitest";
import type { Stored, OwnerReference } from "../../pkg/api/object.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { SyncRun } from "../../pkg/controller/sync-run.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { type OrphanKey, SelectedPods } from "./keys.ts";
import { type Before, Recorder } from "./recorder.test-data.ts";
import { job, NOW_MS, pod } from "./samples.test-data.ts";
import { syncOrphans } from "./sync-orphans.ts";

const managing = { controller: true, blockOwnerDeletion: true };
const ofJob = { apiVersion: "batch/v1", kind: "Job", name: "job", uid: "job-uid" };
const finished = job({}, { conditions: [{ type: "Complete", status: "True" }] });
const { signal } = new AbortController();

function going(matchLabels: Readonly<Record<string, string>>): Stored<Job> {
  const one = job({ selector: { matchLabels } });
  return { ...one, metadata: { ...one.metadata, deletionTimestamp: formatTime(NOW_MS) } };
}

/** No server lets it in. */
function unreadable(one: Stored<Job>): Stored<Job> {
  const selector = { matchExpressions: [{ key: "app", operator: "Like" }] };
  return { ...one, ...(one.spec && { spec: { ...one.spec, selector } }) };
}

describe("a pod with the finalizer", () => {
  // upstream: pkg/controller/job/job_controller_test.go#TestSyncOrphanPod
  test.each<[string, OwnerReference | undefined, Stored<Job> | undefined, boolean]>([
    ["of a Job that runs keeps it", { ...ofJob, ...managing }, job(), false],
    ["of a Job that has finished loses it", { ...ofJob, ...managing }, finished, true],
    [
      "that a Job selects which is being deleted keeps it",
      { ...ofJob, ...managing },
      going({ app: "test" }),
      false,
    ],
    [
      "that a Job does not select which is being deleted loses it",
      { ...ofJob, ...managing },
      going({ app: "other" }),
      true,
    ],
    [
      "of a Job that is being deleted, of which nobody can say whom it selects, loses it",
      { ...ofJob, ...managing },
      unreadable(going({})),
      true,
    ],
    [
      "of a Job that runs, of which nobody can say whom it selects, keeps it",
      { ...ofJob, ...managing },
      unreadable(job()),
      false,
    ],
    ["of a Job that is not there loses it", { ...ofJob, ...managing }, undefined, true],
    ["of a CronJob keeps it", { ...ofJob, ...managing, kind: "CronJob" }, undefined, false],
    ["of nobody loses it", undefined, undefined, true],
    [
      "of somebody else's Job keeps it",
      { ...ofJob, ...managing, apiVersion: "example/v1" },
      undefined,
      false,
    ],
    ["that a Job owns and does not manage loses it", ofJob, job(), true],
    ["that somebody else's Job owns loses it", { ...ofJob, apiVersion: "example/v1" }, undefined, true],
    [
      "of a Job that another controller manages keeps it",
      { ...ofJob, ...managing },
      { ...finished, spec: { template: {}, managedBy: "example.com/other" } },
      false,
    ],
  ])("%s", async (_, owner, known, loses) => {
    const { recorder, look } = orphanage([orphan(owner)], known);
    await look("default/pod");
    expect(recorder.released).toBe(loses ? 1 : 0);
  });

  test("is found by its labels as well", async () => {
    const { recorder, look } = orphanage([orphan(undefined)], undefined);
    await look(SelectedPods.of("default", "app=test"));
    await look(SelectedPods.of("default", "app=other"));
    expect(recorder.released).toBe(1);
  });

  test("is left alone when its Job has let go of it just now", async () => {
    const { recorder, look } = orphanage([orphan({ ...ofJob, ...managing })], finished, {
      released: ["pod"],
    });
    await look("default/pod");
    expect(recorder.released).toBe(0);
  });

  test("may be gone", async () => {
    const { recorder, look } = orphanage([], undefined);
    await look("default/pod");
    expect(recorder.released).toBe(0);
  });

  test("is tried again when it cannot be written, after the others", async () => {
    const all = [orphan(undefined, "a"), orphan(undefined, "b")];
    const { recorder, look } = orphanage(all, undefined, { podsFail: true });
    await expect(look(SelectedPods.of("default", "app=test"))).rejects.toThrow("finalizers of orphans");
    expect(recorder.released).toBe(2);
  });
});

interface Orphanage {
  readonly recorder: Recorder;
  look(key: OrphanKey): Promise<unknown>;
}

function orphanage(
  all: readonly Stored<Pod>[],
  known: Stored<Job> | undefined,
  before: Before = {},
): Orphanage {
  const recorder = new Recorder(job(), { ...before, looseToo: true });
  const context = recorder.context(all, known === undefined ? [] : [known]);
  const look = async (key: OrphanKey): Promise<unknown> => {
    const run = new SyncRun<OrphanKey>({ key, reasons: [], log: silentLogger, signal, noted: false });
    return syncOrphans(run, context);
  };
  return { recorder, look };
}

function orphan(owner: OwnerReference | undefined, uid = "pod"): Stored<Pod> {
  const { metadata, ...rest } = pod({ uid, deletedMs: NOW_MS });
  const labels = { app: "test" };
  return { ...rest, metadata: { ...metadata, labels, ...(owner && { ownerReferences: [owner] }) } };
}
