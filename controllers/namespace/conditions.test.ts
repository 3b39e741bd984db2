import { describe, expect, test } from "vitest";
import type { NamespaceCondition } from "../../pkg/api/types/core-v1.gen.ts";
import { type Outcome, updatedConditions } from "./conditions.ts";
import { remainderOf } from "./remaining.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");
const NOW = "2026-01-01T00:00:00Z";
const EARLIER = "2025-01-01T00:00:00Z";
const nothing: Outcome = { deletionFailures: [], remainders: [] };
const DISCOVERY = "NamespaceDeletionDiscoveryFailure";
const VERSION = "NamespaceDeletionGroupVersionParsingFailure";
const CONTENT = "NamespaceDeletionContentFailure";
const REMAINING = "NamespaceContentRemaining";
const FINALIZERS = "NamespaceFinalizersRemaining";

const good = {
  [DISCOVERY]: `${DISCOVERY} False ResourcesDiscovered: All resources successfully discovered`,
  [VERSION]: `${VERSION} False ParsedGroupVersions: All legacy kube types successfully parsed`,
  [CONTENT]: `${CONTENT} False ContentDeleted: All content successfully deleted, may be waiting on finalization`,
  [REMAINING]: `${REMAINING} False ContentRemoved: All content successfully removed`,
  [FINALIZERS]: `${FINALIZERS} False ContentHasNoFinalizers: All content-preserving finalizers finished`,
};
const rest = [good[CONTENT], good[REMAINING], good[FINALIZERS]];
const failed: Outcome = { ...nothing, versionFailure: "bar" };
const failure = `${VERSION} True GroupVersionParsingFailed: bar`;

// upstream: pkg/controller/namespace/deletion/status_condition_utils_test.go#TestUpdateConditions
describe("conditions", () => {
  test.each<[string, Outcome, readonly NamespaceCondition[], readonly string[]]>([
    [
      "of other types stay",
      nothing,
      [{ type: "unknown", status: "True" }],
      ["unknown True undefined: undefined", good[DISCOVERY], good[VERSION], ...rest],
    ],
    [
      "that said something was wrong say that it is not",
      nothing,
      [{ type: DISCOVERY, status: "True" }],
      [good[DISCOVERY], good[VERSION], ...rest],
    ],
    [
      "keep their order",
      nothing,
      [
        { type: VERSION, status: "True" },
        { type: DISCOVERY, status: "True" },
      ],
      [good[VERSION], good[DISCOVERY], ...rest],
    ],
    [
      "that said all was well say what is wrong",
      failed,
      [
        { type: VERSION, status: "False" },
        { type: DISCOVERY, status: "True" },
      ],
      [failure, good[DISCOVERY], ...rest],
    ],
    [
      "that were not there are added",
      failed,
      [{ type: DISCOVERY, status: "True" }],
      [good[DISCOVERY], failure, ...rest],
    ],
  ])("%s", (_, outcome, before, expected) => {
    expect(linesOf(updatedConditions(before, outcome, NOW_MS))).toEqual(expected);
  });

  test("have a time that moves with the status alone, and are left alone when nothing changes", () => {
    const first = updatedConditions([], failed, Date.parse(EARLIER));
    const second = updatedConditions(first, { ...nothing, versionFailure: "other" }, NOW_MS);
    expect(timesOf(second)).toEqual(Array.from({ length: 5 }, () => EARLIER));
    const third = updatedConditions(second, nothing, NOW_MS);
    expect(timesOf(third)).toEqual([EARLIER, NOW, EARLIER, EARLIER, EARLIER]);
    expect(updatedConditions(third, nothing, NOW_MS + 1000)).toBe(third);
  });
});

// upstream: pkg/controller/namespace/deletion/status_condition_utils_test.go#TestProcessContentTotals
describe("what remains", () => {
  const held = [...named(6, "service-catalog"), ...named(5, "kubedb")];
  const resourcesLine =
    `${REMAINING} True SomeResourcesRemain: Some resources are remaining: ` +
    "daemonsets.apps.k8s.io has 5 resource instances, deployments.apps.k8s.io has 5 resource instances";
  const finalizersLine =
    `${FINALIZERS} True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: ` +
    "kubedb in 5 resource instances, service-catalog in 6 resource instances";
  const both = [remainder("deployments", named(5)), remainder("daemonsets", named(5))];

  test.each<[string, Outcome["remainders"], readonly string[]]>([
    ["nothing", [], []],
    ["objects of two resources", both, [resourcesLine]],
    [
      "objects with finalizers",
      [remainder("replicasets", held)],
      [
        `${REMAINING} True SomeResourcesRemain: Some resources are remaining: replicasets.apps.k8s.io has 11 resource instances`,
        finalizersLine,
      ],
    ],
    [
      "both",
      [
        remainder("deployments", named(5, "kubedb")),
        remainder("daemonsets", [...named(4, "service-catalog"), ...named(1, "service-catalog")]),
      ],
      [resourcesLine, finalizersLine.replace("in 6", "in 5")],
    ],
  ])("%s", (_, remainders, expected) => {
    const lines = linesOf(updatedConditions([], { ...nothing, remainders }, NOW_MS));
    expect(lines.filter((line) => line.includes(" True "))).toEqual(expected);
  });
});

test("failures to delete are told in alphabetical order, with their number", () => {
  const outcome = { ...nothing, deletionFailures: ["b failed", "a failed"] };
  expect(linesOf(updatedConditions([], outcome, NOW_MS))).toContain(
    `${CONTENT} True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a failed, b failed`,
  );
});

test("a failure to discover is told as it came", () => {
  expect(linesOf(updatedConditions([], { ...nothing, discoveryFailure: "why" }, NOW_MS))[0]).toBe(
    `${DISCOVERY} True DiscoveryFailed: why`,
  );
});

function remainder(plural: string, objects: readonly object[]): Outcome["remainders"][number] {
  const resource = { group: "apps.k8s.io", version: "v1", plural, kind: "Kind", namespaced: true };
  return remainderOf(
    resource,
    objects.map((metadata) => ({ metadata })),
    0,
  );
}

function named(count: number, ...finalizers: string[]): readonly object[] {
  return Array.from({ length: count }, () => ({ finalizers }));
}

function linesOf(conditions: readonly NamespaceCondition[]): readonly string[] {
  return conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);
}

function timesOf(conditions: readonly NamespaceCondition[]): readonly unknown[] {
  return conditions.map(({ lastTransitionTime }) => lastTransitionTime);
}
