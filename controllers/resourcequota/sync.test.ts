import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { CustomResourceDefinition } from "../../pkg/api/types/apiextensions-v1.gen.ts";
import type { ResourceQuota, Service } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { FULL_COUNT_MS, QuotasInWorld } from "../../test/harness/quotas-in-world.ts";

const DISCOVERY_MS = 30_000;

let world: ControllerWorld;
let quotas: QuotasInWorld;
beforeEach(async () => {
  world = await newWorld();
  quotas = new QuotasInWorld(world);
});
afterEach(async () => world.stop());

test("a new quota is counted at once, and again when its limits change", async () => {
  await quotas.createPods("a", "b");
  await quotas.start();
  await quotas.createQuota({ pods: "5" });
  await world.run();
  expect(await quotas.usedOf("quota")).toEqual({ pods: "2" });
  await world.update<ResourceQuota>(resources.resourceQuotas, "quota", (quota) => ({
    ...quota,
    spec: { hard: { pods: "5", cpu: "3", "count/secrets": "1" } },
  }));
  await world.run();
  expect(await quotas.usedOf("quota")).toEqual({ "count/secrets": "0", cpu: "200m", pods: "2" });
});

test("what was there before a quota is counted though the cache tells of it after the first count", async () => {
  await quotas.start();
  const letThrough = world.server.parts.faults.holdWatches({ resource: "pods" });
  await quotas.createPods("a");
  await quotas.createQuota({ pods: "5" });
  await world.run(100);
  expect(await quotas.usedOf("quota")).toEqual({ pods: "0" });
  letThrough();
  await world.run();
  expect(await quotas.usedOf("quota")).toEqual({ pods: "1" });
});

test("what goes before the cache has seen the quota's first status is counted, too", async () => {
  const { faults } = world.server.parts;
  await quotas.createPods("a", "b");
  await quotas.start();
  let letThrough: () => void = () => undefined;
  faults.add({
    target: { verb: "update", resource: "resourcequotas" },
    action: {
      kind: "interfere",
      run: () => void (letThrough = faults.holdWatches({ resource: "resourcequotas" })),
    },
    times: 1,
  });
  await quotas.createQuota({ pods: "5" });
  await world.run();
  expect(await quotas.usedOf("quota")).toEqual({ pods: "2" });
  await quotas.deletePod("a");
  await world.run(1_000);
  letThrough();
  await world.run(60_000);
  expect(await quotas.usedOf("quota")).toEqual({ pods: "1" });
});

test("what came while something else went is counted, though the cache tells of it after that count", async () => {
  const { faults } = world.server.parts;
  await quotas.start();
  await quotas.createQuota({ pods: "5" });
  await world.run();
  await quotas.createPods("a", "b");
  await quotas.charge("2");
  let letThrough: () => void = () => undefined;
  faults.add({
    target: { verb: "update", resource: "resourcequotas" },
    action: {
      kind: "interfere",
      run: async () => {
        letThrough = faults.holdWatches({ resource: "pods" });
        await quotas.createPods("c");
        await quotas.charge("3");
      },
    },
    times: 1,
  });
  await quotas.deletePod("a");
  await world.run(1_000);
  expect(await quotas.usedOf("quota")).toEqual({ pods: "1" });
  letThrough();
  await world.run();
  expect(await quotas.usedOf("quota")).toEqual({ pods: "2" });
});

test("nothing is written before all that there is to count has been listed", async () => {
  await quotas.createPods("a");
  await quotas.createQuota({ pods: "5", "count/configmaps": "5" });
  world.server.parts.faults.add({ target: { resource: "pods" }, action: { kind: "latency", ms: 10_000 } });
  await quotas.start();
  expect(quotas.linesTaken()).toEqual([]);
  await world.run(20_000);
  expect(quotas.linesTaken()).toEqual(["update resourcequotas/status quota"]);
  expect(await quotas.usedOf("quota")).toEqual({ "count/configmaps": "0", pods: "1" });
});

test("what is settled is not written again, neither by a full count nor by another manager", async () => {
  await quotas.createPods("a");
  await quotas.createQuota({ pods: "5" });
  await quotas.start();
  expect(quotas.linesTaken()).toEqual(["update resourcequotas/status quota"]);
  await world.run(2 * FULL_COUNT_MS);
  expect(quotas.linesTaken()).toEqual([]);
  await world.stop();
  await quotas.start();
  expect(quotas.linesTaken()).toEqual([]);
});

