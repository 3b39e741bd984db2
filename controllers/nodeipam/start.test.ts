import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { clientBuilder, sharedTransports } from "../../pkg/client/client-builder.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { nodeIpamController } from "./controller.ts";
import { addNodes, node, rangesOf, settings } from "./nodes-in-world.test-data.ts";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

/** Nodes cannot be read past the cache, which is filled by a watch. */
function refuseLists(): () => void {
  const error = internal("down");
  return world.server.parts.faults.add({
    target: { verb: "list", resource: "nodes" },
    action: { kind: "status", when: "before", error },
  });
}

describe("after a start", () => {
  test("what Nodes have is theirs, and a settled cluster is not written to", async () => {
    await world.start(nodeIpamController(settings()));
    await addNodes(world, "a", "b", "c");
    await world.run();
    await world.stop();
    await world.delete(resources.nodes, "b");
    world.takeWrites();
    await world.start(nodeIpamController(settings()));
    expect(world.takeWrites()).toEqual([]);
    await addNodes(world, "d", "e", "f");
    await world.run();
    expect(await rangesOf(world)).toEqual([
      "a 10.0.0.0/24",
      "c 10.0.2.0/24",
      "d 10.0.1.0/24",
      "e 10.0.3.0/24",
      "f",
    ]);
  });

  test("between the choice of a range and its write, the next leader gives each Node one", async () => {
    const restore = world.server.parts.faults.add({
      target: { verb: "patch", resource: "nodes" },
      action: { kind: "latency", ms: 60_000 },
    });
    await world.start(nodeIpamController(settings()));
    await addNodes(world, "a", "b");
    await world.run();
    restore();
    await world.stop();
    await world.start(nodeIpamController(settings()));
    await world.run();
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24", "b 10.0.1.0/24"]);
  });

  test("nothing is given out before all Nodes have been read, which is tried every ten seconds", async () => {
    await addNodes(world, "a");
    const repair = refuseLists();
    await world.start(nodeIpamController(settings()));
    await world.run(35_000);
    expect(world.takeWrites()).toEqual([]);
    repair();
    await world.run(2_000);
    expect(world.takeWrites()).toEqual([]);
    await world.run(4_000);
    expect(world.takeWrites().map(lineOf)).toEqual(["patch nodes a"]);
  });

  test("what a cache that is behind does not show is taken all the same", async () => {
    await addNodes(world, "a");
    const repair = refuseLists();
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/23" })));
    const release = world.server.parts.faults.holdWatches({ resource: "nodes" });
    await world.create<Node>(resources.nodes, node("unseen", "10.0.0.0/24"));
    repair();
    await world.run(20_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.1.0/24", "unseen 10.0.0.0/24"]);
    release();
    await world.run();
    await world.delete(resources.nodes, "unseen");
    await addNodes(world, "b");
    await world.run();
    expect(await rangesOf(world)).toEqual(["a 10.0.1.0/24", "b 10.0.0.0/24"]);
  });

  test("a Node that the cache has with no range, and the server with one, is not written to", async () => {
    await addNodes(world, "a");
    const repair = refuseLists();
    await world.start(nodeIpamController(settings()));
    world.server.parts.faults.holdWatches({ resource: "nodes" });
    const body = { spec: { podCIDR: "10.0.3.0/24", podCIDRs: ["10.0.3.0/24"] } };
    await world.client.clientFor(resources.nodes).patch({ name: "a" }, { type: "merge", body });
    repair();
    await world.run(60_000);
    expect(world.takeWrites()).toEqual([]);
  });

  test("what a Node had that was gone before the cache could show it is free once the cache has got so far", async () => {
    const repair = refuseLists();
    await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/24" })));
    const show = world.hideEvents("nodes");
    await world.create<Node>(resources.nodes, node("short-lived", "10.0.0.0/24"));
    repair();
    await world.run(20_000);
    await world.delete(resources.nodes, "short-lived");
    await addNodes(world, "a");
    await world.run(20_000);
    expect(await rangesOf(world)).toEqual(["a"]);
    show();
    await world.run(20_000);
    expect(await rangesOf(world)).toEqual(["a 10.0.0.0/24"]);
  });
});

describe("a start fails", () => {
  /** Why; undefined when it goes on for an hour. */
  async function failure(): Promise<string | undefined> {
    const { clock, server } = world;
    const set = new ControllerSet({
      descriptors: [nodeIpamController(settings())],
      clients: clientBuilder({
        transports: sharedTransports(new DirectTransport(server)),
        clock,
        log: silentLogger,
        metrics: noMetrics,
        host: "embedded",
        userAgent: "test",
        qps: -1,
        burst: 1,
      }),
      gate: openGate,
      clock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: noMetrics,
      features: featureGates(),
      name: "test",
    });
    const stop = new AbortController();
    let ended = false;
    let message: string | undefined;
    const running = set.run(stop.signal).then(
      () => (ended = true),
      (error: unknown) => {
        message = String(error);
        ended = true;
      },
    );
    await clock.advanceBy(599_000);
    if (ended) return message;
    await clock.advanceBy(3_000_000);
    stop.abort();
    await clock.runUntil(() => ended, 60_000);
    await running;
    return message && `after ten minutes: ${message}`;
  }

  test("when a Node has a range that is none of the cluster's", async () => {
    await world.create<Node>(resources.nodes, node("stranger", "172.16.0.0/24"));
    expect(await failure()).toContain(
      "node-ipam-controller failed: failed to mark cidr[172.16.0.0/24] at idx [0] as occupied for node: stranger: cidr 172.16.0.0/24 is out the range of cluster cidr 10.0.0.0/22",
    );
  });

  test("when Nodes cannot be read for ten minutes", async () => {
    refuseLists();
    expect(await failure()).toMatch(
      /after ten minutes: .*failed to list all nodes in 10m0s, cannot proceed without updating CIDR map: .*down/,
    );
  });

  test("when the settings do not go together, before anything is asked", () => {
    const { checkSettings } = nodeIpamController(settings({ clusterCidr: "10.0.0.0/30" }));
    expect(checkSettings).toThrow("Controller: Invalid --cluster-cidr");
    expect(nodeIpamController(settings({ clusterCidr: "fd00::/40" })).checkSettings).toThrow(
      "New CIDR set failed; the node CIDR size is too big",
    );
    expect(nodeIpamController(settings()).checkSettings).not.toThrow();
  });

  test("for no other reason", async () => {
    await world.create<Node>(resources.nodes, node("a", "10.0.1.0/24"));
    expect(await failure()).toBeUndefined();
  });
});

test.each<[what: string, expires: boolean, lists: readonly string[]]>([
  ["come in pages", false, ["limit", "limit continue", "limit continue"]],
  ["are read as a whole when their pages expire", true, ["limit", "limit continue", ""]],
])("lists of many Nodes %s", async (_, expires, expected) => {
  const lists: string[] = [];
  await world.stop();
  world = await newWorld({
    transport: (server) => ({
      send: async (request, signal) => {
        const { method, path, query = new URLSearchParams() } = request;
        if (method === "GET" && path === "/api/v1/nodes" && !query.has("watch")) {
          lists.push(["limit", "continue"].filter((each) => query.has(each)).join(" "));
          if (expires && query.has("continue")) {
            await world.create(resources.namespaces, { metadata: { name: "later" } });
            world.server.parts.store.compact();
          }
        }
        return server.send(request, signal);
      },
      close: async () => server.close(),
    }),
  });
  for (let index = 0; index < 1_100; index++)
    await world.create<Node>(resources.nodes, node(`n-${index}`, `10.${index >> 8}.${index & 255}.0/24`));
  await world.start(nodeIpamController(settings({ clusterCidr: "10.0.0.0/8" })));
  await addNodes(world, "new");
  await world.run();
  expect((await world.get<Node>(resources.nodes, "new")).spec?.podCIDR).toBe("10.4.76.0/24");
  expect(lists).toEqual(expected);
});
