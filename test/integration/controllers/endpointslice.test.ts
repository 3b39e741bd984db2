import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endpointsController } from "../../../controllers/endpoints/controller.ts";
import { endpointSliceController } from "../../../controllers/endpointslice/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Service } from "../../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../../pkg/api/types/discovery-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import {
  createNode,
  createPod,
  endpointsIn,
  readyAddresses,
  service,
  slicesOf,
  untilEndpoints,
  untilSlices,
} from "./service-backends.ts";

const HEADLESS = "service.kubernetes.io/headless";
const descriptors = [
  endpointsController({ workers: 5, updatesBatchPeriodMs: 0 }),
  endpointSliceController({ workers: 5, maxEndpointsPerSlice: 100, updatesBatchPeriodMs: 0 }),
];

/** The embedded API server gives addresses to Services only when it is told which. */
const CIDR = "--service-cluster-ip-range=10.0.0.0/16";

// Names of upstream's functions (test/integration/endpointslice) stand in front of each case.
describe.each(clusterKinds)(
  "the controllers of endpoints and slices on the $name API server",
  ({ start }) => {
    let cluster: ControllerCluster;
    let space: TestSpace;
    beforeAll(async () => {
      cluster = await start([CIDR]);
      await createNode(cluster.client);
      cluster.run(descriptors);
    });
    beforeEach(async () => {
      space = await cluster.space();
    });
    afterAll(async () => cluster.stop());

    /** Whether Endpoints and the slice have these labels, and not those. */
    async function untilLabels(
      name: string,
      wanted: readonly string[],
      unwanted: readonly string[],
    ): Promise<void> {
      const areRight = (labels: Readonly<Record<string, string>> = {}): boolean =>
        wanted.every((label) => label in labels) && !unwanted.some((label) => label in labels);
      await untilEndpoints(space, name, "have the labels", ({ metadata }) => areRight(metadata.labels));
      await untilSlices(
        space,
        name,
        "have the labels",
        (slices) => slices.length === 1 && areRight(slices[0]?.metadata.labels),
      );
    }

    test("EndpointsControllersLabelSemantics: the Service's labels are those of its endpoints", async () => {
      const headless = service("test-123", { clusterIP: "None" }, { app: "test" });
      await space.create(resources.services, headless);
      await untilLabels("test-123", [HEADLESS, "app"], []);
      const labels = { app: null, "new-label": "new-label-value" };
      await space.patch(resources.services, "test-123", { metadata: { labels } });
      await untilLabels("test-123", [HEADLESS, "new-label"], ["app"]);
    });

    test.each<[string, boolean, Readonly<Record<string, string>>]>([
      ["with an address", false, {}],
      ["without an address", true, {}],
      ["with an address, that says it has none", false, { [HEADLESS]: "" }],
      ["without an address, that says so", true, { [HEADLESS]: "" }],
    ])("EndpointsHeadlessLabel: a Service %s", async (_, isHeadless, labels) => {
      const spec = isHeadless ? { clusterIP: "None" } : {};
      await space.create(resources.services, service("web", spec, labels));
      await untilLabels("web", isHeadless ? [HEADLESS] : [], isHeadless ? [] : [HEADLESS]);
    });

    test.each([
      ["ready", "True", true],
      ["not ready", "False", false],
    ])("EndpointSliceTerminating: a pod that is being deleted and still %s", async (_, ready, serving) => {
      await space.create(resources.services, service("web"));
      await createPod(space, "pod", ["10.0.0.1"], ready);
      await untilSlices(space, "web", "have the pod", (slices) => endpointsIn(slices).length === 1);
      await space.delete(resources.pods, "pod", 300);
      const seen = await untilSlices(
        space,
        "web",
        "say that it is being deleted",
        (slices) => endpointsIn(slices)[0]?.conditions?.terminating === true,
      );
      expect(endpointsIn(seen)).toMatchObject([
        { addresses: ["10.0.0.1"], conditions: { ready: false, serving, terminating: true } },
      ]);
    });

    test("a slice that somebody changes or deletes is put right", async () => {
      await space.create(resources.services, service("web"));
      await createPod(space, "pod", ["10.0.0.1"]);
      const isRight = (slices: readonly EndpointSlice[]): boolean =>
        endpointsIn(slices)
          .map(({ addresses }) => addresses.join())
          .join() === "10.0.0.1";
      const [slice] = await untilSlices(space, "web", "have the pod", isRight);
      const name = slice?.metadata.name ?? "";
      await space.patch(resources.endpointSlices, name, { endpoints: [{ addresses: ["10.9.9.9"] }] });
      await untilSlices(space, "web", "have the pod again", isRight);
      await space.delete(resources.endpointSlices, name);
      const [other] = await untilSlices(space, "web", "are there anew", isRight);
      expect(other?.metadata.uid).not.toBe(slice?.metadata.uid);
      await space.patch(resources.endpointSlices, other?.metadata.name ?? "", {
        metadata: { labels: { "kubernetes.io/service-name": "other" } },
      });
      await untilSlices(space, "web", "have the pod once more", isRight);
    });

    test("a Service that loses its selector keeps its slices, and has no new ones", async () => {
      await space.create(resources.services, service("web"));
      await createPod(space, "one", ["10.0.0.1"]);
      await untilSlices(space, "web", "have the pod", (slices) => endpointsIn(slices).length === 1);
      await space.patch(resources.services, "web", { spec: { selector: null } });
      await space.create(resources.services, service("marker"));
      await createPod(space, "two", ["10.0.0.2"]);
      await untilSlices(space, "marker", "have both pods", (slices) => endpointsIn(slices).length === 2);
      expect(endpointsIn(await slicesOf(space, "web"))).toHaveLength(1);
    });

    test("another Service of the name has slices of its own", async () => {
      const first = await space.create<Service>(resources.services, service("web"));
      await createPod(space, "pod", ["10.0.0.1"]);
      await untilSlices(space, "web", "have the pod", (slices) => endpointsIn(slices).length === 1);
      await space.delete(resources.services, "web");
      const second = await space.create<Service>(resources.services, service("web"));
      const ownersOf = (slices: readonly EndpointSlice[]): readonly (string | undefined)[] =>
        slices.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
      const seen = await untilSlices(
        space,
        "web",
        "are the second's alone",
        (slices) => ownersOf(slices).join() === second.metadata.uid && endpointsIn(slices).length === 1,
      );
      expect(ownersOf(seen)).not.toContain(first.metadata.uid);
    });

    test("no write was refused, and a restart writes nothing", async () => {
      await space.create(resources.services, service("web"));
      for (let number = 1; number <= 5; number++)
        await createPod(space, `pod-${number}`, [`10.0.0.${number}`]);
      await untilSlices(space, "web", "have all pods", (slices) => endpointsIn(slices).length === 5);
      await untilEndpoints(
        space,
        "web",
        "have all pods",
        (endpoints) => readyAddresses(endpoints).length === 5,
      );
      const before = cluster.writesTo(space);
      expect(before.filter(({ status }) => status >= 400)).toEqual([]);
      await cluster.stopControllers();
      cluster.run(descriptors);
      await space.create(resources.services, service("marker"));
      await untilSlices(space, "marker", "have all pods", (slices) => endpointsIn(slices).length === 5);
      // Slices that are there at the start are looked at a second time a second later.
      await space.never("a write to the first Service", 1_500, async () => {
        const since = cluster.writesTo(space).slice(before.length);
        return since.some(
          ({ name, body }) => name.startsWith("web") || JSON.stringify(body).includes('"web"'),
        );
      });
    });
  },
);

