import { expect, test } from "vitest";
import type { V1alpha1StorageVersion as StorageVersion } from "../../pkg/api/types/internal-v1alpha1.gen.ts";
import { planReports } from "./reports.ts";

const NOW_MS = Date.UTC(2026, 0, 2);
const NOW = "2026-01-02T00:00:00Z";
const BEFORE = "2026-01-01T00:00:00Z";

const report = (apiServerID: string, encodingVersion: string) => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
});
const condition = (status: "True" | "False", lastTransitionTime: string, generation?: number) => ({
  type: "AllEncodingVersionsEqual",
  status,
  lastTransitionTime,
  reason: status === "True" ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
  message: status === "True" ? "Common encoding version set" : "Common encoding version unset",
  ...(generation !== undefined && { observedGeneration: generation }),
});
const version = (status: object, metadata: object = {}): StorageVersion => ({
  metadata: { name: "core.things", ...metadata },
  status,
});
const planOf = (given: StorageVersion, ...gone: readonly string[]) =>
  planReports(given, (id) => gone.includes(id), NOW_MS);

test.each<[string, StorageVersion, readonly string[], "keep" | "remove" | "update"]>([
  ["nobody has reported", version({}), ["a"], "keep"],
  ["there is no status", { metadata: { name: "core.things" } }, ["a"], "keep"],
  ["all are there", version({ storageVersions: [report("a", "v1")] }), ["b"], "keep"],
  [
    "all are gone",
    version({ storageVersions: [report("a", "v1"), report("b", "v1")] }),
    ["a", "b"],
    "remove",
  ],
  ["one is gone", version({ storageVersions: [report("a", "v1"), report("b", "v1")] }), ["a"], "update"],
])("%s", (_, given, gone, expected) => {
  expect(planOf(given, ...gone).action).toBe(expected);
});

test.each<[string, object, object]>([
  [
    "those that are left agree",
    { commonEncodingVersion: "v1" },
    { commonEncodingVersion: "v2", conditions: [condition("True", NOW)] },
  ],
  [
    "they agree on another version than before, which is a transition",
    { commonEncodingVersion: "v1", conditions: [condition("True", BEFORE)] },
    { commonEncodingVersion: "v2", conditions: [condition("True", NOW)] },
  ],
  [
    "they agree on the same version",
    { commonEncodingVersion: "v2", conditions: [condition("True", BEFORE)] },
    { commonEncodingVersion: "v2", conditions: [condition("True", BEFORE)] },
  ],
  [
    "they agree at last",
    { conditions: [condition("False", BEFORE)] },
    { commonEncodingVersion: "v2", conditions: [condition("True", NOW)] },
  ],
])("%s", (_, status, expected) => {
  const given = version({
    ...status,
    storageVersions: [report("a", "v1"), report("b", "v2"), report("c", "v2")],
  });
  expect(planOf(given, "a")).toEqual({
    action: "update",
    version: { ...given, status: { storageVersions: [report("b", "v2"), report("c", "v2")], ...expected } },
  });
});

test.each<[string, object, object]>([
  ["they do not agree", { commonEncodingVersion: "v1" }, { conditions: [condition("False", NOW)] }],
  [
    "they do not agree any more",
    { commonEncodingVersion: "v1", conditions: [condition("True", BEFORE)] },
    { conditions: [condition("False", NOW)] },
  ],
  [
    "they have never agreed",
    { conditions: [condition("False", BEFORE)] },
    { conditions: [condition("False", BEFORE)] },
  ],
  [
    "other conditions stay, each in its place",
    { conditions: [{ ...condition("True", BEFORE), type: "a" }, condition("False", BEFORE), { type: "b" }] },
    { conditions: [{ ...condition("True", BEFORE), type: "a" }, condition("False", BEFORE), { type: "b" }] },
  ],
])("%s", (_, status, expected) => {
  const given = version({
    ...status,
    storageVersions: [report("a", "v1"), report("b", "v1"), report("c", "v2")],
  });
  expect(planOf(given, "a")).toEqual({
    action: "update",
    version: { ...given, status: { storageVersions: [report("b", "v1"), report("c", "v2")], ...expected } },
  });
});

test("the condition is of the generation that was looked at, and of no older one", () => {
  const conditions = [condition("True", BEFORE, 1)];
  const reports = [report("a", "v1"), report("b", "v1")];
  const statusOf = (metadata: object) => {
    const given = version({ conditions, storageVersions: reports, commonEncodingVersion: "v1" }, metadata);
    const plan = planOf(given, "a");
    return plan.action === "update" ? plan.version.status?.conditions : undefined;
  };
  expect(statusOf({ generation: 2 })).toEqual([condition("True", BEFORE, 2)]);
  expect(statusOf({})).toEqual([condition("True", BEFORE)]);
});

test("what is known of the StorageVersion besides stays", () => {
  const given = version(
    { storageVersions: [report("a", "v1"), report("b", "v1")], other: "x" },
    { labels: { a: "b" }, uid: "u", resourceVersion: "7" },
  );
  const plan = planOf(given, "b");
  expect(plan).toMatchObject({
    version: { metadata: { labels: { a: "b" }, uid: "u", resourceVersion: "7" }, status: { other: "x" } },
  });
});
