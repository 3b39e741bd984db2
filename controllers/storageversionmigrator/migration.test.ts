import { expect, test } from "vitest";
import {
  completed,
  inState,
  isFinished,
  isRunning,
  isStopped,
  type Migration,
  resourceKeyOf,
} from "./migration.ts";

const NOW_MS = Date.UTC(2026, 0, 2);
const NOW = "2026-01-02T00:00:00Z";
const BEFORE = "2026-01-01T00:00:00Z";

const condition = (type: string, status = "True") => ({
  type,
  status,
  reason: "Test",
  message: "",
  lastTransitionTime: BEFORE,
});
const migration = (...conditions: readonly ReturnType<typeof condition>[]): Migration => ({
  metadata: { name: "m" },
  spec: { resource: { group: "apps", resource: "deployments" } },
  status: { resourceVersion: "7", conditions },
});

test.each<[string, Migration, readonly [running: boolean, finished: boolean, stopped: boolean]]>([
  ["new", { metadata: { name: "m" } }, [false, false, false]],
  ["running", migration(condition("Running")), [true, false, false]],
  ["running, as nobody can say", migration(condition("Running", "Unknown")), [false, false, false]],
  ["stopped", migration(condition("Running", "False")), [false, false, true]],
  ["at its end", migration(condition("Running"), condition("Succeeded")), [true, true, false]],
  ["over", migration(condition("Running", "False"), condition("Failed")), [false, true, false]],
  ["not failed", migration(condition("Running"), condition("Failed", "False")), [true, false, false]],
])("a migration that is %s", (_, given, expected) => {
  expect([isRunning(given), isFinished(given), isStopped(given)]).toEqual(expected);
});

test("a state is one condition, with the time of its beginning; what is known besides stays", () => {
  const begun = inState(migration(), "Running", "The migration is running", NOW_MS);
  const running = {
    type: "Running",
    status: "True",
    reason: "MigrationRunning",
    message: "The migration is running",
    lastTransitionTime: NOW,
  };
  expect(begun).toEqual({ ...migration(), status: { resourceVersion: "7", conditions: [running] } });
  const ended = inState(begun, "Succeeded", "", NOW_MS);
  const succeeded = {
    type: "Succeeded",
    status: "True",
    reason: "StorageVersionMigrationSucceeded",
    message: "",
    lastTransitionTime: NOW,
  };
  expect(ended.status?.conditions).toEqual([running, succeeded]);
  expect(inState(begun, "Failed", "it fails", NOW_MS).status?.conditions?.[1]).toEqual({
    ...succeeded,
    type: "Failed",
    reason: "StorageVersionMigrationFailed",
    message: "it fails",
  });
  expect(completed(ended, NOW_MS + 1_000).status?.conditions).toEqual([
    {
      type: "Running",
      status: "False",
      reason: "MigrationCompleted",
      message: "Migration completed",
      lastTransitionTime: "2026-01-02T00:00:01Z",
    },
    succeeded,
  ]);
});

test("the first state of a migration that has none yet", () => {
  const given: Migration = { metadata: { name: "m" }, spec: { resource: { group: "", resource: "pods" } } };
  expect(inState(given, "Running", "", NOW_MS).status?.conditions).toHaveLength(1);
  expect(
    completed({ ...given, metadata: { name: "m", generation: 3 } }, NOW_MS).status?.conditions,
  ).toMatchObject([{ type: "Running", status: "False", observedGeneration: 3 }]);
});

test("the key of its resource is the resource and its group", () => {
  expect(resourceKeyOf(migration())).toBe("deployments.apps");
  expect(resourceKeyOf({ metadata: {}, spec: { resource: { group: "", resource: "pods" } } })).toBe("pods");
});
