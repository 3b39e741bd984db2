import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { decideOldRemoval, oldPodsRun } from "./recreate.ts";
import { replicaSet } from "./samples.test-data.ts";

// upstream: pkg/controller/deployment/recreate_test.go#TestScaleDownOldReplicaSets
test("all old ReplicaSets that are to have pods lose them", () => {
  const old = [replicaSet("old", 3), replicaSet("older", 0), replicaSet("oldest", 1)];
  const steps = decideOldRemoval({ current: replicaSet("new", 2), old });
  expect(steps.map(({ replicaSet: { metadata }, size }) => `${metadata.name} ${size}`)).toEqual([
    "old 0",
    "oldest 0",
  ]);
});

describe("old pods still run", () => {
  // upstream: pkg/controller/deployment/recreate_test.go#TestOldPodsRunning. Phases of the pods of each ReplicaSet.
  test.each<[string, readonly Stored<ReplicaSet>[], Readonly<Record<string, string>>, boolean]>([
    ["not without old ReplicaSets", [], {}, false],
    ["when there are pods", [replicaSet("a", 0), replicaSet("b", 0)], { a: "- -", b: "- -" }, true],
    ["when a ReplicaSet says so, though no pods are seen", [replicaSet("a", 0, { pods: 1 })], {}, true],
    ["not when nobody says so", [replicaSet("a", 0)], {}, false],
    ["not when all have finished", [replicaSet("a", 0)], { a: "Failed Succeeded" }, false],
    ["when it is not known", [replicaSet("a", 0)], { a: "Unknown" }, true],
    ["when one has yet to start", [replicaSet("a", 0)], { a: "Pending" }, true],
    ["when one runs", [replicaSet("a", 0)], { a: "Running" }, true],
    [
      "when one of several has yet to start",
      [replicaSet("a", 0)],
      { a: "Failed Succeeded", b: "", c: "Pending" },
      true,
    ],
    ["not for pods of the current one", [replicaSet("a", 0)], { new: "Running" }, false],
  ])("%s", (_, old, phases, expected) => {
    const pods = new Map(Object.entries(phases).map(([name, list]) => [`${name}-uid`, podsIn(list)]));
    expect(oldPodsRun({ current: replicaSet("new", 1), old }, pods)).toBe(expected);
  });
});

function podsIn(phases: string): readonly Pod[] {
  return phases
    .split(" ")
    .filter((phase) => phase !== "")
    .map((phase) => ({ metadata: { name: "pod" }, ...(phase !== "-" && { status: { phase } }) }));
}
