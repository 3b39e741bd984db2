import { afterEach, beforeEach, test } from "vitest";
import { type TestCluster, testCluster } from "../../../cmd/testing/index.ts";
import { loadAccess } from "../../../pkg/client/config/access.ts";
import { type RealCluster, startRealCluster } from "../../harness/real-cluster.ts";
import { aWebsiteLives } from "./life.ts";
import { websiteOperator } from "./operator.ts";
import { Website } from "./website.ts";

let real: RealCluster;
let cluster: TestCluster;
beforeEach(async () => {
  real = await startRealCluster();
  const access = await loadAccess({ kubeconfig: real.kubeconfig, env: {} });
  cluster = await testCluster({ access, definitions: [Website], controllers: [websiteOperator] });
});
afterEach(async () => {
  await cluster.stop();
  await real.stop();
});

test("a Website lives in a real cluster as in one of the test's own", async () => aWebsiteLives(cluster));
