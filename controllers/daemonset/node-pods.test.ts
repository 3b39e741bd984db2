import { describe, expect, test } from "vitest";
import { REVISION_HASH, TEMPLATE_GENERATION } from "./daemon-set.ts";
import { byPlacementAndAge, isPodUpdated, podsByNode } from "./node-pods.ts";
import { daemonSet, pod } from "./samples.test-data.ts";

// upstream: pkg/controller/daemon/util/daemonset_util_test.go#TestIsPodUpdated
describe("a pod is of the current template", () => {
  const both = { [TEMPLATE_GENERATION]: "12345", [REVISION_HASH]: "55555" };
  const noHash = { [TEMPLATE_GENERATION]: "12345" };
  test.for<[string, string | undefined, Readonly<Record<string, string>>, string, boolean]>([
    ["by generation and hash", "12345", both, "55555", true],
    ["by generation, though the hash is another", "12345", both, "55555123", true],
    ["by generation, without a hash of its own", "12345", noHash, "55555", true],
    ["by generation, without any hash", "12345", noHash, "", true],
    ["by generation, without a hash to compare with", "12345", both, "", true],
    ["by hash, though the generation is another", "12350", both, "55555", true],
    ["not by another generation and hash", "12350", both, "55555123", false],
    ["not without labels and hash", "12345", {}, "", false],
    ["not without labels", "12345", {}, "55555", false],
    ["by hash, where no generation is known", undefined, both, "55555", true],
    ["not by the lack of a generation", undefined, {}, "55555", false],
  ])("%s", ([, generation, labels, hash, expected]) => {
    const annotations =
      generation === undefined ? {} : { "deprecated.daemonset.template.generation": generation };
    expect(isPodUpdated(pod("p", { labels }), daemonSet({ annotations }), hash)).toBe(expected);
  });
});

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestGetNodesToDaemonPods: whose pods they are is decided
// before; those that have finished and are being deleted are asked for by nobody here.
test("pods are found by their node, but for those that have finished and are being deleted", () => {
  const pods = [
    pod("on-0", { on: "node-0" }),
    pod("for-0", { meantFor: "node-0" }),
    pod("on-1", { on: "node-1" }),
    pod("leaving", { on: "node-1", deleting: true }),
    pod("succeeded", { on: "node-0", phase: "Succeeded" }),
    pod("failed", { on: "node-1", phase: "Failed" }),
    pod("succeeded-leaving", { on: "node-0", phase: "Succeeded", deleting: true }),
    pod("failed-leaving", { on: "node-1", phase: "Failed", deleting: true }),
    pod("nowhere"),
  ];
  const found = [...podsByNode(pods)].map(([node, there]) => [
    node,
    there.map(({ metadata }) => metadata.name),
  ]);
  expect(found).toEqual([
    ["node-0", ["on-0", "for-0", "succeeded"]],
    ["node-1", ["on-1", "leaving", "failed"]],
  ]);
});

test("pods on the node come first, then the older ones, then by name", () => {
  const pods = [
    pod("waiting", { meantFor: "n", created: 1 }),
    pod("young", { on: "n", created: 9 }),
    pod("b", { on: "n", created: 5 }),
    pod("a", { on: "n", created: 5 }),
  ];
  const names = pods.toSorted(byPlacementAndAge).map(({ metadata }) => metadata.name);
  expect(names).toEqual(["a", "b", "young", "waiting"]);
});
