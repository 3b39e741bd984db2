import { afterEach, beforeEach, expect, test } from "vitest";
import { type TestCluster, testCluster } from "../../../cmd/testing/index.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { aWebsiteLives, lines, readiness, website } from "./life.ts";
import { websiteOperator } from "./operator.ts";
import { Website } from "./website.ts";

const { deployments } = resources;
const HOUR_MS = 3_600_000;

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await testCluster({ definitions: [Website], nodes: 2, controllers: [websiteOperator] });
});
afterEach(async () => cluster.stop());

test("a Website lives", async () => aWebsiteLives(cluster));

test("its pods run, and all that belongs to it goes with it", async () => {
  await cluster.create(Website, website("blog", { replicas: 2 }));
  await cluster.until("it is ready", async () => (await readiness(cluster, "blog")) === "True AllReady");
  expect(await cluster.list(resources.pods)).toHaveLength(2);
  await cluster.delete(Website, "blog");
  await cluster.until("nothing is left", async () => {
    const left = [
      cluster.list(deployments),
      cluster.list(resources.replicaSets),
      cluster.list(resources.pods),
    ];
    return (await Promise.all<readonly unknown[]>(left)).flat().length === 0;
  });
});

test("twenty Websites take three applies each and two statuses, and nothing an hour at rest", async () => {
  for (let index = 0; index < 20; index++) await cluster.create(Website, website(`site-${index}`));
  await cluster.settle();
  expect(lines(cluster)).toHaveLength(100);
  await cluster.pass(HOUR_MS);
  expect(lines(cluster)).toEqual([]);
});

test("an operator that starts on a settled cluster writes nothing", async () => {
  await cluster.create(Website, website("blog"));
  await cluster.settle();
  cluster.takeWrites();
  await cluster.start(websiteOperator);
  await cluster.pass(HOUR_MS);
  expect(lines(cluster)).toEqual([]);
});
