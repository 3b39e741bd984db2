// The operator on the packages of this repository: what the README of pkg/controller shows, with one child.
import { resources } from "../../../pkg/api/resources.ts";
import { controller } from "../../../pkg/controller/index.ts";
import { manager } from "../../../pkg/manager/index.ts";
import { Page } from "./page.ts";

const operator = controller("page-operator", Page)
  .options({ workers: 10 })
  .owns(resources.configMaps)
  .reconcile(async ({ metadata: { name }, spec: { text } }, ctx) => {
    await ctx.apply(resources.configMaps, { metadata: { name }, data: { "index.html": text } });
  });

await manager({ name: "page-operator", run: [operator], qps: 1_000_000, burst: 1_000_000 }).run();