describe("room is given back", () => {
  beforeEach(async () => {
    await quotas.createPods("a", "b");
    await quotas.createQuota({ pods: "5", cpu: "3", "services.nodeports": "5", "count/configmaps": "5" });
    await world.create<Service>(resources.services, {
      metadata: { name: "web" },
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30_080 }] },
    });
    await world.create(resources.configMaps, { metadata: { name: "c" } });
    await quotas.start();
    expect(await quotas.usedOf("quota")).toEqual({
      "count/configmaps": "1",
      cpu: "200m",
      pods: "2",
      "services.nodeports": "1",
    });
  });

  test.each<[string, () => Promise<unknown>, Record<string, string>]>([
    ["when a pod is deleted", async () => quotas.deletePod("a"), { cpu: "100m", pods: "1" }],
    ["when a pod ends", async () => world.markPod("a", "failed"), { cpu: "100m", pods: "1" }],
    [
      "when any object is deleted",
      async () => world.delete(resources.configMaps, "c"),
      { "count/configmaps": "0" },
    ],
    [
      "when a Service gets another type",
      async () =>
        world.update<Service>(resources.services, "web", (web) => ({
          ...web,
          spec: { ...web.spec, type: "ClusterIP", ports: [{ port: 80 }] },
        })),
      { "services.nodeports": "0" },
    ],
  ])("%s", async (_, act, expected) => {
    await act();
    await world.run();
    expect(await quotas.usedOf("quota")).toMatchObject(expected);
  });

  test("only to quotas that limit it", async () => {
    world.takeWrites();
    await quotas.createPods("x");
    await world.create(resources.secrets, { metadata: { name: "plain" } });
    await world.delete(resources.secrets, "plain");
    await world.run();
    expect(quotas.linesTaken()).toEqual([]);
  });
});

test("what no event tells of is found at the next full count", async () => {
  await quotas.createQuota({ pods: "5" });
  await quotas.start();
  await world.run(1_000);
  await quotas.createPods("a");
  await world.run();
  // The API server of this world has no admission that would have counted it.
  expect(await quotas.usedOf("quota")).toEqual({ pods: "0" });
  await world.run(FULL_COUNT_MS);
  expect(await quotas.usedOf("quota")).toEqual({ pods: "1" });
});

test("a write that fails is tried again", async () => {
  await quotas.start();
  const repair = world.server.parts.faults.add({
    target: { verb: "update", resource: "resourcequotas" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await quotas.createQuota({ pods: "5" });
  await world.run();
  repair();
  await world.run(10_000);
  expect(await quotas.usedOf("quota")).toEqual({ pods: "0" });
});

describe("custom resources", () => {
  const name = "widgets.example.com";
  const widgets = {
    group: "example.com",
    version: "v1",
    plural: "widgets",
    kind: "Widget",
    namespaced: true,
  };

  test("are counted when they appear, and room is given back; when they vanish, nothing else stops", async () => {
    await quotas.createQuota({ [`count/${name}`]: "5", pods: "5" });
    await quotas.start();
    expect(await quotas.usedOf("quota")).toEqual({ pods: "0" });
    await world.create<CustomResourceDefinition>(resources.customResourceDefinitions, definition);
    await world.run();
    for (const each of ["a", "b"]) await world.create(widgets, { metadata: { name: each } });
    await world.run(FULL_COUNT_MS);
    expect(await quotas.usedOf("quota")).toEqual({ [`count/${name}`]: "2", pods: "0" });
    await world.delete(widgets, "a");
    await world.run();
    expect(await quotas.usedOf("quota")).toEqual({ [`count/${name}`]: "1", pods: "0" });
    await world.delete(resources.customResourceDefinitions, name);
    await quotas.createPods("p");
    await world.run(FULL_COUNT_MS + DISCOVERY_MS);
    expect((await quotas.usedOf("quota"))["pods"]).toBe("1");
  });

  test("that cannot be listed do not hold the others up", async () => {
    await world.create<CustomResourceDefinition>(resources.customResourceDefinitions, definition);
    world.server.parts.faults.add({
      target: { resource: "widgets" },
      action: { kind: "status", when: "before", error: internal("no conversion") },
    });
    await quotas.createQuota({ [`count/${name}`]: "5", pods: "5" });
    await quotas.start();
    await world.run(2 * DISCOVERY_MS);
    expect(await quotas.usedOf("quota")).toEqual({ pods: "0" });
  });

  const definition: CustomResourceDefinition = {
    metadata: { name },
    spec: {
      group: "example.com",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
});
