import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { newPod } from "./new-pod.ts";
import { decideReplicas, type PodStep, type ReplicasPlan } from "./replicas.ts";
import { changed, claimOf, type Health, podOf, statefulSet } from "./samples.test-data.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");

function decide(
  set: Stored<StatefulSet>,
  pods: readonly Stored<Pod>[],
  claims: readonly Stored<PersistentVolumeClaim>[] = [0, 1, 2, 3, 4].map((ordinal) => claimOf(set, ordinal)),
): ReplicasPlan {
  const view = {
    set,
    pods,
    claim: (name: string) => claims.find(({ metadata }) => metadata.name === name),
    newPod: (ordinal: number) => newPod(asStored(set), set.spec?.template ?? {}, "rev", ordinal),
  };
  return decideReplicas(view, NOW);
}

const line = ({ action, pod }: PodStep): string => `${action} ${pod.metadata.name}`;
const linesOf = (plan: ReplicasPlan): readonly string[] =>
  [...plan.replicas, ...plan.condemnedClaims, ...plan.condemned].map(line);

/** "r" ready, "p" pending, "u" running but not ready, "t" terminating, "f" failed, "s" succeeded, "-" missing. */
function podsOf(set: Stored<StatefulSet>, states: string): readonly Stored<Pod>[] {
  const healths: Readonly<Record<string, Health>> = {
    r: "ready",
    p: "pending",
    u: "running",
    t: "ready",
    f: "failed",
    s: "succeeded",
  };
  return Array.from(states).flatMap((state, ordinal) => {
    const health = healths[state];
    return health === undefined ? [] : podOf(set, ordinal, { health, terminating: state === "t" });
  });
}

const inTurn = statefulSet("foo", 3);
const atOnce = changed(inTurn, { podManagementPolicy: "Parallel" });

describe("one after the other", () => {
  test.for<[string, string, number, readonly string[], string | undefined]>([
    ["the first is created", "---", 3, ["create foo-0"], "foo-0 is new"],
    ["the next when the first is ready", "r--", 3, ["create foo-1"], "foo-1 is new"],
    ["none while one is pending", "rp-", 3, [], "foo-1 is not running and ready"],
    ["none while one is not ready", "ru-", 3, [], "foo-1 is not running and ready"],
    ["none while one is terminating", "t--", 3, [], "foo-0 is terminating"],
    ["a gap before others is filled", "-rr", 3, ["create foo-0"], "foo-0 is new"],
    ["nothing when all are ready", "rrr", 3, [], undefined],
    ["one that failed goes", "rfr", 3, ["delete foo-1"], "foo-1 has ended"],
    ["one that succeeded goes", "rsr", 3, ["delete foo-1"], "foo-1 has ended"],
    ["not before those ahead of it are ready", "urf", 3, [], "foo-0 is not running and ready"],
    ["the last goes first when scaled down", "rrr", 1, ["delete foo-2"], "foo-2 is scaled down"],
    ["none goes while the last is on its way", "rrt", 1, [], "foo-2 is terminating"],
    ["none goes while one that stays is not ready", "urr", 1, [], "foo-0 is not running and ready"],
    ["the last goes though it is not ready", "rru", 1, ["delete foo-2"], "foo-2 is scaled down"],
    ["not when one before it is not ready either", "ruu", 1, [], "foo-2 is not running and ready"],
    ["a ready last goes though one before it is not", "rur", 1, ["delete foo-2"], "foo-2 is scaled down"],
    ["all the way to nothing", "r--", 0, ["delete foo-0"], "foo-0 is scaled down"],
  ])("%s", ([_name, states, replicas, steps, heldUpBy]) => {
    const set = changed(inTurn, { replicas });
    const plan = decide(set, podsOf(set, states));
    expect(linesOf(plan)).toEqual(steps);
    expect(plan.heldUpBy).toBe(heldUpBy);
  });

  test("the last goes when it has failed, though it is said to be ready still", () => {
    const set = changed(inTurn, { replicas: 1 });
    const [first, second, last] = podsOf(set, "rrr");
    if (first === undefined || second === undefined || last === undefined) throw new Error("no pods");
    const evicted = { ...last, status: { ...last.status, phase: "Failed" } };
    expect(linesOf(decide(set, [first, second, evicted]))).toEqual(["delete foo-2"]);
  });

  // upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetScaleDownRespectsMinReadySeconds
  test("one that is ready but not for long enough is waited for", () => {
    const patient = changed(inTurn, { minReadySeconds: 2_000_000_000 });
    const plan = decide(patient, podsOf(patient, "r--"));
    expect(linesOf(plan)).toEqual([]);
    expect(plan.heldUpBy).toBe("foo-0 is not available yet");
    expect(linesOf(decide(changed(patient, { replicas: 0 }), podsOf(patient, "rr-")))).toEqual([]);
  });
});

describe("all at once", () => {
  test.each<[string, string, number, readonly string[]]>([
    ["all are created", "---", 3, ["create foo-0", "create foo-1", "create foo-2"]],
    ["whatever the others are", "u-t", 3, ["create foo-1"]],
    ["what has ended goes while others come", "f-s", 3, ["delete foo-0", "create foo-1", "delete foo-2"]],
    ["all go when scaled down, but those on their way", "rrut", 1, ["delete foo-2", "delete foo-1"]],
    ["nothing when all are there", "uuu", 3, []],
  ])("%s", (_name, states, replicas, steps) => {
    const set = changed(atOnce, { replicas });
    const plan = decide(set, podsOf(set, states));
    expect(linesOf(plan)).toEqual(steps);
    expect(plan.heldUpBy).toBeUndefined();
  });
});

