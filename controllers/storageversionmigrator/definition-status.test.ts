import { expect, test } from "vitest";
import type { CustomResourceDefinition } from "../../pkg/api/types/apiextensions-v1.gen.ts";
import { stored } from "../../test/harness/stored.ts";
import { statusAtBegin, statusAtEnd } from "./definition-status.ts";
import type { Migration } from "./migration.ts";

const NOW_MS = Date.UTC(2026, 0, 2);
const NOW = "2026-01-02T00:00:00Z";

const definition = (status: CustomResourceDefinition["status"], generation = 1) =>
  stored<CustomResourceDefinition>({
    metadata: { name: "widgets.example.com", generation },
    spec: {
      group: "example.com",
      names: { kind: "Widget", plural: "widgets" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: false },
        { name: "v2", served: true, storage: true },
      ],
    },
    ...(status && { status }),
  });
const migrating = (observedGeneration: number) => ({
  type: "StorageMigrating",
  status: "True",
  reason: "MigrationRunning",
  observedGeneration,
});
const migration = (state: string) =>
  stored<Migration>({
    metadata: { name: "test-svm" },
    spec: { resource: { group: "example.com", resource: "widgets" } },
    status: {
      conditions: [{ type: state, status: "True", reason: "", message: "", lastTransitionTime: NOW }],
    },
  });
const told = (status: "True" | "False", reason: string, message: string, observedGeneration = 1) => [
  { type: "StorageMigrating", status, reason, message, lastTransitionTime: NOW, observedGeneration },
];
const BOTH = ["v1", "v2"];

// upstream: pkg/controller/storageversionmigrator/migrationrunner_test.go#TestCustomResourceController_Sync
test("a migration begins", () => {
  expect(statusAtBegin(definition({ storedVersions: BOTH }), migration("Other"), NOW_MS)).toEqual({
    conditions: told("True", "MigrationRunning", "Migration test-svm is running"),
    storedVersions: BOTH,
  });
});

test("a migration succeeds", () => {
  const given = definition({ storedVersions: BOTH, conditions: [migrating(1)] });
  const message = "The migration has succeeded and the stored versions have been updated";
  expect(statusAtEnd(given, migration("Succeeded"), NOW_MS)).toEqual({
    conditions: told("False", "MigrationSucceeded", message),
    storedVersions: ["v2"],
  });
});

test.each([
  ["it has become another one meanwhile", [migrating(1)], 2],
  ["nobody has said that a migration runs", [], 1],
  ["it has no conditions", undefined, 1],
])("a migration succeeds, and nothing is known of older versions, as %s", (_, conditions, generation) => {
  const given = definition({ storedVersions: BOTH, ...(conditions && { conditions }) }, generation);
  const message =
    "The migration has succeeded but the stored versions have not been updated due to a generation mismatch";
  expect(statusAtEnd(given, migration("Succeeded"), NOW_MS)).toEqual({
    conditions: told("False", "MigrationSucceeded", message, generation),
    storedVersions: BOTH,
  });
});

// Upstream forgets the versions then, although objects are stored in them.
test("a migration fails, and what was stored may be so still", () => {
  const given = definition({ storedVersions: BOTH, conditions: [migrating(1)] });
  expect(statusAtEnd(given, migration("Failed"), NOW_MS)).toEqual({
    conditions: told("False", "MigrationFailed", "The migration has failed"),
    storedVersions: BOTH,
  });
});
