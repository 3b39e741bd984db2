import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { noDevices } from "../../pkg/api/quota/devices.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";
import type { ApiSurface } from "../../pkg/client/discovery-documents.ts";
import { Discovery } from "../../pkg/client/discovery.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { QuotasInWorld } from "../../test/harness/quotas-in-world.ts";
import { ownerSyncOf } from "../../test/harness/sync-of.ts";
import { resourceQuotaController } from "./controller.ts";
import { syncQuota } from "./sync.ts";

const DISCOVERY_MS = 30_000;

let world: ControllerWorld;
let quotas: QuotasInWorld;
beforeEach(async () => {
  world = await newWorld();
  quotas = new QuotasInWorld(world);
});
afterEach(async () => world.stop());

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
    await quotas.createPods("a", "b");
    await quotas.createQuota({ pods: "5", "count/configmaps": "5" });
    await world.run();
    expect(await quotas.usedOf("quota")).toEqual({ "count/configmaps": "0", pods: "2" });
  });

  test("its limits keep what was counted, and the others go on", async () => {
    hidden = true;
    await world.run(DISCOVERY_MS);
    await quotas.deletePod("a");
    await world.create(resources.configMaps, { metadata: { name: "c" } });
    await world.update<ResourceQuota>(resources.resourceQuotas, "quota", (quota) => ({
      ...quota,
      spec: { hard: { ...quota.spec?.hard, pods: "6" } },
    }));
    await world.run();
    expect(await quotas.usedOf("quota")).toEqual({ "count/configmaps": "1", pods: "2" });
  });

  test("what goes is learned when discovery tells of it again", async () => {
    hidden = true;
    await world.run(DISCOVERY_MS);
    await quotas.deletePod("a");
    hidden = false;
    await world.run(DISCOVERY_MS);
    expect(await quotas.usedOf("quota")).toEqual({ "count/configmaps": "0", pods: "1" });
  });

  test("because discovery is refused altogether, all are counted as before", async () => {
    refused = true;
    await world.run(2 * DISCOVERY_MS);
    await quotas.deletePod("a");
    await world.run();
    expect(await quotas.usedOf("quota")).toEqual({ "count/configmaps": "0", pods: "1" });
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
    writes: { updateStatusUnread: async (_: unknown, each: ResourceQuota) => void written.push(each) },
    monitors: { all: () => [{ resource: claims, informer: { hasSynced: () => true, lister } }] },
    devices: () => noDevices,
    mayUseLess: new PerOwner<true>(),
    clock: world.clock,
  };
  context.mayUseLess.set(quota, true);
  await syncQuota(ownerSyncOf(quota), context as never);
  expect(written.map(({ status }) => status?.used)).toEqual([{ [number]: "1", [perClass]: "3" }]);
});
