import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { poolStatusController } from "../../../controllers/resourcepoolstatus/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ResourceClaim, ResourceSlice } from "../../../pkg/api/types/resource-v1.gen.ts";
import type { V1alpha3ResourcePoolStatusRequest } from "../../../pkg/api/types/resource-v1alpha3.gen.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { until } from "../../harness/until.ts";
import { servedSince } from "../../harness/where.ts";

const FEATURES = { DRAResourcePoolStatus: true };
const FLAGS = [
  "--runtime-config=resource.k8s.io/v1alpha3=true",
  "--feature-gates=DRAResourcePoolStatus=true",
];

// upstream: test/integration/dra/resourcepoolstatusrequest_test.go#TestResourcePoolStatusRequest, its five parts
describe.each(servedSince(clusterKinds, 36))(
  "the status of pools of devices on the $name API server",
  ({ start }) => {
    let cluster: ControllerCluster;
    let space: TestSpace;
    let driver: string;
    const requests = () =>
      cluster.client.clientFor<V1alpha3ResourcePoolStatusRequest>(resources.resourcePoolStatusRequests);
    beforeAll(async () => {
      cluster = await start(FLAGS);
      cluster.run([poolStatusController()], { features: FEATURES });
    });
    beforeEach(async () => {
      space = await cluster.space();
      driver = `${space.namespace}.example.com`;
    });
    afterAll(async () => cluster?.stop());

    async function slice(
      pool: string,
      devices: number,
      slices = 1,
      nodeName = "worker",
    ): Promise<ResourceSlice> {
      return cluster.client.clientFor<ResourceSlice>(resources.resourceSlices).create({
        metadata: { generateName: `${space.namespace}-` },
        spec: {
          driver,
          nodeName,
          pool: { name: pool, generation: 1, resourceSliceCount: slices },
          devices: Array.from({ length: devices }, (_, index) => ({ name: `d-${index}` })),
        },
      });
    }

    async function allocate(name: string, pool: string, device: string): Promise<void> {
      const claim = await space.create<ResourceClaim>(resources.resourceClaims, {
        metadata: { name },
        spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "class" } }] } },
      });
      await cluster.client.clientFor<ResourceClaim>(resources.resourceClaims).updateStatus({
        ...claim,
        status: { allocation: { devices: { results: [{ request: "r", driver, pool, device }] } } },
      });
    }

    async function answerTo(
      name: string,
      spec: { readonly limit?: number; readonly poolName?: string } = {},
    ): Promise<V1alpha3ResourcePoolStatusRequest> {
      await requests().create({ metadata: { name }, spec: { driver, ...spec } });
      return space.until(
        "it is answered",
        async () => requests().get({ name }),
        ({ status }) => status !== undefined,
      );
    }

    /** What the caches are to know must be heard of first: another request tells. */
    async function untilTold(
      what: string,
      isTold: (status: V1alpha3ResourcePoolStatusRequest["status"]) => boolean,
    ): Promise<void> {
      let at = 0;
      await until(what, async () => isTold((await answerTo(`${space.namespace}-asks-${at++}`)).status));
    }

    test("a request is answered once, and the server keeps the answer", async () => {
      await slice("gpus", 3);
      await slice("nics", 2, 2, "one");
      await slice("nics", 2, 2, "two");
      await allocate("a", "gpus", "d-0");
      await allocate("b", "gpus", "d-1");
      await untilTold(
        "all is heard of",
        (status) => status?.pools?.[0]?.allocatedDevices === 2 && status.poolCount === 2,
      );
      const name = `${space.namespace}-request`;
      const answered = await answerTo(name);
      expect(answered.spec.limit).toBe(100);
      expect(answered.status).toMatchObject({
        poolCount: 2,
        pools: [
          {
            driver,
            poolName: "gpus",
            generation: 1,
            nodeName: "worker",
            resourceSliceCount: 1,
            totalDevices: 3,
            allocatedDevices: 2,
            availableDevices: 1,
            unavailableDevices: 0,
          },
          {
            poolName: "nics",
            resourceSliceCount: 2,
            totalDevices: 4,
            allocatedDevices: 0,
            availableDevices: 4,
          },
        ],
        conditions: [
          {
            type: "Complete",
            status: "True",
            reason: "CalculationComplete",
            message: "Calculated status for 2 pools",
          },
        ],
      });
      expect(answered.status?.pools?.[1]?.nodeName).toBeUndefined();
      await expect(
        requests().updateStatus({ ...answered, status: { ...answered.status, poolCount: 3 } }),
      ).rejects.toThrow("field is immutable");
      const some = await answerTo(`${name}-limited`, { limit: 1 });
      expect([some.status?.poolCount, some.status?.pools?.length]).toEqual([2, 1]);
      const one = await answerTo(`${name}-named`, { poolName: "nics" });
      expect(one.status?.pools?.map(({ poolName }) => poolName)).toEqual(["nics"]);
    });

    test("a request for pools that are not complete waits", async () => {
      await slice("whole", 1);
      await slice("half", 1, 2);
      const name = `${space.namespace}-request`;
      const wholeOnly = `${space.namespace}-whole`;
      await until("the slices are heard of", async () => {
        const asked = `${wholeOnly}-${Math.trunc(performance.now())}`;
        await requests().create({ metadata: { name: asked }, spec: { driver, poolName: "whole" } });
        const { status } = await space.until(
          "it is answered",
          async () => requests().get({ name: asked }),
          (request) => request.status !== undefined,
        );
        return status?.poolCount === 1;
      });
      await requests().create({ metadata: { name }, spec: { driver, poolName: "half" } });
      await space.never(
        "it is answered",
        1_000,
        async () => (await requests().get({ name })).status !== undefined,
      );
    });

    test("an answer that is old goes, and nothing else does", async () => {
      const old = `${space.namespace}-old`;
      await answerTo(old);
      const pending = `${space.namespace}-pending`;
      await slice("half", 1, 2);
      await requests().create({ metadata: { name: pending }, spec: { driver, poolName: "half" } });
      const later: Clock = { ...realClock, nowMs: () => realClock.nowMs() + 2 * 3_600_000 };
      cluster.run([poolStatusController()], { features: FEATURES, clock: later });
      await until("the old one is gone", async () => {
        const { items } = await requests().list({ fieldSelector: `metadata.name=${old}` });
        return items.length === 0;
      });
      expect((await requests().get({ name: pending })).metadata.deletionTimestamp).toBeUndefined();
    });
  },
);
