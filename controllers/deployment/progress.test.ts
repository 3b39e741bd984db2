import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "../../pkg/api/types/apps-v1.gen.ts";
import {
  decideFoundCondition,
  decidePausedConditions,
  decideProgress,
  hasProgressed,
  hasTimedOut,
  recheckAfterMs,
} from "./progress.ts";
import { deployment, progressing, replicaSet } from "./samples.test-data.ts";

const UNLIMITED = 2 ** 31 - 1;
const SINCE = "2017-02-15T18:49:00Z";
const SINCE_MS = Date.parse(SINCE);

describe("when a rollout that does not move is looked at again", () => {
  const failed = progressing("False", "ProgressDeadlineExceeded");
  const stuck = progressing("True", "", SINCE);
  // upstream: pkg/controller/deployment/progress_test.go#TestRequeueStuckDeployment. Upstream's "now" and "in 30 s" are
  // a second later here: upstream adds it when it puts the key into the queue, or tries at a limited rate.
  test.each<[string, Stored<Deployment>, number, number | undefined]>([
    ["never without a deadline", rollout(undefined, 4, "3 3 2"), 0, undefined],
    ["never with an infinite deadline", rollout(UNLIMITED, 4, "3 3 2"), 0, undefined],
    ["never before progress was spoken of", rollout(60, 4, "3 3 2"), 0, undefined],
    ["never when it is complete", rollout(60, 3, "3 3 3", stuck), 0, undefined],
    ["never when it was too late already", rollout(60, 3, "3 3 0", failed), 0, undefined],
    ["half a minute before the deadline", rollout(60, 3, "3 3 1", stuck), 30_000, 31_000],
    ["a second before", rollout(60, 3, "3 3 1", stuck), 59_000, 2_000],
    ["less than a second before", rollout(60, 3, "3 3 1", stuck), 59_001, 1_999],
    ["at the deadline", rollout(60, 3, "3 3 1", stuck), 60_000, 1_000],
    ["a second after", rollout(60, 3, "3 3 1", stuck), 61_000, 1_000],
    ["a minute after", rollout(60, 3, "3 3 1", stuck), 120_000, 1_000],
  ])("%s", (_, owner, sinceMs, expected) => {
    expect(recheckAfterMs(asStored(owner), owner.status ?? {}, SINCE_MS + sinceMs)).toBe(expected);
  });
});

