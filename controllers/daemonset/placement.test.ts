import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { nodeFit } from "./node-fit.ts";
import { podsByNode } from "./node-pods.ts";
import { decidePlacement, type PlacementPlan } from "./placement.ts";
import {
  BOTH_STRATEGIES,
  daemonSet,
  NODE_LABELS,
  node,
  nodes,
  OTHER_NODE_LABELS,
  pod,
  type PodSketch,
  ROLLING,
  surge,
} from "./samples.test-data.ts";

const HASH = "current";

function place(
  ds: Stored<DaemonSet>,
  on: readonly Stored<Node>[],
  pods: readonly Stored<Pod>[] = [],
  { nowSeconds = 0, backoffMs = () => 0 }: { nowSeconds?: number; backoffMs?: (node: string) => number } = {},
): PlacementPlan {
  const view = {
    daemonSet: ds,
    nodes: on,
    fits: nodeFit(ds, {}),
    pods: podsByNode(pods),
    hash: HASH,
    backoffMs,
  };
  return decidePlacement(view, nowSeconds * 1_000);
}

function pods(name: string, count: number, sketch: PodSketch = {}): readonly Stored<Pod>[] {
  return Array.from({ length: count }, (_, index) =>
    pod(`${name}-${index}`, { on: name, hash: HASH, created: index, ...sketch }),
  );
}

function removedNames({ remove }: PlacementPlan): readonly string[] {
  return remove.map(({ pod: { metadata } }) => metadata.name ?? "").toSorted((a, b) => a.localeCompare(b));
}

const some = [...nodes(0, 4), ...nodes(4, 3, NODE_LABELS)];

describe.each(BOTH_STRATEGIES)("with %j nodes without a pod get one", (strategy) => {
  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestSimpleDaemonSetLaunchesPods, #TestNoNodesDoesNothing,
  // #TestOneNodeDaemonLaunchesPod, #TestSelectorDaemonLaunchesPods, #TestBadSelectorDaemonDoesNothing,
  // #TestNameDaemonSetLaunchesPods, #TestBadNameDaemonSetDoesNothing, #TestNameAndSelectorDaemonSetLaunchesPods,
  // #TestInconsistentNameSelectorDaemonSetDoesNothing, #TestSelectorDaemonSetLaunchesPods,
  // #TestInsufficientCapacityNodeSufficientCapacityWithNodeLabelDaemonLaunchPod
  test.each([
    ["all of them", {}, nodes(0, 5), 5],
    ["none where there are none", {}, [], 0],
    ["the only one", {}, [node("only-node")], 1],
    ["those that the selector matches", { nodeSelector: NODE_LABELS }, some, 3],
    ["none that it does not match", { nodeSelector: OTHER_NODE_LABELS }, some, 0],
    ["the one of that name", { nodeName: "node-0" }, nodes(0, 5), 1],
    ["none of another name", { nodeName: "node-10" }, nodes(0, 5), 0],
    [
      "the one of that name that the selector matches",
      { nodeSelector: NODE_LABELS, nodeName: "node-6" },
      some,
      1,
    ],
    ["none where these are two", { nodeSelector: NODE_LABELS, nodeName: "node-0" }, some, 0],
  ])("%s", (_, spec, on, expected) => {
    const plan = place(daemonSet({ strategy, spec }), on);
    expect(plan).toMatchObject({ remove: [], failedOn: [], recheckAfterMs: undefined });
    expect(plan.create).toHaveLength(expected);
  });
});

