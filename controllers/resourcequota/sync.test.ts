import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { noDevices } from "../../pkg/api/quota/devices.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { CustomResourceDefinition } from "../../pkg/api/types/apiextensions-v1.gen.ts";
import type { DeviceClass, ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import type { Pod, ResourceQuota, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { ApiSurface } from "../../pkg/client/discovery-documents.ts";
import { Discovery } from "../../pkg/client/discovery.ts";
import { internal } from "../../pkg/embedded/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { resourceQuotaController } from "./controller.ts";
import { syncQuota } from "./sync.ts";

const FULL_COUNT_MS = 300_000;
const DISCOVERY_MS = 30_000;

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

test("a new quota is counted at once, and again when its limits change", async () => {
  await createPods("a", "b");
  await start();
  await createQuota({ pods: "5" });
  await world.run();
  expect(await usedOf("quota")).toEqual({ pods: "2" });
  await world.update<ResourceQuota>(resources.resourceQuotas, "quota", (quota) => ({
    ...quota,
    spec: { hard: { pods: "5", cpu: "3", "count/secrets": "1" } },
  }));
  await world.run();
  expect(await usedOf("quota")).toEqual({ "count/secrets": "0", cpu: "200m", pods: "2" });
});

test("what was there before a quota is counted though the cache tells of it after the first count", async () => {
  await start();
  const letThrough = world.server.parts.faults.holdWatches({ resource: "pods" });
  await createPods("a");
  await createQuota({ pods: "5" });
  await world.run(100);
  expect(await usedOf("quota")).toEqual({ pods: "0" });
  letThrough();
  await world.run();
  expect(await usedOf("quota")).toEqual({ pods: "1" });
});

test("what goes before the cache has seen the quota's first status is counted, too", async () => {
  const { faults } = world.server.parts;
  await createPods("a", "b");
  await start();
  let letThrough: () => void = () => undefined;
  faults.add({
    target: { verb: "update", resource: "resourcequotas" },
    action: {
      kind: "interfere",
      run: () => void (letThrough = faults.holdWatches({ resource: "resourcequotas" })),
    },
    times: 1,
  });
  await createQuota({ pods: "5" });
  await world.run();
  expect(await usedOf("quota")).toEqual({ pods: "2" });
  await deletePod("a");
  await world.run(1_000);
  letThrough();
  await world.run(60_000);
  expect(await usedOf("quota")).toEqual({ pods: "1" });
});

test("what came while something else went is counted, though the cache tells of it after that count", async () => {
  const { faults } = world.server.parts;
  await start();
  await createQuota({ pods: "5" });
  await world.run();
  await createPods("a", "b");
  await charge("2");
  let letThrough: () => void = () => undefined;
  faults.add({
    target: { verb: "update", resource: "resourcequotas" },
    action: {
      kind: "interfere",
      run: async () => {
        letThrough = faults.holdWatches({ resource: "pods" });
        await createPods("c");
        await charge("3");
      },
    },
    times: 1,
  });
  await deletePod("a");
  await world.run(1_000);
  expect(await usedOf("quota")).toEqual({ pods: "1" });
  letThrough();
  await world.run();
  expect(await usedOf("quota")).toEqual({ pods: "2" });
});

test("nothing is written before all that there is to count has been listed", async () => {
  await createPods("a");
  await createQuota({ pods: "5", "count/configmaps": "5" });
  world.server.parts.faults.add({ target: { resource: "pods" }, action: { kind: "latency", ms: 10_000 } });
  await start();
  expect(linesTaken()).toEqual([]);
  await world.run(20_000);
  expect(linesTaken()).toEqual(["update resourcequotas/status quota"]);
  expect(await usedOf("quota")).toEqual({ "count/configmaps": "0", pods: "1" });
});

describe("devices", () => {
  const gpus = "requests.example.com/gpu";
  const implicit = "requests.deviceclass.resource.kubernetes.io/gpu";

  test("are those of claims and of pods, and room is given back", async () => {
    await createClass();
    await createClaim("a", 2);
    await createClaim("b", 3);
    await createQuota({ [gpus]: "9", [implicit]: "9" });
    await start();
    expect(await usedOf("quota")).toEqual({ [implicit]: "5", [gpus]: "5" });
    await world.delete(resources.resourceClaims, "a");
    await world.run();
    expect(await usedOf("quota")).toEqual({ [implicit]: "3", [gpus]: "3" });
  });

  test("are counted anew with every class that comes, goes or gets a name", async () => {
    await createClaim("a", 2);
    await createQuota({ [gpus]: "9", [implicit]: "9" });
    await start();
    expect(await usedOf("quota")).toEqual({ [implicit]: "0", [gpus]: "0" });
    await createClass({});
    await world.run();
    expect(await usedOf("quota")).toEqual({ [implicit]: "2", [gpus]: "0" });
    await world.update<DeviceClass>(resources.deviceClasses, "gpu", (found) => ({ ...found, spec: named }));
    await world.run();
    expect(await usedOf("quota")).toEqual({ [implicit]: "2", [gpus]: "2" });
    await world.delete(resources.deviceClasses, "gpu");
    await world.run();
    expect(await usedOf("quota")).toEqual({ [implicit]: "0", [gpus]: "0" });
  });

  test("stay as the API server counted them while classes cannot be listed", async () => {
    await createClass();
    await createClaim("a", 2);
    await createQuota({ [gpus]: "9", pods: "5" });
    await start();
    await world.stop();
    const repair = world.server.parts.faults.add({
      target: { resource: "deviceclasses" },
      action: { kind: "status", when: "before", error: internal("no") },
    });
    await start();
    await createPods("p");
    await world.run(DISCOVERY_MS);
    expect((await usedOf("quota"))[gpus]).toBe("2");
    await world.delete(resources.resourceClaims, "a");
    repair();
    await world.run(DISCOVERY_MS);
    expect((await usedOf("quota"))[gpus]).toBe("0");
  });

  test("of a pod that a claim was made for count once", async () => {
    await createClass();
    const pod = await world.create<Pod>(resources.pods, {
      metadata: { name: "p" },
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            resources: { requests: { "example.com/gpu": "2" }, limits: { "example.com/gpu": "2" } },
          },
        ],
      },
    });
    const { name = "", uid = "" } = pod.metadata;
    await createClaim("a", 3, {
      annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
    });
    await createQuota({ [gpus]: "9" });
    await start();
    expect(await usedOf("quota")).toEqual({ [gpus]: "3" });
    await world.client
      .clientFor<Pod>(resources.pods)
      .patch(
        { namespace: "default", name },
        { type: "merge", body: statusOf("other") },
        { subresource: "status" },
      );
    await world.run(FULL_COUNT_MS);
    expect(await usedOf("quota")).toEqual({ [gpus]: "5" });
  });

  const named = { extendedResourceName: "example.com/gpu" };

  const statusOf = (resourceClaimName: string): object => ({
    status: { extendedResourceClaimStatus: { resourceClaimName, requestMappings: [] } },
  });

  async function createClass(spec: DeviceClass["spec"] = named): Promise<void> {
    await world.create<DeviceClass>(resources.deviceClasses, { metadata: { name: "gpu" }, spec });
  }

  async function createClaim(name: string, count: number, metadata: object = {}): Promise<void> {
    const exactly = { deviceClassName: "gpu", allocationMode: "ExactCount", count };
    await world.create<ResourceClaim>(resources.resourceClaims, {
      metadata: { ...metadata, name },
      spec: { devices: { requests: [{ name: "r", exactly }] } },
    });
  }

});

