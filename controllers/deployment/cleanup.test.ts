import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { REVISION } from "./annotations.ts";
import { decideCleanup } from "./cleanup.ts";
import { deployment, replicaSet } from "./samples.test-data.ts";

const UNLIMITED = 2 ** 31 - 1;

describe("old ReplicaSets above the history limit go", () => {
  const empty = (name: string): Stored<ReplicaSet> => replicaSet(name, 0);
  // upstream: pkg/controller/deployment/sync_test.go#TestDeploymentController_cleanupDeployment
  test.each<[string, readonly Stored<ReplicaSet>[], number | undefined, string]>([
    ["two of three", [empty("1"), empty("2"), empty("3")], 1, "1 2"],
    [
      "only those that have no pods and are to have none",
      [empty("1"), replicaSet("2", 0, { pods: 1 }), replicaSet("3", 1), replicaSet("4", 1, { pods: 1 })],
      0,
      "1",
    ],
    ["all of them", [empty("1"), empty("2")], 0, "1 2"],
    ["none that has pods", [replicaSet("1", 1, { pods: 1 }), replicaSet("2", 1, { pods: 1 })], 0, ""],
    ["none that is going anyway", [replicaSet("1", 0, { deleting: true })], 0, ""],
    ["none when all are kept", [empty("1"), empty("2"), empty("3")], UNLIMITED, ""],
    ["none without a limit", [empty("1"), empty("2")], undefined, ""],
    ["none whose spec has yet to be seen", [replicaSet("1", 0, { generation: 2, observed: 1 })], 0, ""],
  ])("%s", (_, old, historyLimit, expected) => {
    expect(namesGone(old, historyLimit)).toBe(expected);
  });

  // upstream: pkg/controller/deployment/sync_test.go#TestDeploymentController_cleanupDeploymentOrder.
  // Each is name:size:revision, from old to new.
  test.each<[string, string, number, string]>([
    ["the lowest revision", "1:0:1 2:0:2", 1, "1"],
    ["the lowest revision, though it is younger", "1:0:2 2:0:1", 1, "2"],
    ["one without a revision", "1:0:1 2:0:", 1, "2"],
    ["one without a revision, though it is older", "1:0: 2:0:2", 1, "1"],
    ["one without pods between others", "1:1:1 2:0:2 3:0:3", 1, "2"],
    ["none when those that are too many have pods", "1:1:1 2:1:2 3:0:3", 1, ""],
    ["several in order of revision", "1:0:3 2:0:1 3:0:4 4:0:2", 2, "2 4"],
    ["where a revision is no number, the older", "1:0:x 2:0:1", 1, "1"],
    ["the lower of two that doubles do not tell apart", "1:0:9007199254740993 2:0:9007199254740992", 1, "2"],
  ])("by order: %s", (_, sketches, historyLimit, expected) => {
    const old = sketches.split(" ").map((sketch, index) => {
      const [name = "", size, revision] = sketch.split(":");
      return replicaSet(name, Number(size), {
        pods: Number(size),
        created: index * 60,
        ...(revision && { annotations: { [REVISION]: revision } }),
      });
    });
    expect(namesGone(old, historyLimit)).toBe(expected);
  });
});

function namesGone(old: readonly Stored<ReplicaSet>[], historyLimit: number | undefined): string {
  const owner = deployment(historyLimit === undefined ? {} : { historyLimit });
  return decideCleanup(owner, old)
    .map(({ metadata }) => metadata.name)
    .join(" ");
}