describe.each([...BOTH_STRATEGIES, surge(1)])("with %j", (strategy) => {
  const selective = daemonSet({ strategy, spec: { nodeSelector: NODE_LABELS } });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDealsWithExistingPods, #TestSurgeDealsWithExistingPods,
  // #TestSelectorDaemonDeletesUnselectedPods, #TestSelectorDaemonDealsWithExistingPods
  test.for<
    [
      string,
      ReturnType<typeof daemonSet>,
      ReturnType<typeof nodes>,
      Readonly<Record<number, number>>,
      number,
      number,
    ]
  >([
    ["the oldest of many stays", daemonSet({ strategy }), nodes(0, 5), { 1: 1, 2: 2, 3: 5 }, 2, 5],
    [
      "pods on wrong nodes go",
      selective,
      [...nodes(0, 5), ...nodes(5, 5, NODE_LABELS)],
      { 1: 3, 4: 1 },
      5,
      4,
    ],
    [
      "both happens at once",
      selective,
      [...nodes(0, 5), ...nodes(5, 5, NODE_LABELS)],
      { 0: 1, 1: 3, 2: 4, 6: 13, 9: 1 },
      3,
      20,
    ],
  ])("%s", ([, ds, on, existing, creates, removes]) => {
    const present = Object.entries(existing).flatMap(([index, count]) => pods(`node-${index}`, count));
    const plan = place(ds, on, present);
    expect(plan.create).toHaveLength(creates);
    expect(plan.remove).toHaveLength(removes);
    expect(removedNames(plan)).not.toContain("node-6-0");
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDeleteUnscheduledPodForNotExistingNode
  test("pods that wait for a node that is gone go; those that are on one are somebody else's", () => {
    const present = [
      ...pods("node-0", 1),
      ...pods("node-1", 1),
      pod("waiting", { meantFor: "node-2", hash: HASH }),
      pod("held", { meantFor: "node-2", hash: HASH, deleting: true }),
    ];
    const plan = place(daemonSet({ strategy }), nodes(0, 1), present);
    expect(plan).toMatchObject({ create: [], remove: [{ reason: "its node does not exist" }] });
    expect(removedNames(plan)).toEqual(["waiting"]);
  });

  test("pods on a wrong node are not deleted twice", () => {
    expect(place(selective, nodes(0, 1), pods("node-0", 2, { deleting: true })).remove).toEqual([]);
  });
});

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestDaemonSetRespectsTermination,
// #TestPortConflictWithSameDaemonPodDoesNotDeletePod, #TestInsufficientCapacityNodeDaemonDoesNotUnscheduleRunningPod,
// #TestNoPortConflictNodeDaemonLaunchesPod: pods of others are not looked at.
test.each(BOTH_STRATEGIES)("with %j a pod that is going away is replaced when it is gone", (strategy) => {
  expect(place(daemonSet({ strategy }), nodes(0, 1), pods("node-0", 1, { deleting: true })).create).toEqual(
    [],
  );
  expect(place(daemonSet({ strategy }), nodes(0, 1), pods("node-0", 1)).create).toEqual([]);
});

describe.each(BOTH_STRATEGIES)("with %j pods that have ended", (strategy) => {
  const ds = daemonSet({ strategy });
  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestDaemonKillFailedPods
  test.for<[number, number, number, number, number]>([
    [0, 1, 0, 0, 0],
    [0, 0, 1, 0, 0],
    [1, 0, 0, 1, 1],
    [1, 3, 0, 3, 1],
  ])(
    "%d failed, %d others: %d created, %d removed, %d told of",
    ([failed, normal, creates, removes, told]) => {
      const present = [...pods("node-0", normal), ...pods("node-0", failed, { phase: "Failed" })];
      const plan = place(ds, nodes(0, 1), present);
      expect([plan.create.length, plan.remove.length, plan.failedOn.length]).toEqual([
        creates,
        removes,
        told,
      ]);
    },
  );

  test("with success are removed too, and nothing waits for that", () => {
    const plan = place(ds, nodes(0, 1), pods("node-0", 1, { phase: "Succeeded" }), {
      backoffMs: () => 5_000,
    });
    expect(plan).toMatchObject({ create: [], remove: [{ reason: "it succeeded" }], failedOn: [] });
  });

  test("in failure go one at a time", () => {
    const plan = place(ds, nodes(0, 1), pods("node-0", 3, { phase: "Failed" }));
    expect(plan).toMatchObject({ failedOn: ["node-0"], remove: [{ reason: "it failed" }] });
  });

  test("in failure stay while their node has to wait", () => {
    const failed = ["node-0", "node-1", "node-2"].flatMap((on) => pods(on, 1, { phase: "Failed" }));
    const waits: Readonly<Record<string, number>> = { "node-0": 7_000, "node-1": 3_000 };
    const plan = place(ds, nodes(0, 3), failed, { backoffMs: (on) => waits[on] ?? 0 });
    expect(plan).toMatchObject({ create: [], failedOn: ["node-2"], recheckAfterMs: 3_000 });
  });
});

test("with surge a node whose failed pod has to wait gets no other that would fail too", () => {
  const failed = pods("node-0", 1, { phase: "Failed" });
  const plan = (backoffMs: number) =>
    place(daemonSet({ strategy: surge(1) }), nodes(0, 1), failed, { backoffMs: () => backoffMs });
  expect(plan(1)).toMatchObject({ create: [], remove: [], recheckAfterMs: 1 });
  expect(plan(0)).toMatchObject({ create: ["node-0"], remove: [{ reason: "it failed" }] });
});

describe("with surge a node", () => {
  const current = { on: "node-1", hash: HASH, created: 100 };
  const old = { on: "node-1", hash: "old", created: 50, ready: true };
  const younger = pod("younger", { ...old, created: 60 });
  const here = nodes(1, 1);
  const ds = daemonSet({ strategy: surge(1) });
  const patient = daemonSet({ strategy: surge(1), minReadySeconds: 15 });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestSurgePreservesReadyOldPods, #TestSurgeDeletesUnreadyOldPods,
  // #TestSurgePreservesOldReadyWithUnsatisfiedMinReady, #TestSurgeDeletesOldReadyWithUnsatisfiedMinReady
  test.for<
    [
      string,
      ReturnType<typeof daemonSet>,
      Parameters<typeof pod>[1],
      Parameters<typeof pod>[1],
      number,
      string[],
    ]
  >([
    ["keeps an old pod that is ready while the new one is not", ds, old, current, 0, ["younger"]],
    ["loses an old pod that is not ready", ds, { ...old, ready: false }, current, 0, ["old", "younger"]],
    [
      "keeps an old pod until the new one is available",
      patient,
      old,
      { ...current, ready: true, since: 50 },
      60,
      ["younger"],
    ],
    [
      "loses an old pod when the new one is available",
      patient,
      old,
      { ...current, ready: true, since: 50 },
      70,
      ["old", "younger"],
    ],
  ])("%s", ([, which, oldPod, newPod, nowSeconds, expected]) => {
    const present = [pod("new", newPod), pod("old", oldPod), younger];
    const plan = place(which, here, present, { nowSeconds });
    expect(plan.create).toEqual([]);
    expect(removedNames(plan)).toEqual(expected);
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestSurgeCreatesNewPodWhenAtMaxSurgeAndOldPodDeleted
  test("gets a pod as soon as its only one is going away", () => {
    const plan = place(ds, here, [pod("old", { ...old, deleting: true })]);
    expect(plan).toMatchObject({ create: ["node-1"], remove: [] });
  });

  test("gets none as long as it may only keep one", () => {
    const tainted = [node("node-1", {}, [{ key: "a", effect: "NoSchedule" }])];
    expect(place(ds, tainted, [pod("old", { ...old, deleting: true })]).create).toEqual([]);
  });
});

test("without surge the older of two pods stays, whatever their templates", () => {
  const present = [
    pod("new", { on: "node-0", hash: HASH, created: 9 }),
    pod("old", { on: "node-0", created: 1 }),
  ];
  expect(removedNames(place(daemonSet({ strategy: ROLLING }), nodes(0, 1), present))).toEqual(["new"]);
});
