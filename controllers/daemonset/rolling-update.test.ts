import { describe, expect, test } from "vitest";
import type { DaemonSetUpdateStrategy } from "../../pkg/api/types/apps-v1.gen.ts";
import { nodeFit } from "./node-fit.ts";
import { podsByNode } from "./node-pods.ts";
import { RollingModel } from "./rolling-model.test-data.ts";
import { decideRollingUpdate } from "./rolling-update.ts";
import { daemonSet, node, nodes, ON_DELETE, pod, surge, unavailable } from "./samples.test-data.ts";
import type { StoredObject } from "../../pkg/api/object.ts";

/** Every node has a pod of the first template, ready or not; the second is to be rolled. */
function rollOf(count: number, strategy: DaemonSetUpdateStrategy, ready = true): RollingModel {
  const model = new RollingModel(daemonSet({ strategy: ON_DELETE }), nodes(0, count));
  expect(model.sync()).toEqual([count, 0]);
  if (ready) model.mark(true);
  model.daemonSet = daemonSet({ strategy });
  model.hash = "second";
  return model;
}

/** What the syncs do, one after the other; "ready" stands between two for all pods becoming ready. */
function history(
  model: RollingModel,
  ...steps: ("sync" | "ready")[]
): readonly (readonly [number, number])[] {
  return steps.flatMap((step) => {
    if (step === "sync") return [model.sync()];
    model.mark(true);
    return [];
  });
}

