import { asStored } from "../../test/harness/stored.ts";
import type { Stored, StoredObject } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { byStartTime, jobsBeyondHistory, observeFinished } from "./finished-jobs.ts";
import { jobFromTemplate } from "./job-from-template.ts";
import { atMinute, cronJob, ended, job, text } from "./samples.test-data.ts";

describe("old Jobs", () => {
  // upstream: pkg/controller/cronjob/utils_test.go#TestByJobStartTime
  test.each<[string, readonly (readonly [string, number?])[], string]>([
    ["that never started go by name", [["b"], ["a"]], "a b"],
    ["that never started come last", [["a"], ["b", 0]], "b a"],
    ["that started come first", [["a", 0], ["b"]], "a b"],
    [
      "of one time go by name",
      [
        ["b", 0],
        ["a", 0],
      ],
      "a b",
    ],
    [
      "go by time",
      [
        ["a", 9],
        ["b", 0],
      ],
      "b a",
    ],
  ])("%s", (_, sketches, expected) => {
    expect(names(sketches.map(started).toSorted(byStartTime))).toBe(expected);
  });

  test.each<[number | undefined, number | undefined, string]>([
    [3, 1, ""],
    [1, 1, "s1 s2"],
    [0, 0, "s1 s2 s3 f1"],
    [undefined, 0, "f1"],
    [2, undefined, "s1"],
  ])("of which %s successful and %s failed ones are kept", (successes, failures, expected) => {
    const jobs = [
      ...["s3", "s1", "s2"].map((name) => endedAt(name, "Complete", Number(name.slice(1)))),
      endedAt("f1", "Failed", 1),
      job("running"),
    ];
    const subject = cronJob(atMinute(0), {
      ...(successes !== undefined && { successfulJobsHistoryLimit: successes }),
      ...(failures !== undefined && { failedJobsHistoryLimit: failures }),
    });
    expect(names(jobsBeyondHistory(subject, jobs))).toBe(expected);
  });
});

describe("what has become of Jobs", () => {
  const active = ["a", "b", "c"].map((name) => ({ name, namespace: "default", uid: `${name}-uid` }));

  test("those that finished run no more, and the last success is kept", () => {
    const subject = cronJob(atMinute(0), {}, { active });
    const jobs = [ended("a", "Complete", text(atMinute(5))), ended("b", "Failed"), job("c")];
    const { cronJob: after, completed } = observeFinished(subject, jobs);
    expect(after.status?.active?.map(({ name }) => name)).toEqual(["c"]);
    expect(after.status?.lastSuccessfulTime).toBe(text(atMinute(5)));
    expect(completed.map(({ job: { metadata }, condition }) => `${metadata.name} ${condition}`)).toEqual([
      "a Complete",
      "b Failed",
    ]);
  });

  test("an earlier success changes nothing, a later one does, listed or not", () => {
    const subject = cronJob(atMinute(0), {}, { lastSuccessfulTime: text(atMinute(5)) });
    expect(observeFinished(subject, [ended("a", "Complete", text(atMinute(4)))]).changed).toBe(false);
    expect(observeFinished(subject, [ended("a", "Complete")]).changed).toBe(false);
    expect(observeFinished(subject, [ended("a", "Complete", text(atMinute(6)))]).changed).toBe(true);
  });
});

// upstream: pkg/controller/cronjob/utils_test.go#TestGetJobFromTemplate2
test.each<[string | undefined, Readonly<Record<string, string>>, string]>([
  ["UTC", { x: "y" }, "2016-05-19T10:00:00Z"],
  [undefined, { x: "y" }, "2016-05-19T10:00:00Z"],
  ["Europe/Rome", { x: "y", z: "x" }, "2016-05-19T12:00:00+02:00"],
])("the Job of a CronJob in zone %s says when it should have started", (timeZone, annotations, expected) => {
  const base = cronJob(atMinute(0), timeZone === undefined ? {} : { timeZone });
  const jobTemplate = { ...base.spec.jobTemplate, metadata: { labels: { a: "b" }, annotations } };
  const made = jobFromTemplate(asStored({ ...base, spec: { ...base.spec, jobTemplate } }), atMinute(0));
  expect(made.metadata).toEqual({
    name: "mycronjob-24394200",
    namespace: "default",
    labels: { a: "b" },
    annotations: { ...annotations, "batch.kubernetes.io/cronjob-scheduled-timestamp": expected },
    ownerReferences: [
      {
        apiVersion: "batch/v1",
        kind: "CronJob",
        name: "mycronjob",
        uid: "1a2b3c",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  expect(made.spec).toBe(base.spec.jobTemplate.spec);
});

function started([name, minute]: readonly [string, number?]): Stored<Job> {
  return job(name, minute === undefined ? {} : { startTime: text(atMinute(minute)) });
}

function endedAt(name: string, type: "Complete" | "Failed", minute: number): Stored<Job> {
  const finished = ended(name, type);
  return { ...finished, status: { ...finished.status, startTime: text(atMinute(minute)) } };
}

function names(jobs: readonly StoredObject[]): string {
  return jobs.map(({ metadata }) => metadata.name).join(" ");
}
