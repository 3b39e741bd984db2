import { expect, test } from "vitest";
import { isMigratable } from "./migratable.ts";

// upstream: pkg/controller/storageversionmigrator/resourceversion_test.go#TestIsResourceMigratable
test.each([
  [["list", "update", "patch"], true],
  [["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"], true],
  [["list", "patch"], false],
  [["list", "update"], false],
  [["update", "patch"], false],
  [[], false],
])("a resource with the verbs %j can be migrated: %s", (verbs, expected) => {
  expect(isMigratable({ verbs })).toBe(expected);
});
