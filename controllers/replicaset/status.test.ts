import { describe, expect, test } from "vitest";
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { computeStatus, decideStatus } from "./status.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const NOW = "2026-01-01T12:00:00Z";
const HOUR_S = 3_600;

// Pods are made from the selector's labels; a template may ask for more than those.
const full = replicaSet(2, { name: "foo", type: "production" }, { name: "foo", type: "production" });
const partial = replicaSet(1, { name: "foo", type: "production" }, { name: "foo" });
const patient: ReplicaSet = { ...full, spec: { ...specOf(full), minReadySeconds: HOUR_S } };

describe("counts", () => {
  // upstream: pkg/controller/replicaset/replica_set_utils_test.go#TestCalculateStatus
  test.for<[string, ReplicaSet, readonly Stored<Pod>[], readonly Stored<Pod>[] | undefined, string]>([
    ["one fully labelled pod", full, [ready(full)], undefined, "1 1 1 1 -"],
    [
      "one, where terminating pods were counted before",
      counting(full),
      [ready(full)],
      undefined,
      "1 1 1 1 -",
    ],
    ["one not fully labelled pod", partial, [ready(partial)], undefined, "1 0 1 1 -"],
    ["two fully labelled pods", full, [ready(full), ready(full)], undefined, "2 2 2 2 -"],
    ["two pods, none terminating", full, [ready(full), ready(full)], [], "2 2 2 2 0"],
    ["two not fully labelled pods", partial, [ready(partial), ready(partial)], undefined, "2 0 2 2 -"],
    ["one of each", partial, [ready(partial), ready(full)], undefined, "2 1 2 2 -"],
    ["a pod that is not ready", full, [pending(full)], undefined, "1 1 0 0 -"],
    ["ready, but not for long enough", patient, [ready(patient, 0)], undefined, "1 1 1 0 -"],
    ["ready for just long enough", patient, [ready(patient, HOUR_S)], undefined, "1 1 1 1 -"],
    ["ready for twice as long", patient, [ready(patient, 2 * HOUR_S)], undefined, "1 1 1 1 -"],
    ["one terminating that is not counted", full, [ready(full)], undefined, "1 1 1 1 -"],
    ["two terminating", full, [ready(full)], [ready(full), ready(full)], "1 1 1 1 2"],
    ["no pods", full, [], [], "0 0 0 0 0"],
  ])("%s", ([, owner, active, terminating, expected]) => {
    const status = computeStatus({ owner, active, terminating, failure: undefined }, NOW_MS);
    expect(shown(status)).toBe(expected);
  });
});

describe("the condition ReplicaFailure", () => {
  const two = replicaSet(2, { name: "foo" }, { name: "foo" });
  const failing: ReplicaSetCondition = { type: "ReplicaFailure", status: "True" };
  const failed = withStatus(replicaSet(10, { name: "foo" }, { name: "foo" }), {
    replicas: 0,
    conditions: [failing],
  });
  const other: ReplicaSetCondition = { type: "Other", status: "True", reason: "Kept" };
  const isNew = (reason: string): ReplicaSetCondition => ({
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: NOW,
    reason,
    message: "it failed",
  });

  // upstream: pkg/controller/replicaset/replica_set_utils_test.go#TestCalculateStatusConditions, and Set/RemoveCondition
  test.for<[string, ReplicaSet, number, string | undefined, readonly ReplicaSetCondition[] | undefined]>([
    ["a create failed", two, 1, "it failed", [isNew("FailedCreate")]],
    ["a delete failed", two, 3, "it failed", [isNew("FailedDelete")]],
    ["nothing fails any more", failed, 1, undefined, undefined],
    ["it still fails: the first condition stays", failed, 1, "it failed", [failing]],
    ["nothing failed", two, 1, undefined, undefined],
    [
      "others are kept beside it",
      withStatus(two, { replicas: 0, conditions: [other] }),
      1,
      "it failed",
      [other, isNew("FailedCreate")],
    ],
    [
      "others stay when it goes",
      withStatus(failed, { replicas: 0, conditions: [failing, other] }),
      1,
      undefined,
      [other],
    ],
  ])("%s", ([, owner, pods, failure, expected]) => {
    const active = Array.from({ length: pods }, () => ready(owner));
    const status = computeStatus({ owner, active, terminating: [], failure }, NOW_MS);
    expect(status.conditions).toEqual(expected);
  });
});

