import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deviceTaintEvictionController } from "../../controllers/devicetainteviction/controller.ts";
import { resourceClaimController } from "../../controllers/resourceclaim/controller.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type {
  DeviceClaim,
  DeviceClass,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from "../../pkg/api/types/resource-v1.gen.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import { hollowDevices } from "../../pkg/cluster/hollow/device-publisher.ts";
import { scheduler } from "../../pkg/cluster/scheduler/scheduler.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { clusterKinds, type ControllerCluster } from "../harness/controller-clusters.ts";
import type { TestSpace } from "../harness/test-space.ts";

const DRIVER = "gpu.example.com";
const CLASS = "gpu";
const ANNOTATION = "kcm.dev/devices";
const room = { cpu: "32", memory: "64Gi", pods: "110" };

/** Drivers that publish, a scheduler that allocates, and the controllers that give and take: a claim's whole life. */
describe.each(clusterKinds)("devices of nodes on the $name API server", ({ name: kind, start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  const slices = () => cluster.client.clientFor<ResourceSlice>(resources.resourceSlices);
  beforeAll(async () => {
    cluster = await start(
      kind === "real" ? ["--disable-admission-plugins=TaintNodesByCondition,ServiceAccount"] : [],
    );
    cluster.run([
      scheduler(),
      hollowDevices(),
      resourceClaimController({ workers: 5 }),
      deviceTaintEvictionController({ workers: 5 }),
    ]);
    await cluster.client.clientFor<DeviceClass>(resources.deviceClasses).create({
      metadata: { name: CLASS },
      spec: { selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }] },
    });
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster?.stop());

  /** A node of this test alone, which its pods ask for. */
  async function node(devices: string): Promise<string> {
    const { clientFor } = cluster.client;
    const metadata = {
      name: space.namespace,
      labels: { test: space.namespace },
      annotations: { [ANNOTATION]: devices },
    };
    await clientFor<Node>(resources.nodes).create({ metadata });
    const status = { capacity: room, allocatable: room, conditions: [{ type: "Ready", status: "True" }] };
    await clientFor<Node>(resources.nodes).patch(
      { name: space.namespace },
      { type: "merge", body: { status } },
      { subresource: "status" },
    );
    return space.namespace;
  }

  async function template(more: Partial<ExactDeviceRequest> = {}): Promise<void> {
    const exactly = { deviceClassName: CLASS, ...more };
    await space.create<ResourceClaimTemplate>(resources.resourceClaimTemplates, {
      metadata: { name: "template" },
      spec: { spec: { devices: { requests: [{ name: "gpus", exactly }] } } },
    });
  }

  async function pod(name: string, claim: object = { resourceClaimTemplateName: "template" }): Promise<void> {
    await space.create<Pod>(resources.pods, {
      metadata: { name },
      spec: {
        nodeSelector: { test: space.namespace },
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "main", image: "a" }],
        resourceClaims: [{ name: "gpu", ...claim }],
      },
    });
  }

  const find = async (name: string) => space.find<Pod>(resources.pods, name);
  const claims = async () => space.list<ResourceClaim>(resources.resourceClaims);
  /** Names of devices that claims have, each with the pods that it is reserved for. */
  async function allocated(): Promise<readonly string[]> {
    return (await claims())
      .flatMap(({ status }) =>
        (status?.allocation?.devices?.results ?? []).map(
          ({ device }) => `${device}: ${(status?.reservedFor ?? []).map(({ name }) => name).join()}`,
        ),
      )
      .toSorted();
  }

  async function untilOnNode(...names: readonly string[]): Promise<void> {
    for (const name of names)
      await space.until(
        `${name} has a node`,
        async () => find(name),
        (found) => found?.spec?.nodeName !== undefined,
      );
  }

  async function untilWaiting(name: string, why: string): Promise<void> {
    await space.until(
      `${name} waits`,
      async () => find(name),
      (found) => found?.status?.conditions?.some(({ message }) => message?.includes(why) === true) === true,
    );
  }

  const remove = async (name: string): Promise<void> =>
    void (await cluster.client
      .clientFor(resources.pods)
      .delete({ namespace: space.namespace, name }, { gracePeriodSeconds: 0 }));

  test("pods get devices of their own, wait when there are none, and get those of pods that go", async () => {
    const name = await node(`${DRIVER}=2 model=a100 memory=80Gi`);
    await template();
    for (const each of ["a", "b"]) await pod(each);
    await untilOnNode("a", "b");
    const given = await allocated();
    expect(given.map((each) => each.slice(0, -1))).toEqual(["device-0: ", "device-1: "]);
    expect(given.map((each) => each.slice(-1)).toSorted()).toEqual(["a", "b"]);
    const [first] = await claims();
    expect(first?.metadata.finalizers).toContain("resource.kubernetes.io/delete-protection");
    expect(first?.status?.allocation?.nodeSelector?.nodeSelectorTerms).toEqual([
      { matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] },
    ]);
    await pod("c");
    await untilWaiting("c", "cannot allocate all claims");
    await remove("a");
    await untilOnNode("c");
    expect((await allocated()).map((each) => each.slice(-1)).toSorted()).toEqual(["b", "c"]);
  });

  test("a claim that several pods share is allocated once", async () => {
    await node(`${DRIVER}=2`);
    await space.create<ResourceClaim>(resources.resourceClaims, {
      metadata: { name: "shared" },
      spec: { devices: { requests: [{ name: "gpus", exactly: { deviceClassName: CLASS, count: 2 } }] } },
    });
    for (const each of ["a", "b", "c"]) await pod(each, { resourceClaimName: "shared" });
    await untilOnNode("a", "b", "c");
    const [shared] = await claims();
    expect(shared?.status?.allocation?.devices?.results).toHaveLength(2);
    expect(shared?.status?.reservedFor?.map(({ name }) => name).toSorted()).toEqual(["a", "b", "c"]);
    for (const each of ["a", "b", "c"]) await remove(each);
    await space.until("it is free again", claims, ([claim]) => claim?.status?.allocation === undefined);
  });

  test("selectors say which devices, by what nodes say of them", async () => {
    await node(`${DRIVER}=1 model=t4; other.example.com=4 model=a100`);
    const is = (expression: string) => ({ selectors: [{ cel: { expression } }] });
    await template(is(`device.attributes["${DRIVER}"].model == "a100"`));
    await pod("a");
    await untilWaiting("a", "cannot allocate all claims");
    const { items: published } = await slices().list({ fieldSelector: `spec.nodeName=${space.namespace}` });
    const before = published.find(({ spec }) => spec.driver === DRIVER);
    await cluster.client.clientFor(resources.nodes).patch(
      { name: space.namespace },
      {
        type: "merge",
        body: { metadata: { annotations: { [ANNOTATION]: `${DRIVER}=1 model=a100 cores=8 ready=true` } } },
      },
    );
    await untilOnNode("a");
    const { items } = await slices().list({ fieldSelector: `spec.nodeName=${space.namespace}` });
    expect(items.map(({ spec }) => [spec.driver, spec.devices?.[0]?.attributes])).toEqual([
      [DRIVER, { model: { string: "a100" }, cores: { int: 8 }, ready: { bool: true } }],
    ]);
    expect(before?.spec.devices?.[0]?.attributes).toEqual({ model: { string: "t4" } });
  });

  test("devices that are tainted are for those who tolerate that, and others go", async () => {
    const tolerations: readonly DeviceToleration[] = [{ operator: "Exists", key: "broken" }];
    await node(`${DRIVER}=1`);
    await template();
    await pod("a");
    await untilOnNode("a");
    const [slice] = (await slices().list({ fieldSelector: `spec.nodeName=${space.namespace}` })).items;
    if (slice === undefined) throw new Error("there is no slice");
    const taints = [{ key: "broken", effect: "NoExecute" }];
    const devices = (slice.spec.devices ?? []).map((device) => ({ ...device, taints }));
    await slices().update({ ...slice, spec: { ...slice.spec, devices } });
    await space.until(
      "the pod is evicted",
      async () => find("a"),
      (found) => found === undefined,
    );
    await pod("b");
    await untilWaiting("b", "cannot allocate all claims");
    await space.create<ResourceClaim>(resources.resourceClaims, {
      metadata: { name: "tolerant" },
      spec: { devices: { requests: [{ name: "gpus", exactly: { deviceClassName: CLASS, tolerations } }] } },
    });
    await pod("c", { resourceClaimName: "tolerant" });
    await untilOnNode("c");
    expect((await find("b"))?.spec?.nodeName).toBeUndefined();
  });

  test("claims may ask for all devices, for one of several sorts, and for devices that are alike", async () => {
    await node(`${DRIVER}=3 model=t4`);
    const claim = async (name: string, devices: DeviceClaim) =>
      space.create<ResourceClaim>(resources.resourceClaims, { metadata: { name }, spec: { devices } });
    const exactly = { deviceClassName: CLASS };
    const results = async (name: string) =>
      (await claims())
        .find(({ metadata }) => metadata.name === name)
        ?.status?.allocation?.devices?.results?.map(({ device, request }) => `${request}: ${device}`);
    const selectors = [{ cel: { expression: `device.attributes["${DRIVER}"].model == "a100"` } }];
    const firstAvailable = [
      { name: "best", selectors, ...exactly },
      { name: "next", count: 2, ...exactly },
    ];
    await claim("sorts", { requests: [{ name: "r", firstAvailable }] });
    await pod("a", { resourceClaimName: "sorts" });
    await untilOnNode("a");
    expect(await results("sorts")).toEqual(["r/next: device-0", "r/next: device-1"]);
    await claim("all", { requests: [{ name: "r", exactly: { allocationMode: "All", ...exactly } }] });
    await pod("b", { resourceClaimName: "all" });
    await untilWaiting("b", "cannot allocate all claims");
    await remove("a");
    await untilOnNode("b");
    expect(await results("all")).toEqual([0, 1, 2].map((at) => `r: device-${at}`));
    await remove("b");
    await claim("alike", {
      requests: [{ name: "r", exactly: { count: 2, ...exactly } }],
      constraints: [{ matchAttribute: `${DRIVER}/model` }],
    });
    await pod("c", { resourceClaimName: "alike" });
    await untilOnNode("c");
    expect(await results("alike")).toHaveLength(2);
    await claim("strange", {
      requests: [{ name: "r", exactly }],
      constraints: [{ matchAttribute: `${DRIVER}/color` }],
    });
    await pod("d", { resourceClaimName: "strange" });
    await untilWaiting("d", "cannot allocate all claims");
  });

  test("a pod says what it waits for", async () => {
    await node(`${DRIVER}=1`);
    await pod("a", { resourceClaimName: "nowhere" });
    await untilWaiting("a", 'resourceclaim "nowhere" not found');
    await template({ deviceClassName: "no-class" });
    await pod("b");
    await untilWaiting("b", 'could not find device class "no-class"');
    await space.create<ResourceClaim>(resources.resourceClaims, {
      metadata: { name: "wrong" },
      spec: {
        devices: {
          requests: [
            {
              name: "gpus",
              exactly: {
                deviceClassName: CLASS,
                selectors: [{ cel: { expression: "device.attributes['a'].b" } }],
              },
            },
          ],
        },
      },
    });
    await pod("c", { resourceClaimName: "wrong" });
    await untilWaiting("c", "a selector of devices failed: no such key: b");
  });
});