describe("the condition Progressing", () => {
  const timedOut = progressing("False", "ProgressDeadlineExceeded");
  const available = progressing("True", "NewReplicaSetAvailable", SINCE);
  const updated = progressing("True", "ReplicaSetUpdated", SINCE);
  const bar = old("bar", 0, 1, 1);
  const foo = (pods: number): Stored<ReplicaSet> => old("foo", 3, pods, pods);
  const LATER_MS = SINCE_MS + 3_600_000;
  const LATER = "2017-02-15T19:49:00Z";

  // upstream: pkg/controller/deployment/progress_test.go#TestSyncRolloutStatus. Reason, status and, where upstream
  // names them, the times of the last update and of the last transition.
  test.for<
    [
      string,
      Stored<Deployment>,
      Stored<ReplicaSet> | undefined,
      readonly Stored<ReplicaSet>[],
      string | undefined,
    ]
  >([
    ["goes when there is no deadline", rollout(undefined, 3, "2 2 2", updated), foo(2), [bar], undefined],
    [
      "stays when the rollout was complete",
      rollout(60, 3, "3 3 3", available),
      undefined,
      [old("bar", 3, 3, 3)],
      `True NewReplicaSetAvailable ${SINCE} ${SINCE}`,
    ],
    [
      "with progress keeps the time of its transition",
      rollout(60, 3, "2 2 2", updated),
      foo(2),
      [bar],
      `True ReplicaSetUpdated - ${SINCE}`,
    ],
    [
      "with progress is all new after a failure",
      rollout(60, 3, "2 2 2", timedOut),
      foo(2),
      [bar],
      "True ReplicaSetUpdated - -",
    ],
    ["with progress appears", rollout(60, 3, "2 2 2"), foo(2), [bar], "True ReplicaSetUpdated - -"],
    [
      "at the end keeps the time of its transition",
      rollout(60, 3, "3 3 3", updated),
      foo(3),
      [],
      `True NewReplicaSetAvailable ${LATER} ${SINCE}`,
    ],
    [
      "at the end is all new after a failure",
      rollout(60, 3, "3 3 3", timedOut),
      foo(3),
      [],
      `True NewReplicaSetAvailable ${LATER} ${LATER}`,
    ],
    [
      "at the end appears",
      rollout(60, 3, "3 3 3"),
      foo(3),
      [],
      `True NewReplicaSetAvailable ${LATER} ${LATER}`,
    ],
    [
      "at the end needs no current ReplicaSet",
      rollout(60, 0, "3 3 3", updated),
      undefined,
      [old("foo", 0, 0, 0)],
      "True NewReplicaSetAvailable - -",
    ],
    [
      "tells that the deadline has passed",
      rollout(60, 3, "2 2 2", updated),
      foo(2),
      [],
      `False ProgressDeadlineExceeded ${LATER} ${LATER}`,
    ],
    [
      "that tells so already stays",
      rollout(60, 3, "2 2 2", { ...timedOut, lastUpdateTime: SINCE, lastTransitionTime: SINCE }),
      foo(2),
      [],
      `False ProgressDeadlineExceeded ${SINCE} ${SINCE}`,
    ],
  ])("%s", ([, owner, current, others, expected]) => {
    const { status = owner.status } = decideProgress(
      asStored(owner),
      { current, old: others },
      true,
      LATER_MS,
    );
    const condition = findCondition(status?.conditions, "Progressing");
    if (expected === undefined) return expect(condition).toBeUndefined();
    const [result, reason, update, transition] = expected.split(" ");
    expect(condition).toMatchObject({ status: result, reason });
    if (update !== "-") expect(condition?.lastUpdateTime).toBe(update);
    if (transition !== "-") expect(condition?.lastTransitionTime).toBe(transition);
  });

  test("is not spoken of again once a rollout was complete, when pods fail and recover", () => {
    const owner = rollout(60, 3, "3 3 1", available);
    const { status } = decideProgress(
      asStored(owner),
      { current: old("foo", 3, 3, 2), old: [] },
      true,
      LATER_MS,
    );
    expect(findCondition(status?.conditions, "Progressing")).toBe(available);
  });

  test("names the ReplicaSet, or else the Deployment", () => {
    const message = (current: Stored<ReplicaSet> | undefined, size: number): string | undefined =>
      decideProgress(
        asStored(rollout(60, size, "0 0 0", updated)),
        { current, old: [] },
        true,
        LATER_MS,
      ).status?.conditions?.find(({ type }) => type === "Progressing")?.message;
    expect(message(foo(3), 3)).toBe('ReplicaSet "foo" has successfully progressed.');
    expect(message(foo(2), 3)).toBe('ReplicaSet "foo" is progressing.');
    expect(message(foo(0), 3)).toBe('ReplicaSet "foo" has timed out progressing.');
    expect(message(undefined, 0)).toBe('Deployment "progress-test" has successfully progressed.');
  });
});

describe("the condition ReplicaFailure", () => {
  const failure = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: "quota",
    lastTransitionTime: SINCE,
  };
  const failing = (name: string, message: string): Stored<ReplicaSet> => {
    const set = old(name, 1, 0, 0);
    return { ...set, status: { replicas: 0, ...set.status, conditions: [{ ...failure, message }] } };
  };
  const conditionOf = (
    owner: Stored<Deployment>,
    current: Stored<ReplicaSet> | undefined,
    others: readonly Stored<ReplicaSet>[],
  ) =>
    findCondition(
      decideProgress(asStored(owner), { current, old: others }, true, SINCE_MS).status?.conditions,
      "ReplicaFailure",
    );

  test("is the current ReplicaSet's before any other's", () => {
    const owner = rollout(60, 3, "0 0 0");
    expect(conditionOf(owner, failing("new", "of new"), [failing("old", "of old")])?.message).toBe("of new");
    expect(conditionOf(owner, old("new", 1, 0, 0), [failing("old", "of old")])).toEqual({
      ...failure,
      message: "of old",
      lastUpdateTime: SINCE,
    });
  });

  test("goes when nothing fails any more", () => {
    const owner = rollout(60, 3, "0 0 0", failure);
    expect(conditionOf(owner, old("new", 3, 0, 0), [])).toBeUndefined();
  });
});

