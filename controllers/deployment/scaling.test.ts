import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { MAX_REPLICAS, sizeAnnotations } from "./annotations.ts";
import { deployment, replicaSet, template } from "./samples.test-data.ts";
import { activeOrLatest, decideScaling, isSaturated, isScalingEvent, shareOf } from "./scaling.ts";

/** Name and size of each, from new to old. */
type Sizes = readonly (readonly [string, number])[];

describe("sizes when the user scales", () => {
  // upstream: pkg/controller/deployment/sync_test.go#TestScale. Sizes before and after: the first is the current one.
  test.for<[string, Stored<Deployment>, Stored<Deployment>, Sizes, string]>([
    ["one revision grows: 10 to 12", to(12), to(10), [["new", 10]], "12"],
    ["one revision shrinks: 10 to 5", to(5), to(10), [["new", 10]], "5"],
    [
      "in proportion: 5 to 10",
      to(10),
      to(5),
      [
        ["new", 2],
        ["v1", 3],
      ],
      "4 6",
    ],
    [
      "in proportion: 5 to 3",
      to(3),
      to(5),
      [
        ["new", 2],
        ["v1", 3],
      ],
      "1 2",
    ],
    [
      "in proportion: 9 to 4",
      to(4),
      to(9),
      [
        ["new", 8],
        ["v1", 1],
      ],
      "4 0",
    ],
    [
      "in proportion: 7 to 10",
      to(10),
      to(7),
      [
        ["new", 2],
        ["v2", 3],
        ["v1", 2],
      ],
      "3 4 3",
    ],
    [
      "in proportion: 13 to 8",
      to(8),
      to(13),
      [
        ["new", 2],
        ["v2", 8],
        ["v1", 3],
      ],
      "1 5 2",
    ],
    [
      "what is left over goes to the newest: 3 to 4",
      to(4),
      to(3),
      [
        ["new", 1],
        ["v2", 1],
        ["v1", 1],
      ],
      "2 1 1",
    ],
    [
      "what is left over is taken from the oldest: 3 to 2",
      to(2),
      to(3),
      [
        ["new", 1],
        ["v2", 1],
        ["v1", 1],
      ],
      "1 1 0",
    ],
    [
      "without a current revision the newest gets it: 4 to 5",
      to(5),
      to(4),
      [
        ["v2", 2],
        ["v1", 2],
      ],
      "3 2",
    ],
    [
      "to nothing: 6 to 0",
      to(0),
      to(6),
      [
        ["new", 3],
        ["v2", 2],
        ["v1", 1],
      ],
      "0 0 0",
    ],
    [
      "from nothing: 0 to 6, all to the current one",
      to(6),
      to(6),
      [
        ["new", 0],
        ["v2", 0],
        ["v1", 0],
      ],
      "6 0 0",
    ],
    [
      "with surge: 10 to 20",
      to(20, 2),
      to(10, 2),
      [
        ["new", 6],
        ["v1", 6],
      ],
      "11 11",
    ],
    [
      "surge and size at once",
      to(50, 6),
      to(10, 3),
      [
        ["new", 5],
        ["v1", 8],
      ],
      "22 34",
    ],
    [
      "template and size at once",
      deployment({ replicas: 14, template: template("another") }),
      to(10),
      [
        ["v2", 7],
        ["v1", 3],
      ],
      "10 4",
    ],
    [
      "a current one with all pods, none available, leaves the old ones theirs",
      to(2, 1, 1),
      to(2, 1, 1),
      [
        ["new", 2],
        ["v1", 1],
      ],
      "2 1",
    ],
  ])("%s", ([, owner, before, sizes, expected]) => {
    const [all, revisions] = made(before, sizes);
    const steps = decideScaling(asStored(owner), revisions);
    expect(all.map((set) => sizeAfter(steps, set)).join(" ")).toBe(expected);
  });

  test("a step that failed before is made up for, the others stay", () => {
    // 3 went to 5, but v2 was not written: it still says 3.
    const [all] = made(to(5), [
      ["new", 2],
      ["v2", 1],
      ["v1", 1],
    ]);
    const [current, v2, v1] = all.map((set) =>
      set.metadata.name === "v2" ? annotated(set, sizeAnnotations(asStored(to(3)))) : set,
    );
    const steps = decideScaling(asStored(to(5)), {
      current,
      old: [v2, v1].filter((set) => set !== undefined),
    });
    expect([current, v2, v1].map((set) => set && sizeAfter(steps, set))).toEqual([2, 2, 1]);
  });

  test("old ones go when the current one has all pods, and all are available", () => {
    const current = annotated(replicaSet("new", 2, { available: 2 }), sizeAnnotations(asStored(to(2))));
    const steps = decideScaling(asStored(to(2)), {
      current,
      old: [replicaSet("v1", 1), replicaSet("v0", 0)],
    });
    expect(steps.map(({ replicaSet: { metadata }, size }) => `${metadata.name} ${size}`)).toEqual(["v1 0"]);
  });

  test("several revisions of a Deployment that recreates are left to that", () => {
    const revisions = { current: replicaSet("new", 1), old: [replicaSet("v1", 1)] };
    expect(decideScaling(deployment({ replicas: 5, strategy: "Recreate" }), revisions)).toEqual([]);
  });

  test("sizes that stay bring their annotations up to date", () => {
    const [, revisions] = made(to(4), [
      ["new", 3],
      ["v1", 2],
    ]);
    const steps = decideScaling(asStored(to(5)), revisions);
    expect(steps.map(({ size, refreshAnnotations }) => [size, refreshAnnotations])).toEqual([
      [2, true],
      [3, true],
    ]);
  });
});

