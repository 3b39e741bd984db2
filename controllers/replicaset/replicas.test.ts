import { describe, expect, test } from "vitest";
import { asStored } from "../../test/harness/stored.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { deletionCost } from "../../pkg/api/pod-ranking.ts";
import { deletionAgeRatios } from "./deletion-age.ts";
import {
  BURST_REPLICAS,
  type CachedPod,
  choosePodsToDelete,
  decideReplicas,
  type ReplicasView,
} from "./replicas.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const ranking = { nowMs: NOW_MS, costOf: deletionCost, logarithmicAges: true };

describe("how many pods to create or delete", () => {
  const settled: ReplicasView = { desired: 3, active: 3, expectationsMet: true, ownerIsLeaving: false };
  test.each<[string, Partial<ReplicasView>, string]>([
    ["as many as desired", {}, "none"],
    ["too few", { active: 1 }, "create 2"],
    ["too many", { active: 5 }, "delete 2"],
    ["scaled to nothing", { desired: 0 }, "delete 3"],
    ["far too few: one burst", { desired: 1_200, active: 0 }, `create ${BURST_REPLICAS}`],
    ["far too many: one burst", { desired: 0, active: 1_200 }, `delete ${BURST_REPLICAS}`],
    ["too few, but earlier creations are not seen yet", { active: 1, expectationsMet: false }, "none"],
    ["too few, but being deleted", { active: 0, ownerIsLeaving: true }, "none"],
    ["too many, but being deleted", { active: 9, ownerIsLeaving: true }, "none"],
  ])("%s", (_, change, expected) => {
    const plan = decideReplicas({ ...settled, ...change });
    expect(plan.action === "none" ? "none" : `${plan.action} ${plan.count}`).toBe(expected);
    expect(plan.reason).not.toBe("");
  });
});

describe("which pods to delete", () => {
  const unscheduled = pod("unscheduled-pending", "Pending");
  const pending = pod("scheduled-pending", "Pending", "node");
  const notReady = pod("running-not-ready", "Running", "node", "False");
  const onNode1 = pod("ready-on-node-1", "Running", "node-1", "True");
  const onNode2 = pod("ready-on-node-2", "Running", "node-2", "True");
  const all = [onNode1, onNode1, onNode2, notReady, pending, unscheduled];

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestGetPodsToDelete
  test.for<[string, readonly CachedPod[], readonly CachedPod[] | undefined, number, readonly CachedPod[]]>([
    ["none of none", [], undefined, 0, []],
    ["all of them, in any order", [notReady, onNode1], undefined, 2, [notReady, onNode1]],
    ["not ready before ready", [onNode1, notReady], undefined, 1, [notReady]],
    ["all of many kinds", all, undefined, 6, all],
    ["all of many kinds without related pods", all, [], 6, all],
    ["unscheduled before scheduled", [pending, unscheduled], undefined, 1, [unscheduled]],
    ["every one that is not ready", [onNode1, notReady, notReady], undefined, 2, [notReady, notReady]],
    ["one on a node with related pods", [onNode1, onNode2], [onNode1, onNode2, onNode2], 1, [onNode2]],
    ["pending before running", [pending, notReady], undefined, 1, [pending]],
    [
      "in order of how far they are",
      [onNode1, onNode2, notReady, pending, unscheduled],
      undefined,
      3,
      [unscheduled, pending, notReady],
    ],
  ])("%s", ([, active, related, count, expected]) => {
    const chosen = choosePodsToDelete(active, related ?? active, count, ranking);
    expect(chosen.map(nameOf)).toEqual(expected.map(nameOf));
  });

  test("related pods that have ended do not make a node crowded", () => {
    const ended = pod("ended", "Succeeded", "node-2");
    const chosen = choosePodsToDelete(
      [onNode2, onNode1],
      [onNode1, onNode2, onNode1, ended, ended],
      1,
      ranking,
    );
    expect(chosen.map(nameOf)).toEqual(["ready-on-node-1"]);
  });
});

describe("the ages of deleted pods", () => {
  const aged = (seconds: number, ready = "True"): CachedPod => {
    const created = pod(`pod-${seconds}`, "Running", "node", ready);
    const creationTimestamp = new Date(NOW_MS - seconds * 1_000).toISOString();
    return { ...created, metadata: { ...created.metadata, creationTimestamp } };
  };

  test("are told as multiples of the youngest ready pod's", () => {
    const [young, old] = [aged(10), aged(35)];
    expect(deletionAgeRatios([young, old], [young, old], NOW_MS)).toEqual([1, 3]);
  });

  test("leave out pods that are not ready", () => {
    const [young, old, broken] = [aged(10), aged(35), aged(1, "False")];
    expect(deletionAgeRatios([young, old, broken], [broken, old], NOW_MS)).toEqual([3]);
    expect(deletionAgeRatios([broken], [broken], NOW_MS)).toEqual([]);
  });

  test("are told of more pods than a call can have arguments", () => {
    const [young, old] = [aged(10), aged(35)];
    const many = Array.from({ length: 130_000 }, () => old);
    expect(deletionAgeRatios([young, ...many], [old], NOW_MS)).toEqual([3]);
  });

  test("say nothing while the youngest has no age", () => {
    expect(deletionAgeRatios([aged(0)], [aged(0)], NOW_MS)).toEqual([]);
  });
});

function pod(name: string, phase: string, nodeName?: string, ready?: string): CachedPod {
  return asStored<Pod>({
    metadata: { name, namespace: "default", uid: name },
    spec: { containers: [], ...(nodeName && { nodeName }) },
    status: { phase, ...(ready && { conditions: [{ type: "Ready", status: ready }] }) },
  });
}

function nameOf(object: CachedPod): string {
  return object.metadata.name;
}
