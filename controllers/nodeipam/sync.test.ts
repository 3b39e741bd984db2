import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Event, Node } from "../../pkg/api/types/core-v1.gen.ts";
import { forbidden, internal, StatusError } from "../../pkg/apiserver/server/status-error.ts";
import type { FaultAction } from "../../pkg/apiserver/server/faults.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { AcceptedAnswers, METADATA_ONLY } from "../../test/harness/accepted-answers.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { nodeIpamController } from "./controller.ts";
import { addNodes, node, rangesOf, settings } from "./nodes-in-world.test-data.ts";

const NAME = "node-ipam-controller";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

/** What becomes of writes of a Node, or of all. */
function onPatch(action: FaultAction, times?: number, name?: string): () => void {
  const target = { verb: "patch", resource: "nodes", ...(name !== undefined && { name }) };
  return world.server.parts.faults.add({ target, action, ...(times !== undefined && { times }) });
}

const refuse: FaultAction = { kind: "status", when: "before", error: forbidden(resources.nodes, "", "no") };

describe("a Node", () => {
  test("gets the next range with one write, and what else changes about it is no news", async () => {
    const set = await world.start(nodeIpamController(settings()));
    await addNodes(world, "a", "b");
    await world.run();
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24", "b 10.0.1.0/24"]);
    const writes = world.takeWrites();
    expect(writes.map(lineOf)).toEqual(["patch nodes a", "patch nodes b"]);
    const { uid } = (await world.get(resources.nodes, "a")).metadata;
    expect(writes[0]).toMatchObject({
      actor: "node-controller",
      body: { metadata: { uid }, spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } },
    });
    const before = syncs(set);
    for (let beat = 0; beat < 5; beat++) {
      await world.update<Node>(resources.nodes, "a", (each) => ({
        ...each,
        metadata: { ...each.metadata, annotations: { beat: String(beat) } },
      }));
      await world.run(10_000);
    }
    expect([syncs(set), world.takeWrites()]).toEqual([before, []]);
  });

  test("gets a range of each family", async () => {
    const dual = { clusterCidr: "10.0.0.0/22,fd00::/62", serviceClusterIpRange: "10.0.0.0/24,fd00::/64" };
    await world.start(nodeIpamController(settings(dual)));
    await addNodes(world, "a");
    await world.run();
    expect(await rangesOf(world)).toEqual(["a 10.0.1.0/24 fd00:0:0:1::/64"]);
    expect((await world.get<Node>(resources.nodes, "a")).spec?.podCIDR).toBe("10.0.1.0/24");
  });

  test("that brings its own range keeps it, and nobody else gets it", async () => {
    await world.start(nodeIpamController(settings()));
    await world.create<Node>(resources.nodes, node("own", "10.0.0.0/24"));
    await world.run();
    await addNodes(world, "a");
    await world.run();
    expect(await rangesOf(world)).toEqual(["a 10.0.1.0/24", "own 10.0.0.0/24"]);
    expect(world.takeWrites().map(lineOf)).toEqual(["patch nodes a"]);
  });

  test("whose range is none of the cluster's is told of, and harms nobody", async () => {
    const set = await world.start(nodeIpamController(settings()));
    await world.create<Node>(resources.nodes, node("stranger", "172.16.0.0/24"));
    await addNodes(world, "a");
    await world.run(120_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24", "stranger 172.16.0.0/24"]);
    expect(syncs(set)).toBe(2);
    await world.delete(resources.nodes, "stranger");
    await world.run();
  });

  // upstream: pkg/controller/nodeipam/ipam/range_allocator_test.go#TestNodeDeletionReleaseCIDR
  test("that is being deleted keeps its range until it is gone, and gets none", async () => {
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/23" })));
    await world.create<Node>(resources.nodes, { metadata: { name: "a", finalizers: ["x.io/hold"] } });
    await world.run();
    await world.delete(resources.nodes, "a");
    await addNodes(world, "b");
    await world.run();
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24", "b 10.0.1.0/24"]);
    const restore = onPatch(refuse);
    await world.create<Node>(resources.nodes, { metadata: { name: "c", finalizers: ["x.io/hold"] } });
    await world.run();
    await world.delete(resources.nodes, "c");
    await world.update<Node>(resources.nodes, "a", (each) => ({
      ...each,
      metadata: { ...each.metadata, finalizers: [] },
    }));
    restore();
    world.takeWrites();
    await world.run(60_000);
    expect(await rangesOf(world)).toEqual(["b 10.0.1.0/24", "c"]);
    expect(world.takeWrites()).toEqual([]);
  });
});

