import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { DeviceClass, ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
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

describe("devices", () => {
  const gpus = "requests.example.com/gpu";
  const implicit = "requests.deviceclass.resource.kubernetes.io/gpu";

  test("are those of claims and of pods, and room is given back", async () => {
    await createClass();
    await createClaim("a", 2);
    await createClaim("b", 3);
    await quotas.createQuota({ [gpus]: "9", [implicit]: "9" });
    await quotas.start();
    expect(await quotas.usedOf("quota")).toEqual({ [implicit]: "5", [gpus]: "5" });
    await world.delete(resources.resourceClaims, "a");
    await world.run();
    expect(await quotas.usedOf("quota")).toEqual({ [implicit]: "3", [gpus]: "3" });
  });

  test("are counted anew with every class that comes, goes or gets a name", async () => {
    await createClaim("a", 2);
    await quotas.createQuota({ [gpus]: "9", [implicit]: "9" });
    await quotas.start();
    expect(await quotas.usedOf("quota")).toEqual({ [implicit]: "0", [gpus]: "0" });
    await createClass({});
    await world.run();
    expect(await quotas.usedOf("quota")).toEqual({ [implicit]: "2", [gpus]: "0" });
    await world.update<DeviceClass>(resources.deviceClasses, "gpu", (found) => ({ ...found, spec: named }));
    await world.run();
    expect(await quotas.usedOf("quota")).toEqual({ [implicit]: "2", [gpus]: "2" });
    await world.delete(resources.deviceClasses, "gpu");
    await world.run();
    expect(await quotas.usedOf("quota")).toEqual({ [implicit]: "0", [gpus]: "0" });
  });

  test("stay as the API server counted them while classes cannot be listed", async () => {
    await createClass();
    await createClaim("a", 2);
    await quotas.createQuota({ [gpus]: "9", pods: "5" });
    await quotas.start();
    await world.stop();
    const repair = world.server.parts.faults.add({
      target: { resource: "deviceclasses" },
      action: { kind: "status", when: "before", error: internal("no") },
    });
    await quotas.start();
    await quotas.createPods("p");
    await world.run(DISCOVERY_MS);
    expect((await quotas.usedOf("quota"))[gpus]).toBe("2");
    await world.delete(resources.resourceClaims, "a");
    repair();
    await world.run(DISCOVERY_MS);
    expect((await quotas.usedOf("quota"))[gpus]).toBe("0");
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
    await quotas.createQuota({ [gpus]: "9" });
    await quotas.start();
    expect(await quotas.usedOf("quota")).toEqual({ [gpus]: "3" });
    await world.client
      .clientFor<Pod>(resources.pods)
      .patch(
        { namespace: "default", name },
        { type: "merge", body: statusOf("other") },
        { subresource: "status" },
      );
    await world.run(FULL_COUNT_MS);
    expect(await quotas.usedOf("quota")).toEqual({ [gpus]: "5" });
  });

  const named = { extendedResourceName: "example.com/gpu" };

  const statusOf = (resourceClaimName: string): object => ({
    status: {
      extendedResourceClaimStatus: {
        resourceClaimName,
        requestMappings: [{ containerName: "c", resourceName: "example.com/gpu", requestName: "r" }],
      },
    },
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