const CIDRS = "--service-cluster-ip-range=10.0.0.0/16,2001:db8:1::/112";

// upstream: test/integration/dualstack/dualstack_endpoints_test.go#TestDualStackEndpoints
describe.each(clusterKinds)("on a $name API server with addresses of both families", ({ start }) => {
  let cluster: ControllerCluster;
  beforeAll(async () => {
    cluster = await start([CIDRS]);
    await createNode(cluster.client);
    cluster.run(descriptors);
  });
  afterAll(async () => cluster.stop());

  test.each<[string, readonly string[]]>([
    ["SingleStack", ["IPv4"]],
    ["SingleStack", ["IPv6"]],
    ["RequireDualStack", ["IPv6", "IPv4"]],
    ["RequireDualStack", ["IPv4", "IPv6"]],
  ])("a Service with policy %s and families %j", async (ipFamilyPolicy, ipFamilies) => {
    const space = await cluster.space();
    const ips: Readonly<Record<string, string>> = { IPv4: "1.1.1.1", IPv6: "2001:db2::65" };
    await createPod(space, "pod", Object.values(ips), "False");
    await space.create(resources.services, service("web", { ipFamilyPolicy, ipFamilies }));
    const { subsets } = await untilEndpoints(
      space,
      "web",
      "have the pod",
      (seen) => seen.subsets?.length === 1,
    );
    expect(subsets?.[0]?.notReadyAddresses?.map(({ ip }) => ip)).toEqual([ips[ipFamilies[0] ?? ""]]);
    const slices = await untilSlices(
      space,
      "web",
      "have the pod in each family",
      (seen) => seen.length === ipFamilies.length && endpointsIn(seen).length === ipFamilies.length,
    );
    for (const { addressType, endpoints } of slices) {
      expect(ipFamilies).toContain(addressType);
      expect(endpoints?.[0]?.addresses).toEqual([ips[addressType]]);
    }
  });
});
