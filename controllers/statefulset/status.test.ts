import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { StatefulSet, StatefulSetStatus, ControllerRevision } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Revisions } from "./revisions.ts";
import { changed, podOf, statefulSet } from "./samples.test-data.ts";
import { computeStatus, decideStatus } from "./status.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();
const revision = (name: string): Revisions["current"] =>
  asStored<ControllerRevision>({ metadata: { name }, revision: 1 });
const revisions: Revisions = { current: revision("old"), update: revision("new"), collisionCount: 0 };
const base = statefulSet("foo", 3);
const set = asStored<StatefulSet>({ ...base, metadata: { ...base.metadata, generation: 2 } });

function statusOf(
  pods: readonly Stored<Pod>[],
  of = set,
  outdated: readonly Stored<Pod>[] = [],
): StatefulSetStatus {
  return computeStatus({ set: of, pods, revisions, outdated }, NOW);
}

const old = podOf(set, 0, { revision: "old" });
const fresh = podOf(set, 1, { revision: "new" });
const starting = podOf(set, 2, { revision: "new", health: "pending" });
const going = podOf(set, 2, { revision: "old", terminating: true });

describe("the counts", () => {
  test.each<[string, readonly Stored<Pod>[], readonly Stored<Pod>[], readonly number[]]>([
    ["of nothing", [], [], [0, 0, 0, 0, 0]],
    ["of old and new", [old, fresh], [], [2, 2, 2, 1, 1]],
    ["of one that is not ready", [old, fresh, starting], [], [3, 2, 2, 1, 2]],
    ["of one on its way, which has no revision any more", [old, fresh, going], [], [3, 3, 3, 1, 1]],
    ["without what this sync deletes", [old, fresh], [old], [2, 2, 2, 0, 1]],
    [
      "of a third revision, of which nobody asks",
      [podOf(set, 0, { revision: "other" })],
      [],
      [1, 1, 1, 0, 0],
    ],
  ])("%s", (_name, pods, outdated, counts) => {
    const status = statusOf(pods, set, outdated);
    const { replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas } = status;
    expect([replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas]).toEqual(counts);
    expect(status).toMatchObject({ observedGeneration: 2, currentRevision: "old", updateRevision: "new" });
  });
});

describe("an update is complete", () => {
  const all = [0, 1, 2].map((ordinal) => podOf(set, ordinal, { revision: "new" }));
  // kubernetes/kubernetes#136833: upstream's set that updates on deletion has its first revision as the current one for ever.
  test.each(["RollingUpdate", "OnDelete"])(
    "when all pods are new and ready: then the new revision is the current one (%s)",
    (type) => {
      const complete = { currentRevision: "new", currentReplicas: 3, updatedReplicas: 3 };
      expect(statusOf(all, asStored(changed(set, { updateStrategy: { type } })))).toMatchObject(complete);
    },
  );

  test.each<[string, Stored<StatefulSet>, readonly Stored<Pod>[]]>([
    ["with one that is not ready", set, [...all.slice(0, 2), starting]],
    ["with one too many", set, [...all, podOf(set, 3, { revision: "new" })]],
  ])("not %s", (_name, of, pods) => {
    expect(statusOf(pods, asStored(of))).toMatchObject({ currentRevision: "old", currentReplicas: 0 });
  });
});

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetAvailability,
// stateful_set_test.go#TestStatefulSetAvailabilityCheck
describe("with minReadySeconds of 30", () => {
  const patient = changed(set, { minReadySeconds: 30 });
  const readyFor = (seconds: number, ordinal = 0): Stored<Pod> => ({
    ...podOf(set, ordinal),
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(seconds) }],
    },
  });
  test.each<[string, readonly Stored<Pod>[], number, number | undefined]>([
    ["what has been ready for long is available", [readyFor(31)], 1, undefined],
    ["what has not is not, and is looked at again when it will be", [readyFor(10)], 0, 20_000],
    ["as is the first of several", [readyFor(10), readyFor(25, 1), readyFor(40, 2)], 1, 5_000],
    ["what is not ready is waited for by its events", [starting], 0, undefined],
    ["what does not say since when is looked at in a while", [sinceWhenever()], 0, 30_000],
  ])("%s", (_name, pods, available, recheckAfterMs) => {
    const plan = decideStatus({ set: patient, pods, revisions, outdated: [] }, NOW);
    expect(plan.status?.availableReplicas).toBe(available);
    expect(plan.recheckAfterMs).toBe(recheckAfterMs);
  });

  function sinceWhenever(): Stored<Pod> {
    return asStored<Pod>({
      ...podOf(set, 0),
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    });
  }
});

describe("the status is written", () => {
  const pods = [old, fresh];
  const said = statusOf(pods);
  const write = (before: StatefulSetStatus): StatefulSetStatus | undefined =>
    decideStatus({ set: { ...set, status: before }, pods, revisions, outdated: [] }, NOW).status;

  test("not when it says so already", () => expect(write(said)).toBeUndefined());

  test.each<[string, Partial<StatefulSetStatus>]>([
    ["another size", { replicas: 3 }],
    ["another count of ready pods", { readyReplicas: 1 }],
    ["another count of available pods", { availableReplicas: 1 }],
    ["another count of current pods", { currentReplicas: 2 }],
    ["another count of updated pods", { updatedReplicas: 0 }],
    ["another current revision", { currentRevision: "older" }],
    ["another update revision", { updateRevision: "old" }],
    ["an earlier generation", { observedGeneration: 1 }],
  ])("when it says %s", (_name, more) => {
    expect(write({ ...said, ...more })).toEqual(said);
  });

  // upstream: pkg/controller/statefulset/stateful_set_utils.go#inconsistentStatus
  test("not for collisions alone, nor for an earlier generation than it tells of", () => {
    expect(write({ ...said, collisionCount: 7 })).toBeUndefined();
    expect(write({ ...said, observedGeneration: 3 })).toBeUndefined();
  });

  test("with the conditions that others have put there", () => {
    const conditions = [{ type: "Mine", status: "True" }];
    expect(write({ ...said, replicas: 9, conditions })).toEqual({ ...said, conditions });
  });
});
