import { afterEach, beforeEach, expect, test } from "vitest";
import { type TestCluster, testCluster } from "../../../cmd/testing/index.ts";
import { loadAccess } from "../../../pkg/client/config/access.ts";
import { type RealCluster, startRealCluster } from "../../harness/real-cluster.ts";
import { FakeCloud } from "./cloud.ts";
import { Bucket, bucketOperator } from "./operator.ts";

let real: RealCluster;
let cluster: TestCluster;
let cloud: FakeCloud;
beforeEach(async () => {
  real = await startRealCluster();
  cloud = new FakeCloud();
  const access = await loadAccess({ kubeconfig: real.kubeconfig, env: {} });
  cluster = await testCluster({ access, definitions: [Bucket], controllers: [bucketOperator(cloud)] });
});
afterEach(async () => {
  await cluster.stop();
  await real.stop();
});

test("a Bucket of a real cluster is in the cloud for as long as it is in the cluster", async () => {
  await cluster.create(Bucket, { metadata: { name: "a" }, spec: { region: "here" } });
  await cluster.settle();
  expect((await cluster.get(Bucket, "a")).status?.conditions?.[0]?.status).toBe("True");
  expect([...cloud.buckets.keys()]).toEqual(["default-a"]);
  await cluster.delete(Bucket, "a");
  await cluster.until("it is gone", async () => (await cluster.find(Bucket, "a")) === undefined);
  expect([...cloud.buckets.keys()]).toEqual([]);
});