// kubernetes/kubernetes#128305: upstream once gave it out again as soon as somebody had asked to delete the Node.
test("the last range is nobody else's while a Node that has it is on its way", async () => {
  await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/24" })));
  await world.create<Node>(resources.nodes, { metadata: { name: "a", finalizers: ["x.io/hold"] } });
  await world.run();
  await world.delete(resources.nodes, "a");
  await addNodes(world, "b");
  await world.run(60_000);
  expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24", "b"]);
  await world.update<Node>(resources.nodes, "a", (each) => ({
    ...each,
    metadata: { ...each.metadata, finalizers: [] },
  }));
  await world.run();
  expect(await rangesOf(world)).toEqual(["b 10.0.0.0/24"]);
});

describe("a Node that is made anew under its name", () => {
  test("gets a range of its own, and the old one is free", async () => {
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/23" })));
    await addNodes(world, "a");
    await world.run();
    // The cache sees one Node become another.
    const show = world.hideEvents("nodes");
    await world.delete(resources.nodes, "a");
    await addNodes(world, "a");
    show();
    await world.run(60_000);
    await addNodes(world, "b");
    await world.run(60_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.1.0/24", "b 10.0.0.0/24"]);
  });

  test("with the range that it had keeps it", async () => {
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/23" })));
    await addNodes(world, "a");
    await world.run();
    const show = world.hideEvents("nodes");
    await world.delete(resources.nodes, "a");
    await world.create<Node>(resources.nodes, node("a", "10.0.0.0/24"));
    show();
    await world.run(60_000);
    await addNodes(world, "b", "c");
    await world.run(60_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24", "b 10.0.1.0/24", "c"]);
  });

  test("does not get what is on its way to the first", async () => {
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/23" })));
    onPatch(
      {
        kind: "interfere",
        run: async () => {
          await world.client.clientFor(resources.nodes).delete({ name: "a" });
          await addNodes(world, "a");
        },
      },
      1,
      "a",
    );
    await addNodes(world, "a");
    await world.run(60_000);
    await addNodes(world, "b");
    await world.run(60_000);
    const [a = "", b = ""] = await rangesOf(world);
    expect(new Set([a.split(" ")[1], b.split(" ")[1]])).toEqual(new Set(["10.0.0.0/24", "10.0.1.0/24"]));
  });
});

describe("when there is no range", () => {
  test("the Node is told of, and gets the first that becomes free at once", async () => {
    await world.start(nodeIpamController(settings()));
    await addNodes(world, "a", "b", "c", "d", "e", "f");
    // Nobody would look again for a quarter of an hour.
    await world.run(1_800_000);
    expect((await rangesOf(world)).slice(4)).toEqual(["e", "f"]);
    expect(world.takeWrites().map(lineOf)).toHaveLength(4);
    await world.delete(resources.nodes, "b");
    await world.run(100);
    expect((await rangesOf(world)).slice(3)).toEqual(["e 10.0.1.0/24", "f"]);
    await world.delete(resources.nodes, "c");
    await world.run(100);
    expect((await rangesOf(world)).slice(3)).toEqual(["f 10.0.2.0/24"]);
    const [event] = await world.list<Event>(resources.events);
    const { uid } = (await world.get(resources.nodes, "e")).metadata;
    expect(event).toMatchObject({
      reason: "CIDRNotAvailable",
      type: "Normal",
      message: "Node e status is now: CIDRNotAvailable",
      source: { component: "cidrAllocator" },
      involvedObject: { apiVersion: "v1", kind: "Node", name: "e", uid },
    });
  });

  test("a Node that is gone is not waited for, and the next in line gets the range", async () => {
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/24" })));
    await addNodes(world, "a", "b", "c");
    await world.run();
    await world.delete(resources.nodes, "b");
    await world.run();
    await world.delete(resources.nodes, "a");
    await world.run(100);
    expect(await rangesOf(world)).toEqual(["c 10.0.0.0/24"]);
  });
});

describe("a write", () => {
  test.each<[what: string, action: FaultAction]>([
    ["has no answer", { kind: "disconnect", when: "after" }],
    [
      "is answered with an error",
      { kind: "status", when: "after", error: internal("etcdserver: request timed out") },
    ],
    [
      "is answered with a time-out",
      { kind: "status", when: "after", error: new StatusError(504, "Timeout", "late") },
    ],
  ])("that is stored and %s leaves the Node the range that it has", async (_, action) => {
    await world.start(nodeIpamController(settings()));
    const release = world.server.parts.faults.holdWatches({ resource: "nodes" });
    await world.run();
    release();
    const restore = onPatch(action, undefined, "a");
    await addNodes(world, "a");
    await world.run(30_000);
    await addNodes(world, "b");
    await world.run(30_000);
    restore();
    await world.run(60_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24", "b 10.0.1.0/24"]);
    // It was there when it was looked for.
    expect(await world.events()).toEqual([]);
  });

  test("of which nobody knows what has become keeps its range for the Node, and is tried again with that", async () => {
    await world.start(nodeIpamController(settings()));
    const error = new StatusError(504, "Timeout", "late");
    const restore = onPatch({ kind: "status", when: "before", error }, undefined, "a");
    await addNodes(world, "a");
    await world.run();
    await addNodes(world, "b", "c", "d", "e");
    await world.run();
    expect(await rangesOf(world)).toEqual(["a", "b 10.0.1.0/24", "c 10.0.2.0/24", "d 10.0.3.0/24", "e"]);
    const event = (await world.list<Event>(resources.events)).find(
      ({ reason }) => reason === "CIDRAssignmentFailed",
    );
    expect(event?.message).toBe("Node a status is now: CIDRAssignmentFailed");
    restore();
    await world.run(60_000);
    expect((await rangesOf(world))[0]).toBe("a 10.0.0.0/24");
  });

  test("that is refused is tried three times, and others may have the range", async () => {
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/24" })));
    const restore = onPatch(refuse, undefined, "a");
    await addNodes(world, "a");
    await world.run(3);
    expect(world.takeWrites().map(lineOf)).toEqual(["patch nodes a", "patch nodes a", "patch nodes a"]);
    await addNodes(world, "b");
    await world.run(1_000);
    expect(await rangesOf(world)).toEqual(["a", "b 10.0.0.0/24"]);
    expect(
      (await world.events()).some(
        (line) => line === "CIDRAssignmentFailed Node a status is now: CIDRAssignmentFailed",
      ),
    ).toBe(true);
    restore();
    await world.delete(resources.nodes, "b");
    await world.run(120_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24"]);
  });

  test("that is refused, when nobody can say whether the Node has got ranges meanwhile, keeps its range", async () => {
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/24" })));
    const allow = onPatch(refuse, undefined, "a");
    const error = internal("no answer");
    const answer = world.server.parts.faults.add({
      target: { verb: "get", resource: "nodes", name: "a" },
      action: { kind: "status", when: "before", error },
    });
    await addNodes(world, "a");
    await world.run();
    await addNodes(world, "b");
    await world.run();
    expect(await rangesOf(world)).toEqual(["a", "b"]);
    expect(await world.events()).toContain("CIDRAssignmentFailed Node a status is now: CIDRAssignmentFailed");
    answer();
    allow();
    await world.run(120_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24", "b"]);
  });

  test("that fails once succeeds the second time, and nobody is told", async () => {
    await world.start(nodeIpamController(settings()));
    onPatch({ kind: "status", when: "before", error: internal("down") }, 2);
    await addNodes(world, "a");
    await world.run(10);
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24"]);
    expect(world.takeWrites()).toHaveLength(3);
    expect(await world.events()).toEqual([]);
  });

  test("to a Node that somebody else has given a range leaves it that, and the other range is free", async () => {
    await world.start(nodeIpamController(settings()));
    onPatch(
      {
        kind: "interfere",
        run: async () => {
          world.server.parts.faults.holdWatches({ resource: "nodes" });
          const body = { spec: { podCIDR: "10.0.3.0/24", podCIDRs: ["10.0.3.0/24"] } };
          await world.client.clientFor(resources.nodes).patch({ name: "a" }, { type: "merge", body });
        },
      },
      1,
      "a",
    );
    await addNodes(world, "a");
    await world.run(60_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.3.0/24"]);
    expect(await world.events()).toEqual([]);
    world.server.parts.faults.dropWatches({ resource: "nodes" });
  });

  test("is not repeated while the cache has yet to see it", async () => {
    await world.start(nodeIpamController(settings()));
    await addNodes(world, "a");
    let release = (): void => undefined;
    onPatch(
      {
        kind: "interfere",
        run: () => {
          release = world.server.parts.faults.holdWatches({ resource: "nodes" });
        },
      },
      1,
    );
    await world.run();
    release();
    await world.run(10_000);
    expect(world.takeWrites().map(lineOf)).toEqual(["patch nodes a"]);
  });
});

test("ranges are counted by the cluster's range that they are of", async () => {
  await world.stop();
  const { main } = createMetrics({ version: "1.36.4" });
  world = await newWorld({ metrics: main });
  await world.create<Node>(resources.nodes, node("old", "10.0.0.0/24"));
  await world.start(nodeIpamController(settings()));
  await addNodes(world, "a");
  await world.run();
  await world.delete(resources.nodes, "old");
  await world.run();
  const text = await main.expose();
  const lines = text.split("\n").filter((line) => line.startsWith("node_ipam_controller_"));
  const label = '{clusterCIDR="10.0.0.0/22"}';
  expect(lines.filter((line) => !line.includes("_bucket"))).toEqual([
    `node_ipam_controller_cidrset_allocation_tries_per_request_sum${label} 1`,
    `node_ipam_controller_cidrset_allocation_tries_per_request_count${label} 1`,
    `node_ipam_controller_cidrset_cidrs_allocations_total${label} 2`,
    `node_ipam_controller_cidrset_cidrs_releases_total${label} 1`,
    `node_ipam_controller_cidrset_usage_cidrs${label} 0.25`,
    `node_ipam_controller_cirdset_max_cidrs${label} 4`,
  ]);
  const buckets = lines
    .filter((line) => line.includes("_bucket"))
    .map((line) => /le="([^"]+)"/.exec(line)?.[1]);
  expect(buckets).toEqual(["1", "5", "25", "125", "625", "+Inf"]);
});

test("of the answer to a write nothing but its metadata is asked for", async () => {
  const answers = new AcceptedAnswers();
  const asked = await newWorld({ transport: answers.through });
  await asked.start(nodeIpamController(settings()));
  await addNodes(asked, "a");
  await asked.run();
  expect(answers.take()).toEqual([METADATA_ONLY]);
  await asked.stop();
});

test("that it runs is to be seen, and that it does no more", async () => {
  const { main } = createMetrics({ version: "1.36.4" });
  const counted = await newWorld({ metrics: main });
  const running = async (): Promise<readonly string[]> =>
    (await main.expose()).split("\n").filter((line) => line.includes("running_managed_controllers"));
  await counted.start(nodeIpamController(settings()));
  const series = 'running_managed_controllers{manager="kube-controller-manager",name="nodeipam"}';
  expect(await running()).toContain(`${series} 1`);
  expect((await running())[0]).toMatch(/^# HELP running_managed_controllers \[BETA\] /);
  await counted.stop();
  expect(await running()).toContain(`${series} 0`);
});

/** How many syncs there were. */
function syncs(set: Awaited<ReturnType<ControllerWorld["start"]>>): number | undefined {
  return set.health().get(NAME)?.pools["cidrallocator_node"]?.syncs;
}
