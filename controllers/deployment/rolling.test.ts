import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currentSize, decideOldSizes, decideRolling } from "./rolling.ts";
import { deployment, replicaSet, type ReplicaSetSketch } from "./samples.test-data.ts";
import { maxSurge, maxUnavailable } from "./strategy.ts";

describe("the current ReplicaSet grows", () => {
  // upstream: pkg/controller/deployment/rolling_test.go#TestDeploymentController_reconcileNewReplicaSet
  test.for<[string, number, number, number, number | undefined]>([
    ["not without surge", 0, 10, 0, undefined],
    ["by the surge", 2, 10, 0, 2],
    ["by the surge, and by what the old ones lack", 2, 5, 0, 7],
    ["not beyond the surge", 2, 10, 2, undefined],
    ["or shrinks, when it has more than desired", 2, 2, 11, 10],
    ["not when it has all", 2, 0, 10, undefined],
  ])("%s", ([, surge, oldSize, size, expected]) => {
    const current = replicaSet("new", size);
    const steps = decideRolling(deployment({ replicas: 10, surge }), {
      current,
      old: [replicaSet("old", oldSize)],
    });
    const own = steps.find((step) => step.replicaSet === current);
    expect(own?.size).toBe(expected);
  });

  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestNewRSNewReplicas
  test.for<[string, string, number, number, number, number]>([
    ["not beyond the surge", "RollingUpdate", 1, 5, 1, 5],
    ["to what is desired", "RollingUpdate", 6, 2, 10, 6],
    ["at once where old pods have to go first", "Recreate", 3, 1, 1, 3],
  ])("%s (size alone)", ([, strategy, replicas, size, surge, expected]) => {
    const owner = deployment({ replicas, strategy, surge, unavailable: 1 });
    expect(currentSize(owner, [replicaSet("old", 5)], size)).toBe(expected);
  });
});

describe("old ReplicaSets shrink", () => {
  // upstream: pkg/controller/deployment/rolling_test.go#TestDeploymentController_reconcileOldReplicaSets
  test.for<[string, number, [number, number], [number, number], number | undefined]>([
    ["by one, when nothing may be unavailable and nothing may be above", 0, [10, 10], [0, 0], 9],
    ["by what may be unavailable", 2, [10, 10], [0, 0], 8],
    ["by those that are unavailable anyway", 2, [10, 8], [0, 0], 8],
    ["by one that is unavailable anyway and one that is not", 2, [10, 9], [0, 0], 8],
    ["not on account of new pods that are not available", 2, [8, 8], [2, 0], undefined],
  ])("%s", ([, unavailable, [oldSize, oldAvailable], [size, available], expected]) => {
    const owner = deployment({ replicas: 10, unavailable });
    const revisions = {
      current: replicaSet("new", size, { available }),
      old: [replicaSet("old", oldSize, { available: oldAvailable })],
    };
    expect(decideOldSizes(owner, revisions)[0]?.size).toBe(expected);
  });

  // upstream: pkg/controller/deployment/rolling_test.go#TestDeploymentController_cleanupUnhealthyReplicas and
  // #TestDeploymentController_scaleDownOldReplicaSetsForRollingUpdate: how many go for which of the two reasons.
  test.for<[string, number, number, [number, number], string]>([
    ["one of two unavailable pods when one may go", 0, 1, [10, 8], "unavailable 1, available 0"],
    ["two unavailable pods though three may go", 0, 3, [10, 8], "unavailable 2, available 1"],
    ["nothing when nothing may go", 2, 0, [10, 8], "unavailable 0, available 0"],
    ["nothing unavailable when all are available", 0, 3, [10, 10], "unavailable 0, available 3"],
    ["one available pod, the least that lets it go on", 0, 0, [10, 10], "unavailable 0, available 1"],
    ["two available pods", 0, 2, [10, 10], "unavailable 0, available 2"],
    ["no available pod when just enough are", 0, 2, [10, 8], "unavailable 2, available 0"],
    ["no pod of a ReplicaSet that is to have none", 0, 2, [0, 10], "unavailable 0, available 0"],
    ["no available pod when too few are", 0, 2, [10, 1], "unavailable 2, available 0"],
  ])("by %s", ([, surge, unavailable, [size, available], expected]) => {
    const owner = deployment({ replicas: 10, surge, unavailable });
    const [step] = decideOldSizes(owner, {
      current: replicaSet("new", 0),
      old: [replicaSet("old", size, { available })],
    });
    const count = (reason: RegExp): number => Number(reason.exec(step?.reason ?? "")?.[1] ?? 0);
    const gone = [count(/(\d+) of its pods are not/), count(/(\d+) more are available/)];
    expect(`unavailable ${gone[0]}, available ${gone[1]}`).toBe(expected);
    expect(size - (step?.size ?? size)).toBe((gone[0] ?? 0) + (gone[1] ?? 0));
  });

  test("the oldest first", () => {
    const owner = deployment({ replicas: 10, unavailable: 3 });
    const old = [3, 1, 2].map((created) =>
      replicaSet(`old-${created}`, 2, { created, available: 2, pods: 2 }),
    );
    const steps = decideOldSizes(owner, { current: replicaSet("new", 4, { available: 4 }), old });
    expect(steps.map((step) => `${step.replicaSet.metadata.name} ${step.size}`)).toEqual([
      "old-1 0",
      "old-2 1",
    ]);
  });

  test("not while one of them reports pods that are about to go", () => {
    // 8 must be available. 5 + 6 seem to be, but of the 5 only 3 will stay.
    const owner = deployment({ replicas: 10, surge: 3, unavailable: 2 });
    const lagging: ReplicaSetSketch = { available: 5, pods: 5 };
    const current = replicaSet("new", 10, { available: 6 });
    expect(decideOldSizes(owner, { current, old: [replicaSet("old", 3, lagging)] })).toEqual([]);
  });

  test("not for pods that the current one reports and is about to lose", () => {
    const owner = deployment({ replicas: 6, surge: 0, unavailable: 1 });
    const current = replicaSet("new", 3, { available: 6, pods: 6 });
    const old = [replicaSet("old", 3, { available: 3 })];
    expect(decideOldSizes(owner, { current, old }).map(({ size }) => size)).toEqual([2]);
  });

  test("not for pods that an old one reports and is about to lose, be it looked at or not", () => {
    // All 2 that may go are found in the first, which has 2 that are not available: the second is not looked at.
    const owner = deployment({ replicas: 10, surge: 2, unavailable: 2 });
    const old = [
      replicaSet("old-1", 4, { available: 2, created: 1 }),
      replicaSet("old-2", 4, { available: 7, pods: 7, created: 2 }),
    ];
    const current = replicaSet("new", 2, { available: 2 });
    const steps = decideOldSizes(owner, { current, old });
    expect(steps.map(({ replicaSet, size }) => `${replicaSet.metadata.name} ${size}`)).toEqual(["old-1 2"]);
  });
});

