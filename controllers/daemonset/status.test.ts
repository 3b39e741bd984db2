import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { DaemonSet, DaemonSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { nodeFit } from "./node-fit.ts";
import { podsByNode } from "./node-pods.ts";
import { daemonSet, node, nodes, pod } from "./samples.test-data.ts";
import { decideStatus, type StatusPlan } from "./status.ts";

function plan(
  ds: Stored<DaemonSet>,
  on: readonly Stored<Node>[],
  pods: readonly Stored<Pod>[],
  { acted = true, nowSeconds = 0 }: { acted?: boolean; nowSeconds?: number } = {},
): StatusPlan {
  const view = {
    daemonSet: ds,
    nodes: on,
    fits: nodeFit(ds, {}),
    pods: podsByNode(pods),
    hash: "new",
    acted,
  };
  return decideStatus(view, nowSeconds * 1_000);
}

describe("the status counts", () => {
  const ds = daemonSet({ generation: 1, minReadySeconds: 10, spec: { nodeSelector: { yes: "1" } } });
  const yes = { yes: "1" };
  const on = [...nodes(0, 5, yes), node("other", {})];
  const count = (...pods: Stored<Pod>[]): DaemonSetStatus | undefined =>
    plan(ds, on, pods, { nowSeconds: 100 }).status;

  test("nodes that are to have a pod", () => {
    expect(count()).toMatchObject({
      desiredNumberScheduled: 5,
      currentNumberScheduled: 0,
      numberUnavailable: 5,
    });
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestNumberReadyStatus,
  // #TestSimpleDaemonSetUpdatesStatusAfterLaunchingPods
  test("those that have one, of the current template, ready, available", () => {
    expect(
      count(
        pod("a", { on: "node-0", hash: "old" }),
        pod("b", { meantFor: "node-1", hash: "new" }),
        pod("c", { on: "node-2", hash: "new", ready: true, since: 95 }),
        pod("d", { on: "node-3", hash: "new", ready: true, since: 90 }),
      ),
    ).toEqual({
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      updatedNumberScheduled: 3,
      numberReady: 2,
      numberAvailable: 1,
      numberUnavailable: 4,
      numberMisscheduled: 0,
      observedGeneration: 1,
    });
  });

  test("those that have one and should not", () => {
    const status = count(pod("a", { on: "other", ready: true }), pod("b", { on: "gone", ready: true }));
    expect(status).toMatchObject({ numberMisscheduled: 1, currentNumberScheduled: 0, numberReady: 0 });
  });

  test("a node by the oldest of its pods, even if that is going away", () => {
    const status = count(
      pod("young", { on: "node-0", hash: "new", ready: false, created: 2 }),
      pod("old", { on: "node-0", hash: "old", ready: true, created: 1, deleting: true }),
    );
    expect(status).toMatchObject({ currentNumberScheduled: 1, updatedNumberScheduled: 0, numberReady: 1 });
  });
});

describe("the status", () => {
  const pods = [pod("a", { on: "node-0", hash: "new" })];
  const counts = {
    desiredNumberScheduled: 1,
    currentNumberScheduled: 1,
    updatedNumberScheduled: 1,
    numberUnavailable: 1,
  };

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestObservedGeneration
  test.for<
    [
      string,
      number,
      Required<NonNullable<Parameters<typeof daemonSet>[0]>>["status"],
      boolean,
      number | undefined,
    ]
  >([
    ["is not written when it is right", 1, { ...counts, observedGeneration: 1 }, true, undefined],
    ["says which generation was acted on", 1, counts, true, 1],
    ["says a later one, too", 3, { ...counts, observedGeneration: 2 }, true, 3],
    ["does not say one that was not acted on", 3, { observedGeneration: 2 }, false, undefined],
    [
      "is not written for a generation that was not acted on",
      3,
      { ...counts, observedGeneration: 2 },
      false,
      undefined,
    ],
  ])("%s", ([, generation, status, acted, observed]) => {
    const written = plan(daemonSet({ generation, status }), nodes(0, 1), pods, { acted }).status;
    expect(written?.observedGeneration).toBe(observed);
  });
});

describe("when a pod becomes available by time alone", () => {
  const ds = daemonSet({ minReadySeconds: 10 });
  test.each([
    ["never, when none is ready", [pod("a", { on: "node-0", ready: false })], undefined],
    ["never, when all are available", [pod("a", { on: "node-0", ready: true, since: 90 })], undefined],
    [
      "when the first of them is",
      [91, 95].map((since) => pod(`p${since}`, { on: "node-0", ready: true, since })),
      1_000,
    ],
    [
      "also when it is the second on its node",
      [
        pod("old", { on: "node-0", ready: true, since: 0 }),
        pod("new", { on: "node-0", ready: true, since: 97, created: 5 }),
      ],
      7_000,
    ],
  ])("%s", (_, pods, expected) => {
    expect(plan(ds, nodes(0, 1), pods, { nowSeconds: 100 }).recheckAfterMs).toBe(expected);
  });

  test("is asked again after the whole time when it does not say since when it is ready", () => {
    const { metadata, spec } = pod("a", { on: "node-0" });
    const timeless = {
      metadata,
      ...(spec && { spec }),
      status: { conditions: [{ type: "Ready", status: "True" }] },
    };
    expect(plan(ds, nodes(0, 1), [timeless]).recheckAfterMs).toBe(10_000);
  });
});