test("a development cluster has all of it: nodes say what devices they have, and pods run with theirs", async () => {
  const clock = new VirtualClock();
  const finished = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const watched = work.finally(() => (isDone = true));
    watched.catch(() => undefined);
    await clock.runUntil(() => isDone, 60_000);
    return watched;
  };
  const controllers = [resourceClaimController({ workers: 5 })];
  const cluster = await finished(
    EmbeddedCluster.start({ clock, random: seededRandom(1), nodes: 2, controllers }),
  );
  try {
    await clock.advanceBy(5_000);
    const { clientFor } = cluster.client("admin");
    const body = { metadata: { annotations: { [ANNOTATION]: `${DRIVER}=1` } } };
    await finished(clientFor(resources.nodes).patch({ name: "node-1" }, { type: "merge", body }));
    await finished(
      clientFor<DeviceClass>(resources.deviceClasses).create({ metadata: { name: CLASS }, spec: {} }),
    );
    const spec = { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: CLASS } }] } } };
    const metadata = { name: "template", namespace: "default" };
    await finished(
      clientFor<ResourceClaimTemplate>(resources.resourceClaimTemplates).create({ metadata, spec }),
    );
    const resourceClaims = [{ name: "gpu", resourceClaimTemplateName: "template" }];
    const containers = [{ name: "main", image: "a" }];
    await finished(
      clientFor<Pod>(resources.pods).create({
        metadata: { name: "web", namespace: "default" },
        spec: { containers, resourceClaims },
      }),
    );
    await clock.advanceBy(60_000);
    const pod = await finished(clientFor<Pod>(resources.pods).get({ namespace: "default", name: "web" }));
    expect([pod.spec?.nodeName, pod.status?.phase]).toEqual(["node-1", "Running"]);
    await finished(clientFor(resources.nodes).delete({ name: "node-1" }));
    const [slice] = (await finished(clientFor<ResourceSlice>(resources.resourceSlices).list())).items;
    expect(slice?.metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-1" }]);
  } finally {
    await finished(cluster.stop());
  }
});
