import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ttlController } from "../../../controllers/ttl/controller.ts";
import { TTL_ANNOTATION } from "../../../controllers/ttl/current-ttl.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Node } from "../../../pkg/api/types/core-v1.gen.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { TestSpace } from "../../harness/test-space.ts";

// upstream: test/integration/ttlcontroller/ttlcontroller_test.go
describe.each(accountClusterKinds)("the TTL controller on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(() => [ttlController()]);
    space = new TestSpace(cluster.client, "default");
  });
  afterAll(async () => cluster?.stop());

  const nodes = (): ReturnType<typeof cluster.client.clientFor<Node>> =>
    cluster.client.clientFor(resources.nodes);

  async function createNodes(from: number, to: number): Promise<void> {
    for (let each = from; each < to; each++) await nodes().create({ metadata: { name: `node-${each}` } });
  }

  async function deleteNodes(from: number, to: number): Promise<void> {
    for (let each = from; each < to; each++) await nodes().delete({ name: `node-${each}` });
  }

  async function untilAllHave(ttl: string, count: number): Promise<void> {
    const seen = await space.until(
      `${count} nodes have ${ttl} s`,
      async () =>
        (await nodes().list()).items.map(({ metadata }) => metadata.annotations?.[TTL_ANNOTATION] ?? "none"),
      (ttls) => ttls.every((each) => each === ttl),
    );
    expect(seen).toHaveLength(count);
  }

  test("TTLAnnotations: all nodes have the TTL of the cluster's size", async () => {
    await createNodes(0, 100);
    await untilAllHave("0", 100);
    await createNodes(100, 101);
    await untilAllHave("15", 101);
    await deleteNodes(90, 101);
    await untilAllHave("15", 90);
    await deleteNodes(89, 90);
    await untilAllHave("0", 89);
  });
});
