import { afterEach, beforeEach, expect, test } from "vitest";
import { explore, type TestCluster, testCluster } from "../../../cmd/testing/index.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { configMapSyncer, secretSyncer } from "./operator.ts";

const { configMaps, namespaces, secrets } = resources;

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await testCluster({ builtIn: [], controllers: [configMapSyncer, secretSyncer] });
  for (const [name, team] of [
    ["home", "none"],
    ["web", "web"],
    ["data", "data"],
  ] as const)
    await cluster.create(namespaces, { metadata: { name, labels: { team } } });
});
afterEach(async () => cluster.stop());

const source = (to: string, data = "v1") => ({
  metadata: { name: "shared", namespace: "home", annotations: { "sync.example.com/to": to } },
  data: { key: data },
});
const copies = async (of: TestCluster = cluster): Promise<readonly string[]> =>
  (await of.list(configMaps))
    .filter(({ metadata }) => metadata.name === "shared")
    .map(({ metadata, data }) => `${metadata.namespace} ${data?.["key"]}`)
    .toSorted((a, b) => a.localeCompare(b));

test("a ConfigMap is where its labels say, also in namespaces that come to have them", async () => {
  await cluster.create(configMaps, source("team=web"));
  await cluster.settle();
  expect(await copies()).toEqual(["home v1", "web v1"]);
  await cluster.create(namespaces, { metadata: { name: "web-2", labels: { team: "web" } } });
  await cluster.settle();
  expect(await copies()).toEqual(["home v1", "web v1", "web-2 v1"]);
  await cluster.update(namespaces, "web", ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, labels: {} },
  }));
  await cluster.settle();
  expect(await copies()).toEqual(["home v1", "web-2 v1"]);
});

test("a copy that is changed or deleted is put right, and goes with its source", async () => {
  await cluster.create(configMaps, source("team=web"));
  await cluster.settle();
  await cluster.update(configMaps, { namespace: "web", name: "shared" }, (map) => ({
    ...map,
    data: { key: "other" },
  }));
  await cluster.settle();
  expect(await copies()).toEqual(["home v1", "web v1"]);
  await cluster.delete(configMaps, { namespace: "web", name: "shared" });
  await cluster.settle();
  expect(await copies()).toEqual(["home v1", "web v1"]);
  await cluster.delete(configMaps, { namespace: "home", name: "shared" });
  await cluster.settle();
  expect(await copies()).toEqual([]);
});

test("Secrets are copied by the same code, and nothing is written at rest", async () => {
  await cluster.create(secrets, { ...source("*"), data: { key: "djE=" }, type: "example.com/key" });
  await cluster.settle();
  const all = (await cluster.list(secrets)).map(({ metadata, type }) => `${metadata.namespace} ${type}`);
  expect(all).toContain("data example.com/key");
  cluster.takeWrites();
  await cluster.pass(3_600_000);
  expect(cluster.takeWrites()).toEqual([]);
});

test("whatever goes wrong, copies are where they should be", async () => {
  await explore(
    20,
    async (explored) => {
      await explored.start(configMapSyncer);
      for (const name of ["home", "web", "data"])
        await explored.create(namespaces, { metadata: { name, labels: { team: name } } });
      await explored.create(configMaps, source("team=web"));
      for (const [to, data] of [
        ["*", "v2"],
        ["team=data", "v3"],
        ["team=web", "v4"],
      ] as const) {
        await explored.pass(8_000);
        await explored.update(configMaps, { namespace: "home", name: "shared" }, ({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, annotations: { "sync.example.com/to": to } },
          data: { key: data },
        }));
      }
      await explored.pass(10_000);
      await explored.calm();
      expect(await copies(explored)).toEqual(["home v4", "web v4"]);
    },
    { builtIn: [] },
  );
});
