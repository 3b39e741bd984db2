import { afterEach, beforeEach, expect, test } from "vitest";
import { deploymentController } from "../../../controllers/deployment/controller.ts";
import { replicaSetController } from "../../../controllers/replicaset/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ConfigMap } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../harness/controller-world.ts";
import { websiteOperator } from "./operator.ts";
import { type Website, websiteDefinition, websites } from "./website.ts";

const { configMaps, customResourceDefinitions, deployments, services } = resources;
const HOUR_MS = 3_600_000;

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  await world.create(customResourceDefinitions, websiteDefinition);
  await world.run();
});
afterEach(async () => world.stop());

const website = (name: string, spec: Partial<Website["spec"]> = {}): Website => ({
  metadata: { name },
  spec: { replicas: 1, page: "Hello", ...spec },
});
const startAll = async (): ReturnType<ControllerWorld["start"]> =>
  world.start(websiteOperator, deploymentController({ workers: 2 }), replicaSetController({ workers: 2 }));
const readiness = async (name: string): Promise<string | undefined> =>
  (await world.get(websites, name)).status?.conditions?.map(({ status, reason }) => `${status} ${reason}`)[0];
/** What the operator has written since the last time. */
const written = (): readonly string[] =>
  world
    .takeWrites()
    .filter(({ actor }) => actor === "website-operator")
    .map(lineOf);

test("a Website gets what serves it, and says when it does", async () => {
  await world.create(websites, website("blog", { replicas: 2 }));
  await startAll();
  expect(await readiness("blog")).toBe("False PodsMissing");
  await world.runWithKubelet();
  expect(await readiness("blog")).toBe("True AllReady");
  const { metadata } = await world.get(deployments, "blog");
  expect(metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["Website blog"]);
  expect((await world.get(configMaps, "blog-pages")).data).toEqual({ "index.html": "<style></style>Hello" });
});

test("a theme that comes, changes and goes is noticed", async () => {
  await world.create(websites, website("blog", { theme: "dark" }));
  await startAll();
  expect(await readiness("blog")).toBe("False NoTheme");
  await world.create(configMaps, { metadata: { name: "dark" }, data: { "style.css": "black" } });
  await world.run();
  const page = async (): Promise<string | undefined> =>
    (await world.get(configMaps, "blog-pages")).data?.["index.html"];
  expect(await page()).toBe("<style>black</style>Hello");
  await world.update<ConfigMap>(configMaps, "dark", (map) => ({ ...map, data: { "style.css": "grey" } }));
  await world.run();
  expect(await page()).toBe("<style>grey</style>Hello");
  await world.delete(configMaps, "dark");
  await world.run();
  expect(await readiness("blog")).toBe("False NoTheme");
});

test("twenty Websites take four writes each and their statuses, and none an hour at rest", async () => {
  await startAll();
  for (let index = 0; index < 20; index++) await world.create(websites, website(`site-${index}`));
  await world.runWithKubelet();
  const lines = written();
  // Each is applied three objects and says twice how ready it is.
  expect(lines).toHaveLength(100);
  await world.run(HOUR_MS);
  expect(written()).toEqual([]);
});

test("an operator that starts on a settled cluster writes nothing", async () => {
  await world.create(websites, website("blog"));
  await startAll();
  await world.runWithKubelet();
  await world.stop();
  world.takeWrites();
  await startAll();
  await world.run(HOUR_MS);
  expect(written()).toEqual([]);
});

test("what somebody changes or deletes is put right", async () => {
  await world.create(websites, website("blog"));
  await startAll();
  await world.runWithKubelet();
  world.takeWrites();
  await world.update<Deployment>(deployments, "blog", ({ spec, ...object }) => ({
    ...object,
    ...(spec && { spec: { ...spec, replicas: 7 } }),
  }));
  await world.run();
  expect((await world.get(deployments, "blog")).spec?.replicas).toBe(1);
  await world.delete(services, "blog");
  await world.run();
  expect((await world.get(services, "blog")).spec?.selector).toEqual({ website: "blog" });
  expect(written()).toEqual(["patch deployments blog", "patch services blog"]);
});

test("what the spec has no more of goes from what was applied", async () => {
  await world.create(websites, website("blog", { replicas: 3 }));
  await startAll();
  await world.update<Website>(websites, "blog", (site) => ({ ...site, spec: { ...site.spec, replicas: 0 } }));
  await world.runWithKubelet();
  expect((await world.get(deployments, "blog")).spec?.replicas).toBe(0);
  expect(await readiness("blog")).toBe("True AllReady");
});
