import { describe, expect, test } from "vitest";
import type { OwnerReference } from "../../pkg/api/object.ts";
import { listerOf } from "../../test/harness/lister-of.ts";
import {
  deployment,
  pod,
  refTo,
  replicaSet,
  replicationController,
  statefulSet,
} from "./samples.test-data.ts";
import { cachedOwner, type OwnerListers, totalScale } from "./sync-owners.ts";

const signal = new AbortController().signal;
const web = deployment("web", 10);
const webSet = replicaSet("web-1", 5, refTo.deployment(web));
const olderSet = replicaSet("web-0", 2, refTo.deployment(web));
const alone = replicaSet("alone", 7);
const rc = replicationController("rc", 12);
const db = statefulSet("db", 14);

const owners: OwnerListers = {
  replicationControllers: listerOf([rc]),
  replicaSets: listerOf([webSet, olderSet, alone]),
  deployments: listerOf([web]),
  statefulSets: listerOf([db]),
};

function find(reference: OwnerReference, change: Partial<OwnerReference> = {}): number | undefined {
  return cachedOwner(owners, { ...reference, ...change }, "default")?.replicas;
}

describe("the owner of a pod", () => {
  // upstream: pkg/controller/disruption/disruption_test.go#TestBasicFinderFunctions
  test.each<[string, OwnerReference, Partial<OwnerReference>, number | undefined]>([
    ["a ReplicaSet", refTo.replicaSet(alone), {}, 7],
    ["a ReplicaSet of another group", refTo.replicaSet(alone), { apiVersion: "invalid/v1" }, undefined],
    ["a ReplicationController", refTo.replicationController(rc), {}, 12],
    [
      "a ReplicationController of a group",
      refTo.replicationController(rc),
      { apiVersion: "apps/v1" },
      undefined,
    ],
    ["a StatefulSet", refTo.statefulSet(db), {}, 14],
    ["a StatefulSet by another kind", refTo.statefulSet(db), { kind: "ReplicaSet" }, undefined],
    ["one that is another by now", refTo.replicaSet(alone), { uid: "before" }, undefined],
  ])("is found: %s", (_, reference, change, expected) => {
    expect(find(reference, change)).toBe(expected);
  });

  // upstream: pkg/controller/disruption/disruption_test.go#TestDeploymentFinderFunction
  test.each<[string, Partial<OwnerReference>, Partial<OwnerReference>, number | undefined]>([
    ["through its ReplicaSet", {}, { apiVersion: "extensions/v1" }, 10],
    ["not through a ReplicaSet of another group", { apiVersion: "invalid/v1" }, {}, undefined],
    ["not through another kind", { kind: "InvalidKind" }, {}, undefined],
    ["not of another group", { apiVersion: "extensions/v1" }, { apiVersion: "deployment/v1" }, undefined],
    // The ReplicaSet decides itself, then: that some other kind manages it does not matter.
    ["not of another kind", { apiVersion: "extensions/v1" }, { kind: "InvalidKind" }, 5],
    ["not one that is another by now", {}, { uid: "before" }, undefined],
  ])("is a Deployment %s", (_, set, manager, expected) => {
    const replicaSets = listerOf([replicaSet("web-1", 5, { ...refTo.deployment(web), ...manager })]);
    const reference = { ...refTo.replicaSet(webSet), ...set };
    expect(cachedOwner({ ...owners, replicaSets }, reference, "default")?.replicas).toBe(expected);
  });
});

describe("what the owners of pods want", () => {
  const scaleOf = async (): Promise<number | undefined> => undefined;

  // upstream: pkg/controller/disruption/disruption_test.go#TestTwoControllers, #TestMultipleControllers
  test("is added up, each owner once, a Deployment for all its ReplicaSets", async () => {
    const pods = [
      pod("a", { owner: refTo.replicaSet(webSet) }),
      pod("b", { owner: refTo.replicaSet(webSet) }),
      pod("c", { owner: refTo.replicaSet(olderSet) }),
      pod("d", { owner: refTo.replicationController(rc) }),
    ];
    expect(await totalScale({ owners, scales: { scaleOf } }, pods, signal)).toEqual({
      replicas: 22,
      unmanaged: [],
    });
  });

  test("ends where the fields of a status do", async () => {
    const pods = ["a", "b"].map((name) =>
      pod(name, { owner: { apiVersion: "x.io/v1", kind: "Fleet", name, uid: name, controller: true } }),
    );
    const scales = { scaleOf: async () => 2 ** 31 - 1 };
    expect((await totalScale({ owners, scales }, pods, signal)).replicas).toBe(2 ** 31 - 1);
  });

  // upstream: pkg/controller/disruption/disruption_test.go#TestTotalUnmanagedPods
  test("says nothing of pods that nobody manages", async () => {
    const pods = [pod("naked"), pod("d", { owner: refTo.statefulSet(db) })];
    const total = await totalScale({ owners, scales: { scaleOf } }, pods, signal);
    expect(total).toEqual({ replicas: 14, unmanaged: [pods[0]] });
  });

  test("is asked of the server for other kinds, once for each", async () => {
    const asked: string[] = [];
    const owner = {
      apiVersion: "example.com/v1",
      kind: "Fleet",
      name: "fleet",
      uid: "fleet-uid",
      controller: true,
    };
    const scales = { scaleOf: async ({ name }: OwnerReference) => asked.push(name) * 10 };
    const pods = ["a", "b"].map((name) => pod(name, { owner }));
    expect(await totalScale({ owners, scales }, pods, signal)).toEqual({ replicas: 10, unmanaged: [] });
    expect(asked).toEqual(["fleet"]);
  });

  test("cannot be known when an owner is gone", async () => {
    const pods = [pod("a", { owner: refTo.replicaSet(replicaSet("gone", 1)) })];
    await expect(totalScale({ owners, scales: { scaleOf } }, pods, signal)).rejects.toThrow(
      'found no controllers for pod "a"',
    );
  });
});
