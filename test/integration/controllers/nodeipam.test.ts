import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nodeIpamController } from "../../../controllers/nodeipam/controller.ts";
import type { NodeIpamSettings } from "../../../controllers/nodeipam/range-plan.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Event, Node } from "../../../pkg/api/types/core-v1.gen.ts";
import { isInvalid, isForbidden } from "../../../pkg/client/errors.ts";
import type { ResourceClient } from "../../../pkg/client/resource-client.ts";
import { isGoneOrReplaced } from "../../../pkg/controller/read-live.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { TestSpace } from "../../harness/test-space.ts";

/** Four ranges, unless something else is said. */
function controller(changed: Partial<NodeIpamSettings> = {}) {
  const lengths = { maskSize: 0, maskSizeIpv4: 0, maskSizeIpv6: 0 };
  const base = { clusterCidr: "10.0.0.0/22", serviceClusterIpRange: "", allocatorType: "RangeAllocator" };
  return nodeIpamController({ ...base, ...lengths, ...changed });
}

describe.each(accountClusterKinds)("ranges of Nodes on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  let nodes: ResourceClient<Node>;
  let stops: (() => Promise<void>)[];

  beforeAll(async () => {
    cluster = await start(() => []);
    space = new TestSpace(cluster.client, "default");
    nodes = cluster.client.clientFor<Node>(resources.nodes);
  });
  beforeEach(() => {
    stops = [];
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
    for (const { metadata } of (await nodes.list()).items) await nodes.delete({ name: metadata.name });
  });
  afterAll(async () => cluster?.stop());

  function run(changed?: Partial<NodeIpamSettings>): () => Promise<void> {
    const stop = cluster.run([controller(changed)]);
    stops.push(stop);
    return stop;
  }

  async function create(...names: readonly string[]): Promise<void> {
    for (const name of names) await nodes.create({ metadata: { name } });
  }

  async function ranges(): Promise<readonly string[]> {
    const { items } = await nodes.list();
    return items.map(({ metadata, spec }) => [metadata.name, ...(spec?.podCIDRs ?? [])].join(" "));
  }

  async function untilRanges(...expected: readonly string[]): Promise<void> {
    await space.until("Nodes have these ranges", ranges, (seen) => seen.join() === expected.join());
  }

  // upstream: test/integration/ipamperf/README.md: all Nodes that come at once get a range
  test("of many that come at once all are different", async () => {
    run({ clusterCidr: "10.0.0.0/16" });
    await Promise.all(Array.from({ length: 200 }, async (_, index) => create(`n-${index}`)));
    const seen = await space.until(
      "all have a range",
      async () => (await nodes.list()).items.map(({ spec }) => spec?.podCIDR),
      (all) => all.every((range) => range !== undefined),
    );
    expect(new Set(seen).size).toBe(200);
    expect(seen).toContain("10.0.199.0/24");
  });

  test("are one of each family, and none of Services", async () => {
    run({ clusterCidr: "10.0.0.0/22,fd00::/62", serviceClusterIpRange: "10.0.0.0/24,fd00::/64" });
    await create("a");
    await untilRanges("a 10.0.1.0/24 fd00:0:0:1::/64");
    expect((await nodes.get({ name: "a" })).spec?.podCIDR).toBe("10.0.1.0/24");
  });

  test("are known after a restart, and those of Nodes that went meanwhile are free", async () => {
    const stop = run();
    await create("a");
    await untilRanges("a 10.0.0.0/24");
    await create("b", "c");
    await space.until("all have a range", ranges, (seen) => seen.every((line) => line.includes("/")));
    const before = await ranges();
    await stop();
    await nodes.delete({ name: "a" });
    run();
    await create("d");
    await untilRanges(...before.slice(1), "d 10.0.0.0/24");
  });

  test("that run out are told of, and one that becomes free goes to a Node that waits", async () => {
    run({ clusterCidr: "10.0.0.0/24" });
    await create("a");
    await untilRanges("a 10.0.0.0/24");
    await create("b");
    const events = async (): Promise<readonly Event[]> =>
      (await cluster.client.clientFor<Event>(resources.events).list({ namespace: "default" })).items;
    const isTold = ({ reason, involvedObject }: Event): boolean =>
      reason === "CIDRNotAvailable" && involvedObject.name === "b";
    const told = await space.until("it is told", events, (seen) => seen.some(isTold));
    expect(told.find(isTold)).toMatchObject({
      type: "Normal",
      message: "Node b status is now: CIDRNotAvailable",
      source: { component: "cidrAllocator" },
    });
    await nodes.delete({ name: "a" });
    await untilRanges("b 10.0.0.0/24");
  });

  test("of a Node that is made anew under its name are its own", async () => {
    run({ clusterCidr: "10.0.0.0/23" });
    await create("a");
    await untilRanges("a 10.0.0.0/24");
    await nodes.delete({ name: "a" });
    await create("a");
    await untilRanges("a 10.0.1.0/24");
    await create("b");
    await untilRanges("a 10.0.1.0/24", "b 10.0.0.0/24");
  });

  test("that a Node brings are its own, be it that it is held by a finalizer when it is deleted", async () => {
    run({ clusterCidr: "10.0.0.0/23" });
    const held = { name: "a", finalizers: ["example.com/hold"] };
    await nodes.create({ metadata: held, spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } });
    await nodes.delete({ name: "a" });
    await create("b");
    await untilRanges("a 10.0.0.0/24", "b 10.0.1.0/24");
    await create("c");
    await nodes.patch({ name: "a" }, { type: "merge", body: { metadata: { finalizers: [] } } });
    await untilRanges("b 10.0.1.0/24", "c 10.0.0.0/24");
  });

  /** As the controller writes them. */
  async function answerTo(name: string, uid: string, range: string): Promise<unknown> {
    const body = { metadata: { uid }, spec: { podCIDR: range, podCIDRs: [range] } };
    return nodes.patch({ name }, { type: "strategic", body }).catch((error: unknown) => error);
  }

  test("are not written to another Node of the name, nor over others", async () => {
    const { metadata } = await nodes.create({ metadata: { name: "a" } });
    expect(isGoneOrReplaced(await answerTo("a", "00000000-0000-4000-8000-000000000000", "10.0.0.0/24"))).toBe(
      true,
    );
    expect(isGoneOrReplaced(await answerTo("gone", metadata.uid, "10.0.0.0/24"))).toBe(true);
    expect(await answerTo("a", metadata.uid, "10.0.0.0/24")).toMatchObject({
      spec: { podCIDR: "10.0.0.0/24" },
    });
    // What may have been stored already is written once more.
    expect(await answerTo("a", metadata.uid, "10.0.0.0/24")).toMatchObject({
      spec: { podCIDRs: ["10.0.0.0/24"] },
    });
    const refusal = await answerTo("a", metadata.uid, "10.0.1.0/24");
    expect(isInvalid(refusal) || isForbidden(refusal)).toBe(true);
    expect(isGoneOrReplaced(refusal)).toBe(false);
    expect((await nodes.get({ name: "a" })).spec?.podCIDRs).toEqual(["10.0.0.0/24"]);
  });
});