describe("a Deployment has made progress", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestDeploymentProgressing. Pods, updated, ready,
  // available.
  test.each<[string, string, string, boolean]>([
    ["with more updated pods", "10 4 4 4", "10 6 4 4", true],
    ["not when nothing changed", "10 4 4 4", "10 4 4 4", false],
    ["with fewer old pods", "10 4 6 6", "8 4 6 6", true],
    ["not with fewer updated pods", "10 7 3 3", "10 6 3 3", false],
    ["with fewer pods of which more are updated", "10 4 7 7", "8 8 5 5", true],
    ["with more ready pods", "10 10 9 8", "10 10 10 8", true],
    ["with more available pods", "10 10 10 9", "10 10 10 10", true],
  ])("%s", (_, before, after, expected) => {
    const status = (counts: string): DeploymentStatus => {
      const [replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0] = counts
        .split(" ")
        .map(Number);
      return { replicas, updatedReplicas, readyReplicas, availableReplicas };
    };
    expect(hasProgressed(status(before), status(after))).toBe(expected);
  });
});

describe("a rollout is too late", () => {
  const at = (seconds: number): string => `2016-01-01T00:01:${String(seconds).padStart(2, "0")}Z`;
  const NOW_MS = Date.parse(at(20));
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestDeploymentTimedOut
  test.each<[string, number | undefined, DeploymentCondition | undefined, boolean]>([
    ["not without a deadline", undefined, progressing("True", "", at(9)), false],
    ["not with an infinite deadline", UNLIMITED, progressing("True", "", at(9)), false],
    ["11 s after the last progress, with a deadline of 10 s", 10, progressing("True", "", at(9)), true],
    ["not after 9 s", 10, progressing("True", "", at(11)), false],
    ["not when it was complete before", 10, progressing("True", "NewReplicaSetAvailable", at(0)), false],
    ["for good once it was", 10, progressing("False", "ProgressDeadlineExceeded", at(20)), true],
    ["not before progress was spoken of", 10, undefined, false],
  ])("%s", (_, deadline, condition, expected) => {
    expect(hasTimedOut(asStored(rollout(deadline, 1, "0 0 0", condition)), NOW_MS)).toBe(expected);
  });
});

describe("pausing and resuming", () => {
  const paused = progressing("Unknown", "DeploymentPaused", SINCE);
  const timedOut = progressing("False", "ProgressDeadlineExceeded", SINCE);
  test.for<[string, boolean, number | undefined, DeploymentCondition | undefined, string | undefined]>([
    ["is told when it was paused", true, 60, undefined, "DeploymentPaused"],
    ["is told when it was resumed", false, 60, paused, "DeploymentResumed"],
    ["is told once", true, 60, paused, undefined],
    ["is not told when it runs as before", false, 60, undefined, undefined],
    ["is not told without a deadline", true, undefined, undefined, undefined],
    ["does not hide that the deadline has passed", true, 60, timedOut, undefined],
  ])("%s", ([, isPaused, deadline, condition, expected]) => {
    const owner = rollout(deadline, 1, "0 0 0", condition);
    const conditions = decidePausedConditions(
      asStored({ ...owner, spec: { ...specOf(owner), paused: isPaused } }),
      SINCE_MS,
    );
    expect(findCondition(conditions, "Progressing")?.reason).toBe(expected);
    if (expected !== undefined) expect(findCondition(conditions, "Progressing")?.status).toBe("Unknown");
  });
});

describe("a current ReplicaSet that was there before", () => {
  test.each<[string, number | undefined, DeploymentCondition | undefined, string | undefined]>([
    ["is told when progress is asked for", 60, undefined, "FoundNewReplicaSet"],
    ["is not told without a deadline", undefined, undefined, undefined],
    ["is not told when progress was spoken of", 60, progressing("True", "X"), undefined],
  ])("%s", (_, deadline, condition, expected) => {
    const found = decideFoundCondition(
      asStored(rollout(deadline, 1, "0 0 0", condition)),
      replicaSet("rs", 1),
      SINCE_MS,
    );
    expect(found?.reason).toBe(expected);
  });
});

/** The status as "pods updated available". */
function rollout(
  deadline: number | undefined,
  replicas: number,
  counts: string,
  condition?: DeploymentCondition,
): Stored<Deployment> {
  const [pods = 0, updatedReplicas = 0, availableReplicas = 0] = counts.split(" ").map(Number);
  return deployment({
    name: "progress-test",
    replicas,
    strategy: "Recreate",
    ...(deadline !== undefined && { deadline }),
    status: {
      replicas: pods,
      updatedReplicas,
      availableReplicas,
      ...(condition && { conditions: [condition] }),
    },
  });
}

function old(name: string, size: number, pods: number, available: number): Stored<ReplicaSet> {
  return replicaSet(name, size, { pods, available });
}

function specOf(owner: Stored<Deployment>): NonNullable<Deployment["spec"]> {
  if (owner.spec === undefined) throw new Error("the Deployment has no spec");
  return owner.spec;
}
