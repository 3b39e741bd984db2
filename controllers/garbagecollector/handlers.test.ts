import { expect, test } from "vitest";
import type { ApiObject, ObjectMeta } from "../../pkg/api/object.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { decideConsequences } from "./consequences.ts";
import { Graph } from "./graph.ts";
import { GraphChange } from "./graph-change.ts";
import { whatConcernsTheGraph } from "./handlers.ts";

const owner = { apiVersion: "v1", kind: "Pod", name: "owner", uid: "owner" };
const DELETED = "2026-01-01T00:00:00Z";

test.each<[string, ObjectMeta, ObjectMeta, readonly string[]]>([
  ["a change of something else", { labels: { a: "b" } }, { labels: {} }, []],
  ["the same again", { ownerReferences: [owner] }, { ownerReferences: [{ ...owner }] }, []],
  ["a new owner", {}, { ownerReferences: [owner] }, ["seen 1"]],
  [
    "an owner that blocks",
    { ownerReferences: [owner] },
    { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] },
    ["seen 1"],
  ],
  ["the start of a deletion", {}, { deletionTimestamp: DELETED }, ["seen 1"]],
  ["a finalizer that is gone", { finalizers: ["orphan"] }, {}, ["seen 1"]],
  ["another object of the name", {}, { uid: "2" }, ["deleted 1", "seen 2"]],
])("the graph hears of %s", (_, before, after, expected) => {
  const changes = createWorkQueue<GraphChange>({ clock: new VirtualClock(), fair: false, priorities: false });
  ruleHandler(whatConcernsTheGraph, changes).onUpdate(object(before), object(after));
  const heard: string[] = [];
  for (let change = changes.tryGet(); change !== undefined; change = changes.tryGet())
    heard.push(`${change.type} ${change.identity.uid}`);
  expect(heard).toEqual(expected);
});

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestProcessEvent
test.each([
  ["owners first", ["1", "2<1", "3<1,2"]],
  ["an owner that goes", ["1", "2<1", "3<1,2", "4<2", "-2"]],
  ["a circle", ["1", "2<1", "3<1,2", "4<3", "2<4"]],
  ["dependents first", ["4<2", "3<1,2", "2<1", "1", "-2"]],
])("owners and dependents know each other: %s", (_, steps) => {
  const graph = new Graph();
  for (const step of steps) {
    const [uid = "", owners = ""] = step.replace("-", "").split("<");
    const ownerReferences = owners
      .split(",")
      .filter(Boolean)
      .map((each) => ({ ...owner, name: each, uid: each }));
    const seen = object({ uid, name: uid, ownerReferences });
    decideConsequences(graph, step.startsWith("-") ? GraphChange.deleted(seen) : GraphChange.seen(seen));
    for (const node of graph.nodes()) {
      for (const dependent of node.dependents)
        expect(dependent.owners.map((each) => each.uid)).toContain(node.identity.uid);
      for (const each of node.owners) expect(graph.get(each.uid)?.dependents.has(node) ?? true).toBe(true);
    }
  }
  expect([...graph.nodes()].filter(({ virtual }) => virtual)).toEqual([]);
});

function object(metadata: ObjectMeta): ApiObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "ns", uid: "1", ...metadata } };
}