describe("the share of one ReplicaSet", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestGetReplicaSetFraction
  test.for<[string, { to: number; had?: number; surge?: number }, number, string | undefined, number]>([
    ["all of it when nothing is desired", { to: 0 }, 10, undefined, -10],
    ["nothing when the whole is not known", { to: 10 }, 5, undefined, 0],
    ["nothing when the whole is said to be 0", { to: 10 }, 5, "0", 0],
    ["of the size in the status, when the whole is not known", { to: 120, had: 100 }, 50, undefined, 10],
    ["of the size in the status, when the whole is said to be 0", { to: 120, had: 100 }, 50, "0", 10],
    ["a fifth more", { to: 120 }, 50, "100", 10],
    ["with surge a little less than a fifth more", { to: 120, surge: 10 }, 50, "110", 9],
    ["a sixth less", { to: 10 }, 6, "12", -1],
    ["with surge a little less than a sixth less", { to: 100, surge: 10 }, 50, "130", -8],
  ])("is %s", ([, { to: replicas, had, surge = 0 }, size, max, expected]) => {
    const owner = deployment({
      replicas,
      surge,
      unavailable: 1,
      ...(had !== undefined && { status: { replicas: had } }),
    });
    const set = replicaSet("rs", size, max === undefined ? {} : { annotations: { [MAX_REPLICAS]: max } });
    const toAdd = expected === 0 ? 1_000 : Math.sign(expected) * 1_000;
    expect(shareOf(set, owner, toAdd, 0)).toBe(expected);
  });

  test("is never more than what is left", () => {
    const set = replicaSet("rs", 50, { annotations: { [MAX_REPLICAS]: "100" } });
    expect(shareOf(set, deployment({ replicas: 120 }), 20, 15)).toBe(5);
    expect(shareOf(set, deployment({ replicas: 60 }), -40, -35)).toBe(-5);
    expect(shareOf(set, deployment({ replicas: 120 }), 20, 20)).toBe(0);
  });
});

test("a ReplicaSet that has the size but tells of another whole is told of this one, so that scaling ends", () => {
  const adopted = annotated(replicaSet("adopted", 3), sizeAnnotations(asStored(to(5))));
  const revisions = { current: undefined, old: [adopted] };
  expect(isScalingEvent(asStored(to(3)), revisions)).toBe(true);
  expect(decideScaling(asStored(to(3)), revisions)).toMatchObject([{ size: 3, refreshAnnotations: true }]);
  const told = { current: undefined, old: [annotated(adopted, sizeAnnotations(asStored(to(3))))] };
  expect(decideScaling(asStored(to(3)), told)).toEqual([]);
});

