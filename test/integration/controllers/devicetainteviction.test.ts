import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deviceTaintEvictionController } from "../../../controllers/devicetainteviction/controller.ts";
import { consumerOf } from "../../../pkg/api/device-claims.ts";
import type { Stored } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Event, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type {
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from "../../../pkg/api/types/resource-v1.gen.ts";
import type { V1beta2DeviceTaintRule } from "../../../pkg/api/types/resource-v1beta2.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { servedSince } from "../../harness/where.ts";

const TAINT: DeviceTaint = { key: "example.com/broken", effect: "NoExecute" };
const FLAGS = ["--runtime-config=resource.k8s.io/v1beta2=true", "--feature-gates=DRADeviceTaintRules=true"];

// upstream: test/integration/dra/device_taints.go#testEvictCluster, by slices and by rules; no scheduler takes part
describe.each(servedSince(clusterKinds, 36))("taints of devices on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  let driver: string;
  beforeAll(async () => {
    cluster = await start(FLAGS);
    cluster.run([deviceTaintEvictionController({ workers: 8 })], {
      features: { DRADeviceTaintRules: true },
    });
  });
  beforeEach(async () => {
    space = await cluster.space();
    driver = `${space.namespace}.example.com`;
  });
  afterAll(async () => cluster?.stop());

  const slices = () => cluster.client.clientFor<ResourceSlice>(resources.resourceSlices);

  async function slice(taints: readonly DeviceTaint[] = []): Promise<ResourceSlice> {
    return slices().create({
      metadata: { name: `${space.namespace}-slice` },
      spec: {
        driver,
        nodeName: "worker",
        pool: { name: "worker", generation: 1, resourceSliceCount: 1 },
        devices: [{ name: "device", taints }],
      },
    });
  }

  async function user(name: string, tolerations: readonly DeviceToleration[] = []): Promise<void> {
    const pod = (await space.create<Pod>(resources.pods, {
      metadata: { name },
      spec: {
        nodeName: "worker",
        containers: [{ name: "main", image: "a" }],
        resourceClaims: [{ name: "c", resourceClaimName: name }],
      },
    })) as Stored<Pod>;
    const claim = await space.create<ResourceClaim>(resources.resourceClaims, {
      metadata: { name },
      spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "class" } }] } },
    });
    const result = { request: "r", driver, pool: "worker", device: "device", tolerations };
    await cluster.client.clientFor<ResourceClaim>(resources.resourceClaims).updateStatus({
      ...claim,
      status: { allocation: { devices: { results: [result] } }, reservedFor: [consumerOf(pod, "pods")] },
    });
  }

  async function untilEvicted(name: string): Promise<Pod | undefined> {
    return space.until(
      `${name} is evicted`,
      async () => space.find<Pod>(resources.pods, name),
      (pod) => pod === undefined || pod.metadata.deletionTimestamp !== undefined,
    );
  }

  async function stays(name: string): Promise<void> {
    await space.never(`${name} is evicted`, 500, async () => {
      const pod = await space.find<Pod>(resources.pods, name);
      return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
    });
  }

  const says = async (rule: string): Promise<string> => {
    const { status } = await cluster.client
      .clientFor<V1beta2DeviceTaintRule>(resources.deviceTaintRules)
      .get({ name: rule });
    const [condition] = status?.conditions ?? [];
    return condition === undefined ? "nothing" : `${condition.reason}: ${condition.message}`;
  };

  test("EvictClusterWithSlices: pods go that do not tolerate the taint of a slice, and are told why", async () => {
    const made = await slice();
    await user("web");
    await user("tolerant", [{ operator: "Exists", key: TAINT.key, effect: "NoExecute" }]);
    await stays("web");
    await slices().update({
      ...made,
      spec: { ...made.spec, devices: [{ name: "device", taints: [TAINT] }] },
    });
    const pod = await untilEvicted("web");
    expect(pod?.status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "DeletionByDeviceTaintManager",
      message: "Device Taint manager: deleting due to NoExecute taint",
    });
    await space.until(
      "there is an event",
      async () => space.list<Event>(resources.events),
      (events) => events.some(({ message }) => message === "Marking for deletion"),
    );
    await stays("tolerant");
  });

  test("a pod may stay for its time, and after it when the taint goes", async () => {
    const made = await slice([TAINT]);
    const tolerates = { operator: "Exists", key: TAINT.key, effect: "NoExecute" };
    await user("web", [{ ...tolerates, tolerationSeconds: 2 }]);
    await user("patient", [{ ...tolerates, tolerationSeconds: 3_600 }]);
    await untilEvicted("web");
    await slices().update({ ...made, spec: { ...made.spec, devices: [{ name: "device" }] } });
    await space.until(
      "there is an event",
      async () => space.list<Event>(resources.events),
      (events) => events.some(({ message }) => message === "Cancelling deletion"),
    );
    await stays("patient");
  });

  test("EvictClusterWithV1beta2Rule: pods go by a rule, which tells of it", async () => {
    const rules = cluster.client.clientFor<V1beta2DeviceTaintRule>(resources.deviceTaintRules);
    const name = `${space.namespace}-rule`;
    await slice();
    await user("web");
    await user("second");
    // What a rule without effect says is of the moment when it comes, and is about what the caches have then.
    await stays("second");
    const made = await rules.create({
      metadata: { name },
      spec: { deviceSelector: { driver }, taint: { key: "a", effect: "None" } },
    });
    const reach = "1 published device selected. 2 allocated devices selected. 2 pods would be evicted";
    await space.until(
      "the rule says what it would do",
      async () => says(name),
      (said) => said.startsWith(`NoEffect: ${reach} in 1 namespace`),
    );
    await stays("web");
    const latest = await rules.get({ name });
    await rules.update({ ...latest, spec: { ...made.spec, taint: { key: "a", effect: "NoExecute" } } });
    await untilEvicted("web");
    await untilEvicted("second");
    await space.until(
      "the rule says that it is done",
      async () => says(name),
      (said) => said === "Completed: 2 pods evicted since starting the controller.",
    );
  });
});
