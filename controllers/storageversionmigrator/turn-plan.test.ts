import { expect, test } from "vitest";
import type { Stored } from "../../pkg/api/object.ts";
import { stored } from "../../test/harness/stored.ts";
import type { Migration } from "./migration.ts";
import { TurnPlanner } from "./turn-plan.ts";

const condition = (type: string, status = "True") => ({
  type,
  status,
  reason: "Test",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});
type Conditions = readonly ReturnType<typeof condition>[];
const NEW: Conditions = [];
const RUNNING = [condition("Running")];
const ENDING = [condition("Running"), condition("Succeeded")];
const FAILING = [condition("Failed"), condition("Running")];
const OVER = [condition("Running", "False"), condition("Succeeded")];
const STOPPED = [condition("Running", "False")];

/** Of this second of a day. */
const migration = (name: string, second: number, conditions: Conditions): Stored<Migration> =>
  stored<Migration>({
    metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: { resource: { group: "example.com", resource: "widgets" } },
    status: { conditions },
  });

// upstream: pkg/controller/storageversionmigrator/migrationrunner_test.go#TestCustomResourceController_Sync
test.each<[string, readonly Stored<Migration>[], readonly string[], string | undefined]>([
  ["nothing", [], [], undefined],
  ["one that is new", [migration("a", 0, NEW)], [], "a"],
  ["one that runs", [migration("a", 0, RUNNING)], [], undefined],
  ["one that has succeeded", [migration("a", 0, ENDING)], ["a"], undefined],
  ["one that has failed", [migration("a", 0, FAILING)], ["a"], undefined],
  ["one that is over", [migration("a", 0, OVER)], [], undefined],
  ["one that is stopped", [migration("a", 0, STOPPED)], [], undefined],
  ["a newer and an older one", [migration("a", 2, NEW), migration("b", 1, NEW)], [], "b"],
  ["two of one second", [migration("b", 1, NEW), migration("a", 1, NEW)], [], "a"],
  ["two of one second, the first first", [migration("a", 1, NEW), migration("b", 1, NEW)], [], "a"],
  ["one that runs and is newer", [migration("a", 1, NEW), migration("b", 2, RUNNING)], [], undefined],
  ["one that runs and comes first", [migration("b", 2, RUNNING), migration("a", 1, NEW)], [], undefined],
  ["one that has ended, and others", [migration("a", 1, NEW), migration("b", 0, ENDING)], ["b"], "a"],
  ["one that is stopped, and others", [migration("a", 1, STOPPED), migration("b", 2, NEW)], [], "b"],
  [
    "some that have ended",
    [migration("a", 1, ENDING), migration("b", 0, FAILING), migration("c", 0, OVER)],
    ["a", "b"],
    undefined,
  ],
])("of %s", (_, migrations, ending, next) => {
  const planner = new TurnPlanner();
  for (const each of migrations) planner.look(each);
  const plan = planner.plan();
  expect(plan.ending.map(({ metadata }) => metadata.name)).toEqual(ending);
  expect(plan.next?.metadata.name).toBe(next);
});
