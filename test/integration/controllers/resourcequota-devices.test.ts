import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resourceQuotaController } from "../../../controllers/resourcequota/controller.ts";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { DeviceClass, ResourceClaim } from "../../../pkg/api/types/resource-v1.gen.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { accountIn, pod, quotaOf, usedOf } from "./quota-cases.ts";
import { servedSince } from "../../harness/where.ts";

const controllers = (): readonly ControllerDescriptor[] => [
  resourceQuotaController({ workers: 2, syncPeriodMs: 0 }),
  serviceAccountController(),
];

// upstream: pkg/quota/v1/evaluator/core/resource_claims.go; what admission refuses, and what a controller counts
describe.each(servedSince(accountClusterKinds, 36))(
  "claims beyond a quota of devices on the $name API server",
  ({ start }) => {
    let cluster: AccountCluster;
    let space: TestSpace;
    beforeAll(async () => {
      cluster = await start(controllers);
    });
    beforeEach(async () => {
      space = await cluster.space();
      await accountIn(space);
    });
    afterAll(async () => cluster.stop());

    interface Names {
      readonly className: string;
      readonly byClass: string;
      readonly implicit: string;
      readonly named: string;
    }

    async function classOf(extended = true): Promise<Names> {
      const className = `${space.namespace}-gpu`;
      const spec = extended ? { extendedResourceName: `example.com/${className}` } : {};
      await cluster.client
        .clientFor<DeviceClass>(resources.deviceClasses)
        .create({ metadata: { name: className }, spec });
      return {
        className,
        byClass: `${className}.deviceclass.resource.k8s.io/devices`,
        implicit: `requests.deviceclass.resource.kubernetes.io/${className}`,
        named: `requests.example.com/${className}`,
      };
    }

    const claim = async (name: string, request: object) =>
      space.create<ResourceClaim>(resources.resourceClaims, {
        metadata: { name },
        spec: { devices: { requests: [{ name: "r", ...request }] } },
      });

    /** "requested: …, used: …, limited: …", with short names. */
    async function refusal(work: Promise<unknown>, { className }: Names): Promise<string> {
      const error = await work.then(
        () => "taken",
        (refused: unknown) => String(refused),
      );
      return error.replace(/^.*exceeded quota: quota, /, "").replaceAll(className, "gpu");
    }

    test("are refused by each of its names", async () => {
      const names = await classOf();
      const { className: deviceClassName, byClass, implicit, named } = names;
      await quotaOf(space, {
        [byClass]: "4",
        [implicit]: "4",
        [named]: "4",
        "count/resourceclaims.resource.k8s.io": "9",
      });
      await claim("a", { exactly: { deviceClassName, count: 3 } });
      await usedOf(space, {
        [byClass]: "3",
        [implicit]: "3",
        [named]: "3",
        "count/resourceclaims.resource.k8s.io": "1",
      });
      const all = (count: string): string =>
        `requests.deviceclass.resource.kubernetes.io/gpu=${count},requests.example.com/gpu=${count},gpu.deviceclass.resource.k8s.io/devices=${count}`;
      expect(await refusal(claim("b", { exactly: { deviceClassName, count: 2 } }), names)).toBe(
        `requested: ${all("2")}, used: ${all("3")}, limited: ${all("4")}`,
      );
      expect(await refusal(claim("b", { exactly: { deviceClassName, allocationMode: "All" } }), names)).toBe(
        `requested: ${all("32")}, used: ${all("3")}, limited: ${all("4")}`,
      );
      const asks = (name: string, count: number) => ({ name, deviceClassName, count });
      expect(await refusal(claim("b", { firstAvailable: [asks("x", 1), asks("y", 2)] }), names)).toBe(
        `requested: ${all("2")}, used: ${all("3")}, limited: ${all("4")}`,
      );
      await claim("b", { firstAvailable: [asks("x", 1), asks("y", 1)] });
      await usedOf(space, {
        [byClass]: "4",
        [implicit]: "4",
        [named]: "4",
        "count/resourceclaims.resource.k8s.io": "2",
      });
    });

    test("leave no room for pods that ask for the same as extended resources", async () => {
      const names = await classOf();
      await quotaOf(space, { [names.implicit]: "4", [names.named]: "4" });
      await claim("a", { exactly: { deviceClassName: names.className, count: 3 } });
      await usedOf(space, { [names.implicit]: "3", [names.named]: "3" });
      const asking = async (resource: string, amount: string) =>
        space.create<Pod>(resources.pods, pod(`p-${amount}`, { [resource]: amount }));
      expect(await refusal(asking(`example.com/${names.className}`, "2"), names)).toBe(
        "requested: requests.example.com/gpu=2, used: requests.example.com/gpu=3, limited: requests.example.com/gpu=4",
      );
      await asking(`example.com/${names.className}`, "1");
      await usedOf(space, { [names.implicit]: "3", [names.named]: "4" });
    });

    test("count under the implicit name of a class that has no other", async () => {
      const names = await classOf(false);
      await quotaOf(space, { [names.implicit]: "4", [names.named]: "4", [names.byClass]: "4" });
      await claim("a", { exactly: { deviceClassName: names.className, count: 3 } });
      await usedOf(space, { [names.implicit]: "3", [names.named]: "0", [names.byClass]: "3" });
    });

    test("of a class that is not there count under both of its names, where one of these is about claims", async () => {
      const byClass = "nowhere.deviceclass.resource.k8s.io/devices";
      const implicit = "requests.deviceclass.resource.kubernetes.io/nowhere";
      await quotaOf(space, { [byClass]: "9", [implicit]: "4" });
      await quotaOf(space, { [implicit]: "4" }, "other");
      await claim("a", { exactly: { deviceClassName: "nowhere", count: 3 } });
      await usedOf(space, { [byClass]: "3", [implicit]: "3" });
      await usedOf(space, { [implicit]: "0" }, "other");
      await expect(claim("b", { exactly: { deviceClassName: "nowhere", count: 2 } })).rejects.toThrow(
        "exceeded quota",
      );
      await cluster.client
        .clientFor(resources.resourceClaims)
        .delete({ namespace: space.namespace, name: "a" });
      await usedOf(space, { [byClass]: "0", [implicit]: "0" });
      await quotaOf(space, { [byClass]: "9", [implicit]: "9" }, "late");
      await claim("c", { exactly: { deviceClassName: "nowhere", count: 1 } });
      await usedOf(space, { [byClass]: "1", [implicit]: "1" }, "late");
    });
  },
);