test("nothing is done for a StatefulSet that is being deleted", () => {
  const leaving = { ...inTurn, metadata: { ...inTurn.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const plan = decide(leaving, podsOf(leaving, "r-f"));
  expect(linesOf(plan)).toEqual([]);
  expect(plan.heldUpBy).toBe("the StatefulSet is being deleted");
});

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetControlWithStartOrdinal
describe("ordinals that start at 3", () => {
  const shifted = changed(inTurn, { ordinals: { start: 3 } });
  test.each<[string, readonly number[], readonly string[]]>([
    ["begin with the third", [], ["create foo-3"]],
    ["go on from there", [3, 4], ["create foo-5"]],
    ["leave nothing to do when all are there", [3, 4, 5], []],
    ["condemn those above and below, the highest first", [1, 3, 4, 5, 6], ["delete foo-6"]],
    ["and then those below", [1, 2, 3, 4, 5], ["delete foo-2"]],
  ])("%s", (_name, ordinals, steps) => {
    expect(
      linesOf(
        decide(
          shifted,
          ordinals.map((ordinal) => podOf(shifted, ordinal)),
        ),
      ),
    ).toEqual(steps);
  });
});

describe("claims", () => {
  const going = changed(inTurn, {
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
  });
  const owned = (
    claim: Stored<PersistentVolumeClaim>,
    uid: string,
    name: string,
  ): Stored<PersistentVolumeClaim> => ({
    metadata: {
      ...claim.metadata,
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
    },
  });

  // upstream: pkg/controller/statefulset/stateful_set_control_test.go#RecreatesPVCForPendingPod
  test("that are missing are made for a pod that waits for them", () => {
    const plan = decide(inTurn, podsOf(inTurn, "p--"), []);
    expect(linesOf(plan)).toEqual(["claims foo-0"]);
    expect(plan.replicas[0]?.claims.create).toHaveLength(1);
    expect(linesOf(decide(inTurn, podsOf(inTurn, "r"), []))).toEqual(["create foo-1"]);
  });

  // upstream: stateful_pod_control_test.go#TestStatefulPodControlRetentionPolicyUpdateMissingClaims
  test("that are missing have no owner to be given; one that comes back gets it", () => {
    const set = changed(inTurn, {
      replicas: 1,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
    });
    expect(linesOf(decide(set, podsOf(set, "r"), []))).toEqual([]);
    const plan = decide(set, podsOf(set, "r"), [claimOf(set, 0)]);
    expect(linesOf(plan)).toEqual(["correct foo-0"]);
    expect(plan.replicas[0]?.claims.reown.map(({ metadata }) => metadata.name)).toEqual(["datadir-foo-0"]);
  });

  test("of those that are scaled down get their owners before any goes", () => {
    const set = changed(going, { replicas: 1 });
    const plan = decide(set, podsOf(set, "rrr"));
    expect(linesOf(plan)).toEqual(["claims foo-2", "claims foo-1", "delete foo-2"]);
  });

  // upstream: pkg/controller/statefulset/stateful_set_test.go#TestStaleOwnerRefOnScaleup
  test("of an earlier pod hold up a new one until they are gone", () => {
    const stale = owned(claimOf(going, 0), "earlier", "foo-0");
    const plan = decide(going, [], [stale]);
    expect(linesOf(plan)).toEqual([]);
    expect(plan.heldUpBy).toBe("an earlier foo-0 still holds its claims");
    const others = decide(changed(going, { podManagementPolicy: "Parallel" }), [], [stale]);
    expect(linesOf(others)).toEqual(["create foo-1", "create foo-2"]);
  });

  test("that are being deleted keep no others from being made", () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const leaving = { metadata: { ...claimOf(atOnce, 0).metadata, deletionTimestamp } };
    expect(linesOf(decide(atOnce, [], [leaving]))).toEqual(["create foo-1", "create foo-2", "create foo-0"]);
  });

  test("lose a pod that is asked for again", () => {
    const again = owned(claimOf(going, 1), "foo-1-uid", "foo-1");
    const plan = decide(going, podsOf(going, "rrr"), [again]);
    expect(linesOf(plan)).toEqual(["correct foo-1"]);
  });
});

test("labels that do not say which pod it is are corrected", () => {
  const [first, ...others] = podsOf(inTurn, "rr");
  const stripped = first && { ...first, metadata: { ...first.metadata, labels: { foo: "bar" } } };
  expect(linesOf(decide(inTurn, [stripped ?? [], others].flat()))).toEqual(["correct foo-0", "create foo-2"]);
});

test("two pods never have one place: what has another's name is left alone", () => {
  const stray = { ...podOf(inTurn, 1), metadata: { ...podOf(inTurn, 1).metadata, name: "foo-01" } };
  expect(linesOf(decide(inTurn, [podOf(inTurn, 0), stray]))).toEqual(["create foo-1"]);
});
