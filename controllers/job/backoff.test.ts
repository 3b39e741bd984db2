import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { ContainerStatus, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { backoffAfter, backoffRemainingMs, indexBackoffRemainingMs, NO_FAILURES } from "./backoff.ts";
import { finishedMs } from "./job-pods.ts";
import { NOW_MS, pod } from "./samples.test-data.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";

describe("failures in a row", () => {
  // upstream: pkg/controller/job/backoff_utils_test.go#TestNewBackoffRecord; seconds before now instead of milliseconds
  test.for<[string, number, readonly number[], readonly number[], number, boolean]>([
    ["one", 0, [], [0], 1, true],
    ["two", 0, [], [0, 1], 2, true],
    ["two and a success", 0, [0], [2, 1], 0, false],
    ["two, a success, and two", 0, [2], [0, 4, 3, 1], 2, true],
    ["one more", 2, [], [0], 3, true],
    ["one with a success at the same time", 0, [0], [0], 0, false],
    ["none", 0, [], [], 0, false],
    ["none but a success", 0, [0], [], 0, false],
  ])("%s", ([, before, succeeded, failed, failures, isNow]) => {
    const at = (seconds: number): Stored<Pod> => pod({ finishedMs: NOW_MS - seconds * 1_000 });
    const record = backoffAfter(
      { ...NO_FAILURES, failuresSinceSuccess: before },
      succeeded.map(at),
      failed.map(at),
    );
    expect(record).toEqual({ failuresSinceSuccess: failures, lastFailureMs: isNow ? NOW_MS : undefined });
  });
});

describe("the time to wait", () => {
  // upstream: pkg/controller/job/backoff_utils_test.go#TestGetRemainingBackoffTime, with 10 s to 10 min for 5 s to 700 s
  test.each([
    ["no failure", 0, 0, 0],
    ["one, now", 1, 0, 10],
    ["one, a second ago", 1, 1, 9],
    ["one, as long ago as one waits", 1, 10, 0],
    ["one, longer ago", 1, 11, 0],
    ["three, now", 3, 0, 40],
    ["six, now", 6, 0, 320],
    ["seven, now: no longer than that", 7, 0, 600],
    ["a thousand", 1_000, 0, 600],
  ])("after %s", (_, failures, secondsAgo, seconds) => {
    const lastFailureMs = failures === 0 ? undefined : NOW_MS - secondsAgo * 1_000;
    expect(backoffRemainingMs({ failuresSinceSuccess: failures, lastFailureMs }, NOW_MS)).toBe(
      seconds * 1_000,
    );
  });

  // upstream: pkg/controller/job/backoff_utils_test.go#TestGetRemainingBackoffTimePerIndex
  test("of an index goes by the pod that failed last, ignored failures included", () => {
    const failed = { phase: "Failed", deletedMs: NOW_MS };
    expect(indexBackoffRemainingMs(undefined, NOW_MS)).toBe(0);
    expect(indexBackoffRemainingMs(pod({ ...failed, failures: 2 }), NOW_MS)).toBe(40_000);
    expect(indexBackoffRemainingMs(pod({ ...failed, failures: 1, ignored: 1 }), NOW_MS)).toBe(40_000);
  });
});

describe("a pod has finished", () => {
  const time = (seconds: number): string => formatTime(NOW_MS + seconds * 1_000);
  const ended = (seconds?: number, name = "c"): ContainerStatus => ({
    name,
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 1, ...(seconds !== undefined && { finishedAt: time(seconds) }) } },
  });
  const running: ContainerStatus = {
    name: "r",
    image: "",
    imageID: "",
    ready: true,
    restartCount: 0,
    state: { running: {} },
  };
  const ready = (status: string) => ({
    conditions: [{ type: "Ready", status, lastTransitionTime: time(-30) }],
  });

  test("of more pods than a call can have arguments", () => {
    const ended = (seconds: number): Stored<Pod> =>
      asStored<Pod>({ metadata: { creationTimestamp: time(seconds) } });
    const many = (seconds: number) => Array.from({ length: 130_000 }, () => ended(seconds));
    expect(backoffAfter(NO_FAILURES, many(-60), many(0))).toEqual({
      failuresSinceSuccess: 130_000,
      lastFailureMs: NOW_MS,
    });
  });

  // upstream: pkg/controller/job/backoff_utils_test.go#TestGetFinishedTime
  test.each<[string, Pod["metadata"], NonNullable<Pod["status"]>, number]>([
    ["with its last container", {}, { containerStatuses: [ended(-1), ended(0), ended(-2)] }, 0],
    [
      "when it was deleted, as one container runs",
      { deletionTimestamp: time(0) },
      { containerStatuses: [ended(-1), running, ended(-2)] },
      0,
    ],
    ["when it was deleted", { deletionTimestamp: time(0) }, { containerStatuses: [running] }, 0],
    [
      "when its deletion was asked for",
      { deletionTimestamp: time(0), deletionGracePeriodSeconds: 30 },
      { containerStatuses: [running] },
      -30,
    ],
    [
      "when it was ready no more",
      { deletionTimestamp: time(0) },
      { containerStatuses: [running], ...ready("False") },
      -30,
    ],
    [
      "when it was deleted, as it is ready",
      { deletionTimestamp: time(0) },
      { containerStatuses: [running], ...ready("True") },
      0,
    ],
    [
      "when it was created, at the worst",
      { creationTimestamp: time(0) },
      { containerStatuses: [ended()] },
      0,
    ],
    [
      "with its sidecar",
      {},
      { containerStatuses: [ended(-1)], initContainerStatuses: [ended(0, "sidecar"), ended(5, "setup")] },
      0,
    ],
  ])("%s", (_, metadata, status, seconds) => {
    const initContainers = [{ name: "sidecar", restartPolicy: "Always" }, { name: "setup" }];
    const subject: Pod = { metadata, spec: { containers: [], initContainers }, status };
    expect(finishedMs(subject)).toBe(NOW_MS + seconds * 1_000);
  });
});
