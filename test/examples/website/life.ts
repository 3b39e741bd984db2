import { expect } from "vitest";
import type { TestCluster } from "../../../cmd/testing/index.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { Website } from "./website.ts";

const { configMaps, deployments, services } = resources;

export const website = (name: string, spec: Partial<Website["spec"]> = {}): Website => ({
  metadata: { name },
  spec: { replicas: 1, page: "Hello", ...spec },
});
export const lines = (cluster: TestCluster): readonly string[] =>
  cluster.takeWrites().map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
export const readiness = async (cluster: TestCluster, name: string): Promise<string | undefined> => {
  const { status } = await cluster.get(Website, name);
  return status?.conditions?.map(({ status, reason }) => `${status} ${reason}`)[0];
};
const page = async (cluster: TestCluster): Promise<string | undefined> =>
  (await cluster.find(configMaps, "blog-pages"))?.data?.["index.html"];

/** The same on every server: what happens to a Website. */
export async function aWebsiteLives(cluster: TestCluster): Promise<void> {
  await cluster.create(Website, website("blog", { replicas: 0, theme: "dark" }));
  await cluster.until(
    "the theme is missed",
    async () => (await readiness(cluster, "blog")) === "False NoTheme",
  );
  await cluster.create(configMaps, { metadata: { name: "dark" }, data: { "style.css": "black" } });
  await cluster.until("the page is there", async () => (await page(cluster)) === "<style>black</style>Hello");
  await cluster.settle();
  expect(await readiness(cluster, "blog")).toBe("True AllReady");
  cluster.takeWrites();
  await cluster.update(configMaps, "dark", (map) => ({ ...map, data: { "style.css": "grey" } }));
  await cluster.until(
    "the page has the new theme",
    async () => (await page(cluster))?.includes("grey") === true,
  );
  await cluster.update(deployments, "blog", ({ spec, ...rest }) => ({
    ...rest,
    ...(spec && { spec: { ...spec, replicas: 7 } }),
  }));
  await cluster.until(
    "it is scaled back",
    async () => (await cluster.get(deployments, "blog")).spec?.replicas === 0,
  );
  await cluster.delete(services, "blog");
  await cluster.until(
    "its Service is back",
    async () => (await cluster.find(services, "blog")) !== undefined,
  );
  await cluster.settle();
  // How ready it is depends on how long it has seven pods.
  expect(lines(cluster).filter((line) => !line.includes("/status"))).toEqual([
    "patch configmaps blog-pages",
    "patch deployments blog",
    "patch services blog",
  ]);
}