test("what is settled is not written again, neither by a full count nor by another manager", async () => {
  await createPods("a");
  await createQuota({ pods: "5" });
  await start();
  expect(linesTaken()).toEqual(["update resourcequotas/status quota"]);
  await world.run(2 * FULL_COUNT_MS);
  expect(linesTaken()).toEqual([]);
  await world.stop();
  await start();
  expect(linesTaken()).toEqual([]);
});

describe("room is given back", () => {
  beforeEach(async () => {
    await createPods("a", "b");
    await createQuota({ pods: "5", cpu: "3", "services.nodeports": "5", "count/configmaps": "5" });
    await world.create<Service>(resources.services, {
      metadata: { name: "web" },
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30_080 }] },
    });
    await world.create(resources.configMaps, { metadata: { name: "c" } });
    await start();
    expect(await usedOf("quota")).toEqual({
      "count/configmaps": "1",
      cpu: "200m",
      pods: "2",
      "services.nodeports": "1",
    });
  });

  test.each<[string, () => Promise<unknown>, Record<string, string>]>([
    ["when a pod is deleted", async () => deletePod("a"), { cpu: "100m", pods: "1" }],
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
    expect(await usedOf("quota")).toMatchObject(expected);
  });

  test("only to quotas that limit it", async () => {
    world.takeWrites();
    await createPods("x");
    await world.create(resources.secrets, { metadata: { name: "plain" } });
    await world.delete(resources.secrets, "plain");
    await world.run();
    expect(linesTaken()).toEqual([]);
  });
});

