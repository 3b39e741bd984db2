import { describe, expect, test } from "vitest";
import {
  containerStatus,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  isRestartableInitContainer,
  podCondition,
  untilNextPodAvailableMs,
  untilPodAvailableMs,
  withPodCondition,
} from "./pod.ts";
import { formatTime } from "./time.ts";
import type { Pod, PodCondition, PodStatus } from "./types/core-v1.gen.ts";

const nowMs = Date.UTC(2026, 0, 2);

/** A pod that became ready, or not, so many seconds ago; null for one that does not say when. */
function readyPod(status: string, secondsAgo: number | null): Pod {
  const lastTransitionTime = secondsAgo === null ? null : formatTime(nowMs - secondsAgo * 1000);
  return {
    metadata: { name: "web" },
    status: { conditions: [{ type: "Ready", status, lastTransitionTime }] },
  };
}

const bare: Pod = { metadata: {} };
const unready = readyPod("False", 0);

test.each<[string, Pod, boolean]>([
  ["no status", bare, false],
  ["Ready is True", readyPod("True", 0), true],
  ["Ready is False", unready, false],
  ["Ready is Unknown", readyPod("Unknown", 0), false],
])("isPodReady: %s", (_name, pod, ready) => {
  expect(isPodReady(pod)).toBe(ready);
});

test.each<[string, Pod, number, boolean]>([
  ["not ready", unready, 0, false],
  ["ready, nothing to wait for", readyPod("True", 0), 0, true],
  ["ready since unknown, nothing to wait for", readyPod("True", null), 0, true],
  ["ready since unknown", readyPod("True", null), 1, false],
  ["just became ready", readyPod("True", 0), 1, false],
  ["ready for long enough to the second", readyPod("True", 30), 30, true],
  ["ready for longer", readyPod("True", 51), 50, true],
  ["ready, but not for long enough", readyPod("True", 29), 30, false],
])("isPodAvailable: %s", (_name, pod, minReadySeconds, available) => {
  expect(isPodAvailable(pod, minReadySeconds, nowMs)).toBe(available);
});

test.each<[string, Pod, number, number | undefined]>([
  ["not ready", unready, 0, undefined],
  ["no minReadySeconds", readyPod("True", 0), 0, undefined],
  ["ready since unknown", readyPod("True", null), 1, undefined],
  ["just became ready", readyPod("True", 0), 1, 1_000],
  ["ready for 20 s", readyPod("True", 20), 30, 10_000],
  ["available", readyPod("True", 51), 50, undefined],
])("untilPodAvailableMs: %s", (_name, pod, minReadySeconds, waitMs) => {
  expect(untilPodAvailableMs(pod, minReadySeconds, nowMs)).toBe(waitMs);
});

describe("untilNextPodAvailableMs", () => {
  const ready = (secondsAgo: number): Pod => readyPod("True", secondsAgo);
  const waiting = [unready, ready(2), ready(0), ready(4), unready];

  test.each<[string, readonly Pod[], number, number | undefined]>([
    ["no pods", [], 0, undefined],
    ["unready pods", [unready, unready], 0, undefined],
    ["ready pods without minReadySeconds", [ready(0), ready(0)], 0, undefined],
    ["the first of the pods that wait", waiting, 10, 6_000],
    ["unready and available pods", [unready, ready(15), ready(11), ready(10), unready], 10, undefined],
  ])("%s", (_name, pods, minReadySeconds, waitMs) => {
    expect(untilNextPodAvailableMs(pods, minReadySeconds, nowMs, nowMs)).toBe(waitMs);
  });

  test("takes more pods than a call can have arguments", () => {
    const many = Array.from({ length: 130_000 }, () => ready(2));
    expect(untilNextPodAvailableMs(many, 10, nowMs, nowMs)).toBe(8_000);
  });

  test.each([
    [2, 4_000],
    [7, 0],
  ])("counts the %d s since the status was evaluated", (delaySeconds, waitMs) => {
    expect(untilNextPodAvailableMs(waiting, 10, nowMs, nowMs + delaySeconds * 1000)).toBe(waitMs);
  });
});

test.for<[string | undefined, boolean, boolean, boolean, boolean]>([
  // phase, being deleted, terminal, active, terminating
  [undefined, false, false, true, false],
  ["Pending", false, false, true, false],
  ["Running", true, false, false, true],
  ["Unknown", true, false, false, true],
  ["Succeeded", false, true, false, false],
  ["Failed", false, true, false, false],
  ["Failed", true, true, false, false],
])(
  "phase %s, deleted %s: terminal %s, active %s, terminating %s",
  ([phase, deleted, terminal, active, ending]) => {
    const pod: Pod = {
      metadata: deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {},
      ...(phase !== undefined && { status: { phase } }),
    };
    expect([isPodTerminal(pod), isPodActive(pod), isPodTerminating(pod)]).toEqual([terminal, active, ending]);
  },
);

describe("withPodCondition", () => {
  const old = "2026-01-01T00:00:00Z";
  const now = "2026-01-02T00:00:00Z";
  const scheduled: PodCondition = { type: "PodScheduled", status: "True", lastTransitionTime: old };
  const ready: PodCondition = {
    type: "Ready",
    status: "False",
    reason: "Why",
    lastProbeTime: null,
    lastTransitionTime: old,
  };
  const status: PodStatus = { phase: "Running", conditions: [scheduled, ready] };

  test("adds a condition", () => {
    expect(withPodCondition({}, { type: "Ready", status: "True" }, nowMs)).toEqual({
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: now }],
    });
  });

  test("moves the transition time with the status", () => {
    const next = { ...ready, status: "True" };
    expect(withPodCondition(status, next, nowMs).conditions).toEqual([
      scheduled,
      { ...next, lastTransitionTime: now },
    ]);
  });

  test.each([{ reason: "Other" }, { message: "m" }, { lastProbeTime: now }])(
    "keeps it when only %o changes",
    (change) => {
      const next = { ...ready, ...change, lastTransitionTime: now };
      expect(withPodCondition(status, next, nowMs).conditions).toEqual([scheduled, { ...ready, ...change }]);
    },
  );

  test("returns the same status when nothing changes", () => {
    const { lastProbeTime: _, ...next } = ready;
    expect(withPodCondition(status, { ...next, message: "", lastTransitionTime: now }, nowMs)).toBe(status);
  });

  test("a condition is found by its type", () => {
    expect(podCondition({ status }, "Ready")).toBe(ready);
    expect(podCondition({ status }, "Other")).toBeUndefined();
  });
});

test("sidecars are the init containers that always restart", () => {
  expect(isRestartableInitContainer({ restartPolicy: "Always" })).toBe(true);
  expect(isRestartableInitContainer({})).toBe(false);
  expect(isRestartableInitContainer({ restartPolicy: "OnFailure" })).toBe(false);
});

test("a container's status is found by its name", () => {
  const status = { name: "a", image: "i", imageID: "", ready: true, restartCount: 0 };
  expect(containerStatus([status], "a")).toBe(status);
  expect(containerStatus([status], "b")).toBeUndefined();
  expect(containerStatus(undefined, "a")).toBeUndefined();
});
