import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { ttlController } from "./controller.ts";

const TTL_ANNOTATION = "node.alpha.kubernetes.io/ttl";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

// upstream: pkg/controller/ttl/ttl_controller_test.go#TestPatchNode, TestUpdateNodeIfNeeded
describe("a node", () => {
  test.each<
    [string, others: number, annotations: Record<string, string> | undefined, expected: string | undefined]
  >([
    ["of a small cluster gets 0 s", 0, undefined, "0"],
    ["without any annotations gets what is right", 101, {}, "15"],
    ["of a larger cluster gets more", 501, undefined, "30"],
    ["of another TTL gets more", 101, { [TTL_ANNOTATION]: "0" }, "15"],
    ["of another TTL gets less", 501, { [TTL_ANNOTATION]: "60" }, "30"],
    ["keeps its other annotations", 101, { [TTL_ANNOTATION]: "0", a: "b" }, "15"],
    ["whose TTL is no number gets one", 0, { [TTL_ANNOTATION]: "soon" }, "0"],
    ["that has it is left alone", 101, { [TTL_ANNOTATION]: "15" }, undefined],
    [
      "that has it, among other annotations, is left alone",
      101,
      { [TTL_ANNOTATION]: "15", a: "b" },
      undefined,
    ],
    ["that has it in other words is left alone", 101, { [TTL_ANNOTATION]: "+015" }, undefined],
  ])("%s", async (_, others, annotations, expected) => {
    await addNodes(others, expected ?? annotations?.[TTL_ANNOTATION]);
    await addNode("subject", annotations);
    await world.start(ttlController());
    const writes = world.takeWrites();
    const [write] = writes;
    if (expected === undefined) return expect(writes).toEqual([]);
    expect(writes.map(lineOf)).toEqual(["patch nodes subject"]);
    expect(write?.body).toEqual({ metadata: { annotations: { [TTL_ANNOTATION]: expected } } });
    const { metadata } = await world.get<Node>(resources.nodes, "subject");
    expect(metadata.annotations).toEqual({ ...annotations, [TTL_ANNOTATION]: expected });
  });
});

describe("the cluster grows and shrinks", () => {
  test("past a boundary, and all nodes get the TTL of its size", async () => {
    await addNodes(100);
    await world.start(ttlController());
    expect(await ttls()).toEqual({ 0: 100 });
    await addNode("one-more");
    await world.run();
    expect(await ttls()).toEqual({ 15: 101 });
    for (let each = 0; each < 11; each++) await world.delete(resources.nodes, `node-${each}`);
    await world.run();
    expect(await ttls()).toEqual({ 15: 90 });
    await world.delete(resources.nodes, "one-more");
    await world.run();
    expect(await ttls()).toEqual({ 0: 89 });
  });

  test("and who takes over between two boundaries leaves the nodes as they are", async () => {
    await addNodes(95, "15");
    await world.start(ttlController());
    await addNode("new");
    await world.run(60_000);
    expect(world.takeWrites().map(lineOf)).toEqual(["patch nodes new"]);
    expect(await ttls()).toEqual({ 15: 96 });
  });
});

test("what somebody makes of the annotation is put right", async () => {
  await addNode("subject");
  await world.start(ttlController());
  await world.update<Node>(resources.nodes, "subject", withTtl("300"));
  await world.run();
  expect(await ttls()).toEqual({ 0: 1 });
  world.takeWrites();
  await world.update<Node>(resources.nodes, "subject", (node) => ({
    ...node,
    spec: { unschedulable: true },
  }));
  await world.run();
  expect(world.takeWrites()).toEqual([]);
});

test("a node that cannot be written is tried again", async () => {
  await addNode("subject");
  const repair = world.server.parts.faults.add({
    target: { verb: "patch", resource: "nodes" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await world.start(ttlController());
  repair();
  await world.run(10_000);
  expect(await ttls()).toEqual({ 0: 1 });
});

test("a node that goes meanwhile is no failure", async () => {
  await addNode("subject");
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "nodes" },
    action: { kind: "interfere", run: async () => world.delete(resources.nodes, "subject") },
    times: 1,
  });
  const set = await world.start(ttlController());
  expect(world.takeWrites().map(lineOf)).toEqual(["patch nodes subject"]);
  const [{ history }] = JSON.parse(set.debug("ttl-controller", "/", new URLSearchParams())?.body ?? "") as [
    { history: { outcome: string }[] },
  ];
  expect(history.map(({ outcome }) => outcome)).not.toContainEqual(expect.stringContaining("failed"));
});

test("a node is written once, though the cache has yet to show it", async () => {
  await addNode("subject");
  let release = (): void => undefined;
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "nodes" },
    action: {
      kind: "interfere",
      run: async () => {
        await world.update<Node>(resources.nodes, "subject", (node) => ({
          ...node,
          spec: { unschedulable: true },
        }));
        release = world.server.parts.faults.holdWatches({ resource: "nodes" });
      },
    },
    times: 1,
  });
  await world.start(ttlController());
  await world.run();
  release();
  await world.run();
  expect(world.takeWrites().map(lineOf)).toEqual(["patch nodes subject"]);
});

async function addNode(name: string, annotations?: Record<string, string>): Promise<void> {
  await world.create<Node>(resources.nodes, { metadata: { name, ...(annotations && { annotations }) } });
}

async function addNodes(count: number, ttl?: string): Promise<void> {
  const annotations = ttl === undefined ? undefined : { [TTL_ANNOTATION]: ttl };
  for (let each = 0; each < count; each++) await addNode(`node-${each}`, annotations);
}

/** How many nodes have which TTL. */
async function ttls(): Promise<Record<string, number>> {
  const nodes = await world.list<Node>(resources.nodes);
  const grouped = Object.groupBy(nodes, ({ metadata }) => metadata.annotations?.[TTL_ANNOTATION] ?? "none");
  return Object.fromEntries(Object.entries(grouped).map(([ttl, found = []]) => [ttl, found.length]));
}

function withTtl(ttl: string): (node: Node) => Node {
  return (node) => ({ ...node, metadata: { ...node.metadata, annotations: { [TTL_ANNOTATION]: ttl } } });
}
