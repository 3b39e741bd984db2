import { beforeEach, describe, expect, test } from "vitest";
import type { NodeStatus } from "../../pkg/api/types/core-v1.gen.ts";
import { asStored } from "../../test/harness/stored.ts";
import { NodeReports } from "./node-reports.ts";

const NODE = "node-1";
const place = (volume: string) => ({ node: NODE, volume });
const listed = (...names: readonly string[]) => names.map((name) => ({ name, devicePath: "" }));

function node(resourceVersion: string, attached: readonly string[], inUse: readonly string[] = []) {
  const status: NodeStatus = { volumesAttached: listed(...attached), volumesInUse: inUse };
  return asStored({ metadata: { name: NODE, uid: "uid", resourceVersion, annotations: {} }, status });
}

const answer = (version: string, attached: readonly string[], inUse: readonly string[] = []) => ({
  version,
  attached: listed(...attached),
  inUse: new Set(inUse),
});

let reports: NodeReports;
beforeEach(() => {
  reports = new NodeReports();
});

// upstream: pkg/controller/volume/attachdetach/cache/actual_state_of_world_test.go#Test_RemoveVolumeFromReportAsAttached…,
// Test_SetNodeStatusUpdateNeededError, Test_updateNodeStatusUpdateNeeded…, Test_GetVolumesToReportAttached…,
// Test_OneVolumeTwoNodes_TwoDevicePaths
describe("what is to be written to a node's status", () => {
  test("is nothing, of a node of which nothing is known", () => {
    expect(reports.pending(node("1", ["a"]))).toBeUndefined();
    expect(reports.has(NODE)).toBe(false);
  });

  test("is nothing, of such a node that was sent something, or has answered", () => {
    reports.sending(NODE, listed("a"));
    reports.answered(NODE, answer("5", ["a"]));
    expect(reports.has(NODE)).toBe(false);
    expect(reports.pending(node("1", []))).toBeUndefined();
  });

  test("is nothing, once the node has answered what it is to say", () => {
    reports.add(place("a"));
    const volumes = reports.pending(node("1", []));
    reports.sending(NODE, volumes);
    expect(reports.pending(node("1", []))).toEqual(listed("a"));
    reports.answered(NODE, answer("2", ["a"]));
    expect(reports.pending(node("1", []))).toBeUndefined();
  });

  test("has the path of its own device for each node", () => {
    const other = "node-2";
    reports.add(place("a"), "/dev/one");
    reports.add({ node: other, volume: "a" }, "/dev/two");
    const first = node("1", []);
    const second = { ...first, metadata: { ...first.metadata, name: other } };
    expect(reports.pending(first)).toEqual([{ name: "a", devicePath: "/dev/one" }]);
    expect(reports.pending(second)).toEqual([{ name: "a", devicePath: "/dev/two" }]);
  });

  test("is what is attached, once", () => {
    expect(reports.add(place("a"), "/dev/a")).toBe(true);
    expect(reports.add(place("a"))).toBe(false);
    expect(reports.pending(node("1", []))).toEqual([{ name: "a", devicePath: "/dev/a" }]);
    expect(reports.pending(node("1", ["a"]))).toBeUndefined();
  });

  test("has no longer what is to be detached, and has it again when it stays", () => {
    reports.add(place("a"));
    expect(reports.remove(place("b"))).toBe(false);
    expect(reports.remove(place("a"))).toBe(true);
    expect(reports.remove(place("a"))).toBe(false);
    expect(reports.pending(node("1", ["a"]))).toEqual([]);
    expect(reports.add(place("a"))).toBe(true);
    expect(reports.pending(node("1", ["a"]))).toBeUndefined();
  });

  test("stands in the order in which the node has it, and what is new behind", () => {
    for (const name of ["a", "b", "c", "d"]) reports.add(place(name));
    reports.remove(place("b"));
    expect(reports.pending(node("1", ["c", "b", "a"]))).toEqual(listed("c", "a", "d"));
  });

  test("follows from the last answer until the cache is as new", () => {
    reports.add(place("a"));
    reports.answered(NODE, answer("5", ["a"]));
    expect(reports.pending(node("4", []))).toBeUndefined();
    expect(reports.pending(node("6", []))).toEqual(listed("a"));
  });

  test("is known anew of a node that was made anew", () => {
    reports.add(place("a"));
    reports.answered(NODE, answer("5", ["a"]));
    reports.nodeIsGone(NODE);
    expect(reports.pending(node("4", []))).toEqual(listed("a"));
    reports.remove(place("a"));
    reports.nodeIsGone(NODE);
    expect(reports.has(NODE)).toBe(false);
  });
});

describe("a node may believe that it has a volume", () => {
  test("as long as its status, or a write of it that is under way, says so", () => {
    reports.add(place("a"));
    expect(reports.isReported(node("1", []), "a")).toBe(false);
    reports.sending(NODE, listed("a"));
    reports.remove(place("a"));
    expect(reports.isReported(node("1", []), "a")).toBe(true);
    reports.answered(NODE, answer("2", ["a"]));
    expect(reports.isReported(node("1", []), "a")).toBe(true);
    reports.answered(NODE, answer("3", []));
    expect(reports.isReported(node("2", ["a"]), "a")).toBe(false);
    expect(reports.isReported(undefined, "a")).toBe(false);
  });

  test("as long as a write that failed may yet say so, which another settles", () => {
    reports.add(place("a"));
    reports.sending(NODE, listed("a"));
    reports.remove(place("a"));
    expect(reports.pending(node("1", []))).toEqual([]);
    reports.answered(NODE, answer("2", []));
    expect(reports.pending(node("2", []))).toBeUndefined();
    expect(reports.isReported(node("2", []), "a")).toBe(false);
  });

  test("and one that is made anew does not, whatever the one before it was sent", () => {
    reports.add(place("a"));
    reports.sending(NODE, listed("a"));
    reports.nodeIsGone(NODE);
    expect(reports.isReported(node("2", []), "a")).toBe(false);
  });

  test("and is known to have been told otherwise by the answer alone", () => {
    reports.add(place("a"));
    expect(reports.isTold(place("a"))).toBe(false);
    reports.answered(NODE, answer("2", ["a"]));
    expect(reports.isTold(place("a"))).toBe(false);
    reports.answered(NODE, answer("3", []));
    expect(reports.isTold(place("a"))).toBe(true);
  });

  test("and uses what it said last, in an answer or to the cache", () => {
    reports.add(place("a"));
    reports.answered(NODE, answer("5", [], ["a"]));
    expect(reports.isInUse(node("4", []), "a")).toBe(true);
    expect(reports.isInUse(node("6", []), "a")).toBe(false);
    expect(reports.isInUse(node("6", [], ["a"]), "a")).toBe(true);
  });

  // upstream: …#Test_SetVolumesMountedByNode_Positive_Set, …UnsetWithInitialSet, …UnsetWithInitialSetAddVolumeNodeNotReset
  test("and does not use what it uses no more, though it is attached once more", () => {
    reports.add(place("a"));
    expect(reports.isInUse(node("1", ["a"], ["a"]), "a")).toBe(true);
    expect(reports.isInUse(node("2", ["a"]), "a")).toBe(false);
    reports.add(place("a"));
    expect(reports.isInUse(node("2", ["a"]), "a")).toBe(false);
  });
});