describe("whether the user has scaled", () => {
  const said = (replicas: number): Stored<ReplicaSet> =>
    annotated(replicaSet("rs", 1), sizeAnnotations(asStored(to(replicas))));
  test.each<[string, readonly Stored<ReplicaSet>[], boolean]>([
    ["no ReplicaSets", [], false],
    ["the same size", [said(3)], false],
    ["another size", [said(3), said(2)], true],
    [
      "another size of one that is to have no pods",
      [annotated(replicaSet("rs", 0), sizeAnnotations(asStored(to(2))))],
      false,
    ],
    ["a size that is not said", [replicaSet("rs", 1)], false],
  ])("%s", (_, old, expected) => {
    expect(isScalingEvent(asStored(to(3)), { current: undefined, old })).toBe(expected);
  });

  test("is of no interest where several revisions with pods are to be recreated", () => {
    const recreating = deployment({ replicas: 3, strategy: "Recreate" });
    expect(isScalingEvent(recreating, { current: said(2), old: [said(2)] })).toBe(false);
    expect(isScalingEvent(recreating, { current: said(2), old: [] })).toBe(true);
  });
});

describe("the only ReplicaSet with pods", () => {
  const sets = {
    none: replicaSet("none", 0),
    other: replicaSet("other", 0, { created: 5 }),
    some: replicaSet("some", 1),
  };
  test.each<[string, Stored<ReplicaSet> | undefined, readonly Stored<ReplicaSet>[], string | undefined]>([
    ["there is none at all", undefined, [], undefined],
    ["one has pods", sets.none, [sets.some, sets.other], "some"],
    ["several have", sets.some, [sets.some], undefined],
    ["none has: the current one", sets.none, [sets.other], "none"],
    ["none has, and there is no current one: the newest", undefined, [sets.other, sets.none], "other"],
  ])("%s", (_, current, old, expected) => {
    expect(activeOrLatest({ current, old })?.metadata.name).toBe(expected);
  });
});

describe("a current ReplicaSet is saturated", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestAnnotationUtils (third)
  const saturated = annotated(replicaSet("rs", 1, { available: 1 }), sizeAnnotations(asStored(to(1))));
  test.each<[string, Stored<ReplicaSet> | undefined, boolean]>([
    ["with all pods, all available", saturated, true],
    ["not when there is none", undefined, false],
    ["not before it is told so", replicaSet("rs", 1, { available: 1 }), false],
    [
      "not with a pod that is not available",
      annotated(replicaSet("rs", 1), sizeAnnotations(asStored(to(1)))),
      false,
    ],
  ])("%s", (_, current, expected) => {
    expect(isSaturated(asStored(to(1)), current)).toBe(expected);
  });
});

function to(replicas: number, surge = 0, unavailable = 0): Stored<Deployment> {
  return deployment({ replicas, surge, unavailable });
}

/** The one named "new" is the current one. */
function made(
  before: Stored<Deployment>,
  sizes: Sizes,
): [
  readonly Stored<ReplicaSet>[],
  { current: Stored<ReplicaSet> | undefined; old: readonly Stored<ReplicaSet>[] },
] {
  const all = sizes.map(([name, size], index) =>
    annotated(replicaSet(name, size, { created: 100 - index }), sizeAnnotations(asStored(before))),
  );
  const current = all.find(({ metadata }) => metadata.name === "new");
  return [all, { current, old: all.filter((set) => set !== current) }];
}

function annotated(
  set: Stored<ReplicaSet>,
  annotations: Readonly<Record<string, string>>,
): Stored<ReplicaSet> {
  return { ...set, metadata: { ...set.metadata, annotations } };
}

function sizeAfter(steps: ReturnType<typeof decideScaling>, set: Stored<ReplicaSet>): number {
  const step = steps.find(({ replicaSet: { metadata } }) => metadata.name === set.metadata.name);
  return step?.size ?? set.spec?.replicas ?? 0;
}