describe("old pods go first, and then", () => {
  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesPods
  test("new ones come, as many at a time as may be unavailable", () => {
    const model = rollOf(5, unavailable(2));
    const round = ["sync", "sync", "ready"] as const;
    expect(history(model, ...round, ...round, ...round, "sync")).toEqual([
      [0, 2],
      [2, 0],
      [0, 2],
      [2, 0],
      [0, 1],
      [1, 0],
      [0, 0],
    ]);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesWhenNewPodIsNotReady
  test("nothing more happens while the new ones are not ready", () => {
    expect(history(rollOf(5, unavailable(3)), "sync", "sync", "sync")).toEqual([
      [0, 3],
      [3, 0],
      [0, 0],
    ]);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesSomeOldPodsNotReady
  test("a third template replaces those that were not ready, and no others", () => {
    const model = rollOf(5, unavailable(2));
    history(model, "sync", "sync");
    const before = model.ready();
    model.hash = "third";
    expect(history(model, "sync", "sync", "sync")).toEqual([
      [0, 2],
      [2, 0],
      [0, 0],
    ]);
    expect(model.ready()).toEqual(before);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesSaveOldHealthyPods
  test("healthy old ones are safe while as many as allowed, or more, are unhealthy", () => {
    const model = rollOf(20, unavailable(10));
    expect(history(model, "sync", "sync", "sync")).toEqual([
      [0, 10],
      [10, 0],
      [0, 0],
    ]);
    const healthy = model.ready();
    for (let maxUnavailable = 0; maxUnavailable < 10; maxUnavailable++) {
      model.daemonSet = daemonSet({ strategy: unavailable(maxUnavailable) });
      model.hash = `hash-${maxUnavailable}`;
      expect(history(model, "sync", "sync", "sync")).toEqual([
        [0, 10],
        [10, 0],
        [0, 0],
      ]);
      expect(model.ready()).toEqual(healthy);
    }
    model.daemonSet = daemonSet({ strategy: unavailable(11) });
    model.hash = "last";
    expect(history(model, "sync", "sync", "sync")).toEqual([
      [0, 11],
      [11, 0],
      [0, 0],
    ]);
    expect(model.ready()).toHaveLength(9);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesAllOldNotReadyPodsAndNewNotReadyPods
  test("of unhealthy ones only those of old templates go, however many new ones are unhealthy", () => {
    const model = rollOf(100, unavailable(10));
    for (let round = 0; round < 10; round++) {
      expect(history(model, "sync", "sync", "ready")).toEqual([
        [0, 10],
        [10, 0],
      ]);
    }
    expect(model.sync()).toEqual([0, 0]);
    const names = model.pods.map(({ metadata }) => metadata.name);
    const isAmong = (first: number, end: number) => (each: StoredObject) =>
      names.slice(first, end).includes(each.metadata.name);
    model.mark(false, isAmong(10, 100));
    model.relabel("first", isAmong(0, 12));
    expect(history(model, "sync", "sync", "sync")).toEqual([
      [0, 2],
      [2, 0],
      [0, 0],
    ]);
    expect(model.pods.filter(isAmong(10, 12))).toEqual([]);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesAllOldPodsNotReady
  test("all that are not ready are replaced at once", () => {
    expect(history(rollOf(5, unavailable(3), false), "sync", "sync", "sync")).toEqual([
      [0, 5],
      [5, 0],
      [0, 0],
    ]);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesNoTemplateChanged
  test("nothing happens when the template is the same", () => {
    const model = rollOf(5, unavailable(3), false);
    model.hash = "first";
    expect(model.sync()).toEqual([0, 0]);
  });
});

describe("with surge new pods come first, and", () => {
  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesPodsWithMaxSurge
  test("old ones go when these are ready", () => {
    const round = ["sync", "sync", "ready"] as const;
    expect(history(rollOf(5, surge(2)), ...round, ...round, ...round, "sync", "sync")).toEqual([
      [2, 0],
      [0, 0],
      [2, 2],
      [0, 0],
      [1, 2],
      [0, 0],
      [0, 1],
      [0, 0],
    ]);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesPodsNotMatchTainstWithMaxSurge
  test("one on a node that is no more for it goes once it is not needed", () => {
    const key = "node-role.kubernetes.io/control-plane";
    const tolerant = daemonSet({ strategy: surge(1), spec: { tolerations: [{ key, operator: "Exists" }] } });
    const tainted = node("node-0", {}, [{ key, effect: "NoSchedule" }]);
    const model = new RollingModel(tolerant, [tainted, ...nodes(1, 4)]);
    expect(model.sync()).toEqual([5, 0]);
    model.mark(true);
    model.daemonSet = daemonSet({ strategy: surge(1) });
    model.hash = "second";
    const round = ["sync", "sync", "ready"] as const;
    expect(history(model, ...round, ...round, ...round, ...round, "sync", "sync")).toEqual([
      [1, 1],
      [0, 0],
      [1, 1],
      [0, 0],
      [1, 1],
      [0, 0],
      [1, 1],
      [0, 0],
      [0, 1],
      [0, 0],
    ]);
  });

  // upstream: pkg/controller/daemon/update_test.go#TestDaemonSetUpdatesAllOldPodsNotReadyMaxSurge
  test("every old one that is not ready gets a replacement, and old ones wait for it to be available", () => {
    const model = rollOf(5, surge(3), false);
    const at = (nowSeconds: number): readonly [number, number] => {
      model.nowSeconds = nowSeconds;
      return model.sync();
    };
    expect(at(100)).toEqual([5, 0]);
    expect(at(200)).toEqual([0, 5]);
    model.mark(true);
    model.daemonSet = daemonSet({ strategy: surge(3), minReadySeconds: 15 });
    model.hash = "third";
    expect(at(300)).toEqual([3, 0]);
    model.mark(true, model.isCurrent, 2);
    model.mark(false, (each) => !model.isCurrent(each) && !model.hasCurrentBeside(each), 1);
    // One old pod is unavailable: it is replaced beyond what is allowed for the others.
    expect(at(310)).toEqual([1, 0]);
    expect(at(320)).toEqual([1, 3]);
    model.mark(true, model.isCurrent);
    expect(at(340)).toEqual([0, 2]);
    expect(at(350)).toEqual([0, 0]);
  });

  // upstream: pkg/controller/daemon/update.go#rollingUpdate
  test("a node with two of one sort counts as one that surges, and is left to others", () => {
    const ds = daemonSet({ strategy: surge(1) });
    const view = { daemonSet: ds, nodes: nodes(0, 2), fits: nodeFit(ds, {}), hash: "new" };
    const old = (name: string, on: string) => pod(name, { on, hash: "old", ready: true });
    const twins = [old("a", "node-0"), old("b", "node-0")];
    const plan = decideRollingUpdate({ ...view, pods: podsByNode([...twins, old("c", "node-1")]) }, 0);
    expect(plan).toMatchObject({ create: [], remove: [], reason: { surging: 1, candidates: 1 } });
    const without = decideRollingUpdate({ ...view, pods: podsByNode([old("c", "node-1")]) }, 0);
    expect(without.create).toEqual(["node-1"]);
  });

  test("one on a node that is gone is left to others", () => {
    const ds = daemonSet({ strategy: surge(1) });
    const pods = podsByNode([pod("lost", { on: "gone", hash: "old", ready: true })]);
    const plan = decideRollingUpdate(
      { daemonSet: ds, nodes: nodes(0, 1), fits: nodeFit(ds, {}), pods, hash: "new" },
      0,
    );
    expect(plan).toMatchObject({ create: [], remove: [], reason: { availableNodes: 0, desired: 1 } });
  });
});

// upstream: pkg/controller/daemon/update_test.go#TestGetUnavailableNumbers: nodes without a pod
test.each([
  ["a node without a pod", [], 1],
  [
    "a node whose pod is going away",
    [pod("leaving", { on: "node-1", hash: "old", ready: true, deleting: true })],
    1,
  ],
  [
    "a node with two old pods",
    [pod("a", { on: "node-1", hash: "old" }), pod("b", { on: "node-1", hash: "old" })],
    1,
  ],
  [
    "a node with an old and a new one",
    [pod("a", { on: "node-1", hash: "old" }), pod("b", { on: "node-1", hash: "new" })],
    1,
  ],
  ["a node with a new one that is not ready", [pod("b", { on: "node-1", hash: "new" })], 1],
  ["a node with a new one that is ready", [pod("b", { on: "node-1", hash: "new", ready: true })], 0],
])("%s counts as unavailable: %j", (_, there, expected) => {
  const ds = daemonSet({ strategy: unavailable(1) });
  const old = pod("old", { on: "node-0", hash: "old", ready: true });
  const view = { daemonSet: ds, nodes: nodes(0, 2), fits: nodeFit(ds, {}), hash: "new" };
  const plan = decideRollingUpdate({ ...view, pods: podsByNode([old, ...there]) }, 0);
  expect(plan.reason).toMatchObject({ unavailable: expected });
  expect(plan.remove).toHaveLength(1 - expected);
});