test("what no event tells of is found at the next full count", async () => {
  await createQuota({ pods: "5" });
  await start();
  await world.run(1_000);
  await createPods("a");
  await world.run();
  // The API server of this world has no admission that would have counted it.
  expect(await usedOf("quota")).toEqual({ pods: "0" });
  await world.run(FULL_COUNT_MS);
  expect(await usedOf("quota")).toEqual({ pods: "1" });
});

test("a write that fails is tried again", async () => {
  await start();
  const repair = world.server.parts.faults.add({
    target: { verb: "update", resource: "resourcequotas" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await createQuota({ pods: "5" });
  await world.run();
  repair();
  await world.run(10_000);
  expect(await usedOf("quota")).toEqual({ pods: "0" });
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
    await createQuota({ [`count/${name}`]: "5", pods: "5" });
    await start();
    expect(await usedOf("quota")).toEqual({ pods: "0" });
    await world.create<CustomResourceDefinition>(resources.customResourceDefinitions, definition);
    await world.run();
    for (const each of ["a", "b"]) await world.create(widgets, { metadata: { name: each } });
    await world.run(FULL_COUNT_MS);
    expect(await usedOf("quota")).toEqual({ [`count/${name}`]: "2", pods: "0" });
    await world.delete(widgets, "a");
    await world.run();
    expect(await usedOf("quota")).toEqual({ [`count/${name}`]: "1", pods: "0" });
    await world.delete(resources.customResourceDefinitions, name);
    await createPods("p");
    await world.run(FULL_COUNT_MS + DISCOVERY_MS);
    expect((await usedOf("quota"))["pods"]).toBe("1");
  });

  test("that cannot be listed do not hold the others up", async () => {
    await world.create<CustomResourceDefinition>(resources.customResourceDefinitions, definition);
    world.server.parts.faults.add({
      target: { resource: "widgets" },
      action: { kind: "status", when: "before", error: internal("no conversion") },
    });
    await createQuota({ [`count/${name}`]: "5", pods: "5" });
    await start();
    await world.run(2 * DISCOVERY_MS);
    expect(await usedOf("quota")).toEqual({ pods: "0" });
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

describe("while discovery does not tell of a resource", () => {
  let hidden: boolean;
  let refused: boolean;
  beforeEach(async () => {
    [hidden, refused] = [false, false];
    class LackingDiscovery extends Discovery {
      override async surface(signal?: AbortSignal): Promise<ApiSurface> {
        if (refused) throw internal("no discovery");
        const surface = await super.surface(signal);
        return hidden
          ? { ...surface, resources: surface.resources.filter(({ plural }) => plural !== "pods") }
          : surface;
      }
    }
    const controller = resourceQuotaController({ workers: 2, syncPeriodMs: 0 });
    await world.start({
      ...controller,
      build: (env) =>
        controller.build({
          ...env,
          client: { ...env.client, discovery: new LackingDiscovery(env.client.rest) },
        }),
    });
    await createPods("a", "b");
    await createQuota({ pods: "5", "count/configmaps": "5" });
    await world.run();
    expect(await usedOf("quota")).toEqual({ "count/configmaps": "0", pods: "2" });
  });

  test("its limits keep what was counted, and the others go on", async () => {
    hidden = true;
    await world.run(DISCOVERY_MS);
    await deletePod("a");
    await world.create(resources.configMaps, { metadata: { name: "c" } });
    await world.update<ResourceQuota>(resources.resourceQuotas, "quota", (quota) => ({
      ...quota,
      spec: { hard: { ...quota.spec?.hard, pods: "6" } },
    }));
    await world.run();
    expect(await usedOf("quota")).toEqual({ "count/configmaps": "1", pods: "2" });
  });

  test("what goes is learned when discovery tells of it again", async () => {
    hidden = true;
    await world.run(DISCOVERY_MS);
    await deletePod("a");
    hidden = false;
    await world.run(DISCOVERY_MS);
    expect(await usedOf("quota")).toEqual({ "count/configmaps": "0", pods: "1" });
  });

  test("because discovery is refused altogether, all are counted as before", async () => {
    refused = true;
    await world.run(2 * DISCOVERY_MS);
    await deletePod("a");
    await world.run();
    expect(await usedOf("quota")).toEqual({ "count/configmaps": "0", pods: "1" });
  });
});

test("of claims in a version that is not understood the number is counted, and devices stay as they were", async () => {
  const claims = { ...resources.resourceClaims, version: "v1beta9" };
  const number = "count/resourceclaims.resource.k8s.io";
  const perClass = "gpu.deviceclass.resource.k8s.io/devices";
  const quota: ResourceQuota = {
    metadata: { name: "quota", namespace: "default" },
    spec: { hard: { [number]: "5", [perClass]: "5" } },
    status: { used: { [number]: "0", [perClass]: "3" } },
  };
  const written: ResourceQuota[] = [];
  const lister = { inNamespace: () => [{ metadata: { name: "a" } }] };
  const context = {
    quotas: { getByKey: () => quota },
    client: { updateStatus: async (each: ResourceQuota) => void written.push(each) },
    monitors: { all: () => [{ resource: claims, informer: { hasSynced: () => true, lister } }] },
    devices: () => noDevices,
    mayUseLess: new Set(["default/quota"]),
    clock: world.clock,
  };
  await syncQuota("default/quota", context as never, new AbortController().signal);
  expect(written.map(({ status }) => status?.used)).toEqual([{ [number]: "1", [perClass]: "3" }]);
});

async function start(): Promise<void> {
  await world.start(resourceQuotaController({ workers: 2, syncPeriodMs: FULL_COUNT_MS }));
  await world.run();
}

async function createQuota(hard: Readonly<Record<string, string>>): Promise<void> {
  await world.create<ResourceQuota>(resources.resourceQuotas, {
    metadata: { name: "quota" },
    spec: { hard },
  });
}

async function createPods(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await world.create<Pod>(resources.pods, {
      metadata: { name },
      spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] },
    });
  }
}

/** As admission does, which this world has not. */
async function charge(pods: string): Promise<void> {
  const quota = await world.get<ResourceQuota>(resources.resourceQuotas, "quota");
  await world.client
    .clientFor<ResourceQuota>(resources.resourceQuotas)
    .updateStatus({ ...quota, status: { ...quota.status, used: { pods } } });
}

async function deletePod(name: string): Promise<void> {
  await world.client
    .clientFor(resources.pods)
    .delete({ namespace: "default", name }, { gracePeriodSeconds: 0 });
}

async function usedOf(name: string): Promise<Readonly<Record<string, string>>> {
  return (await world.get<ResourceQuota>(resources.resourceQuotas, name)).status?.used ?? {};
}

function linesTaken(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
