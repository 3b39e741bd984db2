import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { resources } from "../api/resources.ts";
import { budgetController } from "./example.test-data.ts";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

const labels = { app: "web" };
const deployment = {
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } },
  },
};
const names = async (): Promise<readonly (string | undefined)[]> =>
  (await world.list(resources.podDisruptionBudgets)).map(({ metadata }) => metadata.name);

test("every Deployment gets its budget, and gets it back", async () => {
  await world.create(resources.deployments, deployment);
  await world.start(budgetController());
  const budget = await world.get(resources.podDisruptionBudgets, "web");
  expect(budget.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
  expect(budget.metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "Deployment web",
  ]);
  await world.delete(resources.podDisruptionBudgets, "web");
  await world.run();
  expect(await names()).toEqual(["web"]);
});

test("one budget is made, however late the cache hears of it", async () => {
  const set = await world.start(budgetController());
  const release = world.server.parts.faults.holdWatches({ resource: "poddisruptionbudgets" });
  await world.create(resources.deployments, deployment);
  await world.run();
  for (const value of ["1", "2"])
    await world.update(resources.deployments, "web", (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { value } },
    }));
  await world.run();
  release();
  await world.run();
  expect(world.takeWrites().map(({ verb, status }) => `${verb} ${status}`)).toEqual(["create 201"]);
  expect(set.health().get("budget-controller")?.pools["budgets"]?.syncs).toBeGreaterThan(1);
});

test("the README shows this very controller", () => {
  const source = readFileSync(new URL("example.test-data.ts", import.meta.url), "utf8");
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``);
});
