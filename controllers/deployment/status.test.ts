import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { totalSize } from "./replica-sets.ts";
import { deployment, replicaSet } from "./samples.test-data.ts";
import { computeStatus, isComplete } from "./status.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

describe("counts of ReplicaSets", () => {
  const one = replicaSet("one", 1, { observed: 1, pods: 2, terminating: 3 });
  const two = replicaSet("two", 2, { observed: 1, pods: 3, terminating: 1 });
  const unsynced = replicaSet("unsynced", 3);
  const silent = replicaSet("silent", 1, { observed: 1, pods: 1 });
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestGetReplicaCountForReplicaSets
  test.for<[string, readonly Stored<ReplicaSet>[], number, number, number | undefined]>([
    ["of one that shrinks", [one], 1, 2, 3],
    ["of two that shrink", [one, two], 3, 5, 4],
    ["of one that was not synced yet", [unsynced], 3, 0, 0],
    ["of all of these", [one, two, unsynced], 6, 5, 4],
    ["of one that does not tell of terminating pods", [silent], 1, 1, undefined],
    ["of one among others that does not", [one, two, unsynced, silent], 7, 6, undefined],
  ])("%s", ([, old, size, pods, terminating]) => {
    expect(totalSize(old)).toBe(size);
    const status = computeStatus(deployment(), { current: undefined, old }, true, NOW_MS);
    expect(status.replicas ?? 0).toBe(pods);
    expect(status.terminatingReplicas).toBe(terminating);
    expect(computeStatus(deployment(), { current: undefined, old }, false, NOW_MS)).not.toHaveProperty(
      "terminatingReplicas",
    );
  });

  test("make the status", () => {
    const current = replicaSet("new", 5, { pods: 4, ready: 3, available: 2, terminating: 0 });
    const old = [replicaSet("old", 5, { pods: 5, ready: 5, available: 5, terminating: 1 })];
    const owner = { ...deployment({ replicas: 8, status: { collisionCount: 2, replicas: 1 } }) };
    const status = computeStatus(
      { ...owner, metadata: { ...owner.metadata, generation: 7 } },
      { current, old },
      true,
      NOW_MS,
    );
    expect(status).toMatchObject({
      observedGeneration: 7,
      replicas: 9,
      updatedReplicas: 4,
      readyReplicas: 8,
      availableReplicas: 7,
      unavailableReplicas: 3,
      terminatingReplicas: 1,
      collisionCount: 2,
    });
  });

  test("never make a negative number of unavailable pods", () => {
    const current = replicaSet("new", 1, { pods: 3, available: 3 });
    expect(
      computeStatus(deployment(), { current, old: [] }, true, NOW_MS).unavailableReplicas,
    ).toBeUndefined();
  });
});

describe("the condition Available", () => {
  const availableOf = (owner: Stored<Deployment>, available: number): string | undefined => {
    const status = computeStatus(
      asStored(owner),
      { current: replicaSet("rs", 4, { available }), old: [] },
      true,
      NOW_MS,
    );
    return findCondition(status.conditions, "Available")?.reason;
  };
  test.each<[string, number, string]>([
    ["with what must be available", 3, "MinimumReplicasAvailable"],
    ["with one less", 2, "MinimumReplicasUnavailable"],
  ])("%s", (_, available, expected) => {
    expect(availableOf(deployment({ replicas: 4, unavailable: 1, surge: 1 }), available)).toBe(expected);
  });

  test("asks for all pods of a Deployment that recreates", () => {
    const owner = deployment({ replicas: 4, strategy: "Recreate" });
    expect([availableOf(owner, 3), availableOf(owner, 4)]).toEqual([
      "MinimumReplicasUnavailable",
      "MinimumReplicasAvailable",
    ]);
  });
});

describe("a rollout is complete", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestDeploymentComplete
  test.each<[string, number, [number, number, number], boolean]>([
    ["not when only the minimum is available", 5, [5, 5, 4], false],
    ["not when less than that is", 5, [5, 5, 3], false],
    ["when all are updated and available", 5, [5, 5, 5], true],
    ["not when one is not updated", 5, [5, 4, 5], false],
    ["not when an old pod runs", 1, [2, 1, 1], false],
    ["not when its only pod never comes up", 1, [1, 1, 0], false],
  ])("%s", (_, replicas, [pods, updatedReplicas, availableReplicas], expected) => {
    const status = { replicas: pods, updatedReplicas, availableReplicas };
    expect(isComplete(deployment({ replicas }), status)).toBe(expected);
  });

  test("not before this very spec was looked at", () => {
    const owner = { ...deployment(), metadata: { ...deployment().metadata, generation: 2 } };
    const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    expect(isComplete(asStored(owner), { ...status, observedGeneration: 1 })).toBe(false);
    expect(isComplete(asStored(owner), { ...status, observedGeneration: 2 })).toBe(true);
  });
});
