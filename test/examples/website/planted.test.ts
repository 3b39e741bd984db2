import { expect, test } from "vitest";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import { explore, ExploreError, type Story, type UnderTest } from "../../../cmd/testing/index.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { changed, condition, controller } from "../../../pkg/controller/index.ts";
import { websiteOperator } from "./operator.ts";
import { Website } from "./website.ts";

const { configMaps, deployments, secrets } = resources;
const SEEDS = 20;
/** Some mistakes need a trouble that is rare. */
const SEEDS_TO_FIND = 150;
/** What belongs to a Website goes with it; no pods are asked for. */
const options = { definitions: [Website], builtIn: [garbageCollectorController({ workers: 2 })] };

/** Websites come, change and go while things go wrong; in the end each has what it asks for, and nothing else is there. */
const storyOf =
  (operator: UnderTest): Story =>
  async (cluster) => {
    await cluster.start(operator);
    const themes = ["black", "grey", "white"];
    await cluster.create(configMaps, { metadata: { name: "theme" }, data: { "style.css": "none" } });
    for (const name of ["a", "b", "c"]) {
      await cluster.create(Website, {
        metadata: { name },
        spec: { replicas: 0, page: name, theme: "theme" },
      });
      await cluster.pass(1_000);
    }
    for (const css of themes) {
      await cluster.update(configMaps, "theme", (map) => ({ ...map, data: { "style.css": css } }));
      await cluster.pass(10_000);
    }
    await cluster.delete(Website, "b");
    await cluster.create(Website, {
      metadata: { name: "b" },
      spec: { replicas: 0, page: "B", theme: "theme" },
    });
    await cluster.pass(20_000);
    await cluster.calm();
    const pages = (await cluster.list(configMaps))
      .filter(({ metadata }) => metadata.name.endsWith("-pages"))
      .map(({ metadata, data }) => `${metadata.name} ${data?.["index.html"]}`);
    const css = "<style>white</style>";
    expect(pages.toSorted((a, b) => a.localeCompare(b))).toEqual([
      `a-pages ${css}a`,
      `b-pages ${css}B`,
      `c-pages ${css}c`,
    ]);
    for (const { metadata, status } of await cluster.list(Website))
      expect([metadata.name, status?.conditions?.[0]?.status]).toEqual([metadata.name, "True"]);
    const keys = (await cluster.list(secrets)).map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
    expect(keys).toHaveLength(new Set(keys).size);
  };

test("the operator brings every Website to what it asks for, whatever goes wrong", async () => {
  await explore(SEEDS, storyOf(websiteOperator), options);
});

/** The operator without what each mistake leaves out. */
const base = controller("website-operator", Website).owns(deployments).owns(configMaps).owns(secrets);
const style = (css: string, page: string): string => `<style>${css}</style>${page}`;
const pagesOf = (name: string, css: string, page: string) => ({
  metadata: { name: `${name}-pages` },
  data: { "index.html": style(css, page) },
});

const planted: Readonly<Record<string, UnderTest>> = {
  "reads past the caches, so that nothing wakes it": base.reconcile(
    async ({ metadata: { name, namespace }, spec: { page, theme = "" } }, ctx) => {
      const found = await ctx.client.clientFor(configMaps).get({ namespace, name: theme }, {}, ctx.signal);
      await ctx.apply(configMaps, pagesOf(name, found.data?.["style.css"] ?? "", page));
      await ctx.status({}, condition("Ready", true, "AllReady"));
    },
  ),
  "writes past the kit, and decides on a cache that has not seen it": base.reconcile(
    async ({ metadata: { name, uid, namespace }, spec: { page, theme = "" } }, ctx) => {
      const found = await ctx.read(configMaps, theme);
      const keys = await ctx.list(secrets, { owned: true });
      if (keys.length === 0) {
        const owner = { apiVersion: "example.com/v1", kind: "Website", name, uid, controller: true };
        const metadata = { generateName: `${name}-`, namespace, ownerReferences: [owner] };
        await ctx.client.clientFor(secrets).create({ metadata }, {}, ctx.signal);
      }
      await ctx.apply(configMaps, pagesOf(name, found?.data?.["style.css"] ?? "", page));
      await ctx.status({}, condition("Ready", true, "AllReady"));
    },
  ),
  "takes an error for success": base.reconcile(
    async ({ metadata: { name }, spec: { page, theme = "" } }, ctx) => {
      const found = await ctx.read(configMaps, theme);
      try {
        await ctx.apply(configMaps, pagesOf(name, found?.data?.["style.css"] ?? "", page));
        await ctx.status({}, condition("Ready", true, "AllReady"));
      } catch (error) {
        ctx.log.error(error, "It will be better next time");
      }
    },
  ),
  "believes what it remembers of a name": () => {
    const done = new Map<string, string>();
    return base.reconcile(async ({ metadata: { name }, spec: { page, theme = "" } }, ctx) => {
      const found = await ctx.read(configMaps, theme);
      const css = found?.data?.["style.css"] ?? "";
      if (done.get(name) !== css) await ctx.apply(configMaps, pagesOf(name, css, page));
      done.set(name, css);
      await ctx.status({}, condition("Ready", true, "AllReady"));
    });
  },
  "looks only at its own spec": base
    .options({ where: changed.spec })
    .reconcile(async ({ metadata: { name }, spec: { page, theme = "" }, status }, ctx) => {
      if (status?.conditions?.[0]?.status === "True") return;
      const found = await ctx.read(configMaps, theme);
      await ctx.apply(configMaps, pagesOf(name, found?.data?.["style.css"] ?? "", page));
      await ctx.status({}, condition("Ready", true, "AllReady"));
    }),
  "says that it is ready before it is": base.reconcile(
    async ({ metadata: { name, generation }, spec: { page, theme = "" }, status }, ctx) => {
      const found = await ctx.read(configMaps, theme);
      const css = found?.data?.["style.css"] ?? "";
      const condition_ = condition("Ready", true, "AllReady", css);
      if (status?.conditions?.[0]?.message === css && status.observedGeneration === generation) return;
      await ctx.status({}, condition_);
      await ctx.apply(configMaps, pagesOf(name, css, page));
    },
  ),
};

test.each(Object.keys(planted))("explore finds an operator that %s", async (mistake) => {
  const operator = planted[mistake];
  if (operator === undefined) throw new Error("there is no such operator");
  const found = explore(SEEDS_TO_FIND, storyOf(operator), options);
  await expect(found).rejects.toThrow(ExploreError);
});
