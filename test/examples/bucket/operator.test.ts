import { afterEach, beforeEach, expect, test } from "vitest";
import { explore, type TestCluster, testCluster } from "../../../cmd/testing/index.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { FakeCloud } from "./cloud.ts";
import { Bucket, bucketOperator } from "./operator.ts";

const definitions = [Bucket];
const bucket = (name: string, region = "here") => ({ metadata: { name }, spec: { region } });

let cloud: FakeCloud;
let cluster: TestCluster;
beforeEach(async () => {
  cloud = new FakeCloud();
  cluster = await testCluster({ definitions, builtIn: [], controllers: [bucketOperator(cloud)] });
});
afterEach(async () => cluster.stop());

const condition = async (name: string): Promise<string | undefined> => {
  const { status } = await cluster.get(Bucket, name);
  return status?.conditions?.map(({ status, reason }) => `${status} ${reason}`)[0];
};

test("a Bucket is in the cloud for as long as it is in the cluster", async () => {
  await cluster.create(Bucket, bucket("a"));
  await cluster.settle();
  expect([...cloud.buckets.keys()]).toEqual(["default-a"]);
  expect(await condition("a")).toBe("True InTheCloud");
  await cluster.delete(Bucket, "a");
  await cluster.settle();
  expect([[...cloud.buckets.keys()], await cluster.find(Bucket, "a")]).toEqual([[], undefined]);
});

test("a Bucket waits for the cloud before it goes", async () => {
  await cluster.create(Bucket, bucket("a"));
  await cluster.settle();
  cloud.failing = 3;
  await cluster.delete(Bucket, "a");
  await cluster.pass(1_000);
  expect(await cluster.find(Bucket, "a")).toBeDefined();
  await cluster.pass(30_000);
  expect(await cluster.find(Bucket, "a")).toBeUndefined();
});

test("what happens in the cloud is put right at once", async () => {
  await cluster.create(Bucket, bucket("a"));
  await cluster.settle();
  cloud.lose("default-a");
  await cluster.pass(100);
  expect([...cloud.buckets.keys()]).toEqual(["default-a"]);
});

test("a region that is none is not tried again until the Bucket is changed", async () => {
  await cluster.create(Bucket, bucket("a", "nowhere"));
  await cluster.settle();
  expect(await condition("a")).toBe("False NoSuchRegion");
  cluster.takeWrites();
  await cluster.pass(3_600_000);
  expect(cluster.takeWrites()).toEqual([]);
  await cluster.update(Bucket, "a", (object) => ({ ...object, spec: { region: "there" } }));
  await cluster.settle();
  expect(await condition("a")).toBe("True InTheCloud");
});

test("people are told", async () => {
  await cluster.create(Bucket, bucket("a"));
  await cluster.settle();
  const events = await cluster.list(resources.events);
  expect(events.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
    "Created The bucket is in here",
  ]);
});

test("whatever goes wrong, the cloud has in the end what the cluster has", async () => {
  await explore(
    20,
    async (explored) => {
      const sky = new FakeCloud();
      await explored.start(() => bucketOperator(sky));
      for (const name of ["a", "b", "c"]) {
        await explored.create(Bucket, bucket(name));
        sky.failing = Math.floor(3 * explored.random.next());
        await explored.pass(5_000);
      }
      await explored.delete(Bucket, "b");
      sky.lose("default-c");
      await explored.pass(20_000);
      await explored.calm();
      await explored.until("b is gone", async () => (await explored.find(Bucket, "b")) === undefined);
      await explored.settle();
      expect([...sky.buckets.keys()]).toEqual(["default-a", "default-c"]);
    },
    { definitions, builtIn: [] },
  );
});