describe("whether to write", () => {
  const counted: ReplicaSetStatus = {
    replicas: 1,
    fullyLabeledReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
    terminatingReplicas: 0,
    observedGeneration: 4,
  };
  const view = (status: ReplicaSetStatus, generation = 4) => ({
    owner: { ...withStatus(full, status), metadata: { ...full.metadata, generation } },
    active: [ready(full)],
    terminating: [],
    failure: undefined,
  });

  test.each<[string, Parameters<typeof decideStatus>[0], boolean]>([
    ["nothing changed", view(counted), false],
    ["a count changed", view({ ...counted, readyReplicas: 0 }), true],
    ["terminating pods were never counted", view(without(counted, "terminatingReplicas")), true],
    ["only the generation changed", view(counted, 5), true],
    [
      "a condition has to go",
      view({ ...counted, conditions: [{ type: "ReplicaFailure", status: "True" }] }),
      true,
    ],
    [
      "a condition of another hand stays",
      view({ ...counted, conditions: [{ type: "X", status: "True" }] }),
      false,
    ],
  ])("%s", (_, statusView, expected) => {
    expect(decideStatus(statusView, NOW_MS).status !== undefined).toBe(expected);
  });

  test("what is written tells the generation that was acted on, and keeps fields it does not know", () => {
    const before = { ...counted, readyReplicas: 0, somethingNew: 7 };
    expect(decideStatus(view(before, 9), NOW_MS).status).toMatchObject({
      observedGeneration: 9,
      somethingNew: 7,
    });
  });
});

describe("when to look again", () => {
  // upstream: pkg/controller/replicaset/replica_set_test.go#TestReplicaSetAvailabilityCheck
  const four: ReplicaSet = { ...full, spec: { ...specOf(full), replicas: 4, minReadySeconds: 5 } };
  const again = (active: readonly Stored<Pod>[], owner = four): number | undefined =>
    decideStatus({ owner, active, terminating: [], failure: undefined }, NOW_MS).recheckAfterMs;

  test("at the moment when the next pod becomes available", () => {
    expect(again([pending(four), ready(four, 0), ready(four, 2), ready(four, 4.3)])).toBeCloseTo(700);
  });

  test("never while every ready pod is available, or none has to wait", () => {
    expect(again([ready(four, 5), pending(four)])).toBeUndefined();
    expect(again([ready(full, 0)], full)).toBeUndefined();
  });

  test("after minReadySeconds when the time of readiness is not known", () => {
    const odd = pending(four);
    expect(again([{ ...odd, status: { conditions: [{ type: "Ready", status: "True" }] } }])).toBe(5_000);
  });
});

function replicaSet(
  replicas: number,
  templateLabels: Record<string, string>,
  matchLabels: Record<string, string>,
): ReplicaSet {
  return {
    metadata: { name: "foobar", namespace: "default", uid: "owner-uid" },
    spec: {
      replicas,
      selector: { matchLabels },
      template: { metadata: { labels: templateLabels }, spec: { containers: [] } },
    },
  };
}

function specOf(owner: ReplicaSet): NonNullable<ReplicaSet["spec"]> {
  if (owner.spec === undefined) throw new Error("the ReplicaSet has no spec");
  return owner.spec;
}

function withStatus(owner: ReplicaSet, status: ReplicaSetStatus): ReplicaSet {
  return { ...owner, status };
}

function without<T extends object, K extends keyof T>(object: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = object;
  return rest;
}

function pending(owner: ReplicaSet): Stored<Pod> {
  return asStored<Pod>({
    metadata: { name: "pod", namespace: "default", labels: specOf(owner).selector.matchLabels ?? {} },
    status: { phase: "Pending" },
  });
}

function ready(owner: ReplicaSet, forSeconds = 60): Stored<Pod> {
  const lastTransitionTime = new Date(NOW_MS - forSeconds * 1_000).toISOString();
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
  return { ...pending(owner), status: { phase: "Running", conditions } };
}

function shown(status: ReplicaSetStatus): string {
  const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas } = status;
  return [replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas ?? "-"].join(
    " ",
  );
}

/** With the count that an earlier process has written. */
function counting(owner: ReplicaSet): ReplicaSet {
  return { ...owner, status: { replicas: 1, terminatingReplicas: 3 } };
}