describe("whatever a rollout comes upon", () => {
  const owners = fc.record({
    replicas: fc.nat(30),
    surge: fc.oneof(
      fc.nat(10),
      fc.nat(100).map((percent) => `${percent}%`),
    ),
    unavailable: fc.oneof(
      fc.nat(10),
      fc.nat(100).map((percent) => `${percent}%`),
    ),
  });
  const sizes = fc.record({ size: fc.nat(30), missing: fc.nat(30) });
  const parts = fc.tuple(owners, sizes, fc.array(sizes, { maxLength: 4 }));

  test("a step never leaves more pods than surge allows, or fewer available than must be", () => {
    fc.assert(
      fc.property(parts, ([sketch, currentSizes, oldSizes]) => {
        const owner = deployment(sketch);
        const make = (name: string, { size, missing }: { size: number; missing: number }) =>
          replicaSet(name, size, { available: Math.max(0, size - missing) });
        const current = make("new", currentSizes);
        const old = oldSizes.map((each, index) => make(`old-${index}`, each));
        const steps = decideRolling(owner, { current, old });
        const sizeAfter = (set: typeof current): number =>
          steps.find((step) => step.replicaSet === set)?.size ?? set.spec?.replicas ?? 0;
        const all = [current, ...old];
        const total = (of: (set: typeof current) => number): number =>
          all.reduce((sum, set) => sum + of(set), 0);
        const grown = sizeAfter(current) > currentSizes.size;
        if (grown) expect(total(sizeAfter)).toBeLessThanOrEqual(sketch.replicas + maxSurge(owner));
        // At worst the pods that go are the available ones among the unavailable's budget: those that stay suffice.
        const availableAfter = (set: typeof current): number =>
          Math.min(set.status?.availableReplicas ?? 0, sizeAfter(set));
        const before = total((set) => set.status?.availableReplicas ?? 0);
        const must = sketch.replicas - maxUnavailable(owner);
        const shrunk = steps.some((step) => step.replicaSet !== current);
        if (shrunk) expect(total(availableAfter)).toBeGreaterThanOrEqual(Math.min(before, must));
        for (const step of steps) expect(step.size).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
