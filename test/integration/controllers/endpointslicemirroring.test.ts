import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endpointsController } from "../../../controllers/endpoints/controller.ts";
import { endpointSliceController } from "../../../controllers/endpointslice/controller.ts";
import { endpointSliceMirroringController } from "../../../controllers/endpointslicemirroring/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Endpoints, EndpointSubset, Service } from "../../../pkg/api/types/core-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { LABELS, slicesOf } from "./service-backends.ts";

const MIRRORING = "endpointslicemirroring-controller.k8s.io";
const NAME = "test-123";
const settings = { workers: 5, updatesBatchPeriodMs: 0 };

function subset(ip: string, port = 80, name?: string): EndpointSubset {
  return { addresses: [{ ip }], ports: [{ port, ...(name !== undefined && { name }) }] };
}

function withSelector(selector: Readonly<Record<string, string>> | undefined): Service {
  return { metadata: { name: NAME }, spec: { ports: [{ port: 80 }], ...(selector && { selector }) } };
}

/** The embedded API server gives addresses to Services only when it is told which. */
const CIDR = "--service-cluster-ip-range=10.0.0.0/16";

// Names of upstream's functions (test/integration/endpointslice/endpointslicemirroring_test.go) stand in front of each case.
describe.each(clusterKinds)("mirroring on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start([CIDR]);
    cluster.run([
      endpointsController(settings),
      endpointSliceController({ ...settings, maxEndpointsPerSlice: 100 }),
      endpointSliceMirroringController({ ...settings, maxEndpointsPerSubset: 100 }),
    ]);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster.stop());

  test.for<[string, Service | undefined, readonly EndpointSubset[] | undefined, number, string]>([
    ["a Service with a selector", withSelector(LABELS), undefined, 1, "endpointslice-controller.k8s.io"],
    ["a Service without a selector", withSelector(undefined), [subset("10.0.0.1")], 1, MIRRORING],
    [
      "one address at two ports",
      withSelector(undefined),
      [subset("10.0.0.1", 80, "port1"), subset("10.0.0.1", 90, "port2")],
      1,
      MIRRORING,
    ],
    [
      "two addresses at a port each",
      withSelector(undefined),
      [subset("10.0.0.1", 80, "port1"), subset("10.0.0.2", 90, "port2")],
      2,
      MIRRORING,
    ],
    [
      "a Service whose Endpoints nobody made",
      withSelector(LABELS),
      undefined,
      1,
      "endpointslice-controller.k8s.io",
    ],
    ["Endpoints without a Service", undefined, [subset("10.0.0.1")], 0, MIRRORING],
  ])("EndpointSliceMirroring: %s", async ([, service, subsets, count, managedBy]) => {
    if (service !== undefined) await space.create<Service>(resources.services, service);
    if (subsets !== undefined) {
      await space.create<Endpoints>(resources.endpoints, { metadata: { name: NAME }, subsets });
    }
    const seen = await space.until(
      `there are ${count}`,
      async () => slicesOf(space, NAME),
      (slices) => slices.length === count,
    );
    const managers = seen.map(({ metadata }) => metadata.labels?.["endpointslice.kubernetes.io/managed-by"]);
    expect(managers).toEqual(Array.from({ length: count }, () => managedBy));
  });

  test.each<[string, Partial<Endpoints["metadata"]>, readonly string[]]>([
    ["labels", { labels: { foo: "bar" } }, ["10.0.0.1"]],
    ["annotations", { annotations: { foo2: "bar2" } }, ["10.0.0.1"]],
    [
      "annotations, without the one for times",
      { annotations: { foo2: "bar2", "endpoints.kubernetes.io/last-change-trigger-time": "date" } },
      ["10.0.0.1"],
    ],
    ["addresses", {}, ["1.2.3.4", "1.2.3.6"]],
  ])("EndpointSliceMirroringUpdates: changes of %s", async (_, metadata, ips) => {
    await space.create<Service>(resources.services, withSelector(undefined));
    await space.create<Endpoints>(resources.endpoints, {
      metadata: { name: NAME },
      subsets: [subset("10.0.0.1")],
    });
    await space.update<Endpoints>(resources.endpoints, NAME, (endpoints) => ({
      ...endpoints,
      metadata: { ...endpoints.metadata, ...metadata },
      subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 80 }] }],
    }));
    const { "endpoints.kubernetes.io/last-change-trigger-time": _time, ...annotations } =
      metadata.annotations ?? {};
    await space.until(
      "they are mirrored",
      async () => slicesOf(space, NAME, MIRRORING),
      ([slice]) => {
        const { labels = {}, annotations: copied = {} } = slice?.metadata ?? {};
        const addresses = (slice?.endpoints ?? []).flatMap((endpoint) => endpoint.addresses);
        return (
          addresses.toSorted((a, b) => (a < b ? -1 : 1)).join() === ips.join() &&
          Object.entries(metadata.labels ?? {}).every(([key, value]) => labels[key] === value) &&
          JSON.stringify(copied) === JSON.stringify(annotations)
        );
      },
    );
  });

  test.for<[string, Readonly<Record<string, string>> | undefined, number, unknown, number]>([
    ["none to one", undefined, 1, LABELS, 0],
    ["one to none", LABELS, 0, null, 1],
    ["an empty one to one", {}, 1, LABELS, 0],
    ["one to an empty one", LABELS, 0, { foo: null }, 1],
  ])("EndpointSliceMirroringSelectorTransition: from %s", async ([, first, before, second, after]) => {
    // The Service's own Endpoints would be in the way of those that the test makes.
    await space.create<Endpoints>(resources.endpoints, {
      metadata: { name: NAME },
      subsets: [subset("10.0.0.1")],
    });
    await space.create<Service>(resources.services, withSelector(first));
    const untilCount = async (count: number): Promise<void> => {
      await space.until(
        `${count} are mirrored`,
        async () => {
          // What the endpoints controller made of them for the selector, however late, is somebody's own again.
          await space.patch(resources.endpoints, NAME, { subsets: [subset("10.0.0.1")] });
          return slicesOf(space, NAME, MIRRORING);
        },
        (slices) => slices.length === count,
      );
    };
    await untilCount(before);
    await space.patch(resources.services, NAME, { spec: { selector: second } });
    await untilCount(after);
  });

  test("the label that says so ends mirroring, and its end begins it again", async () => {
    await space.create<Service>(resources.services, withSelector(undefined));
    await space.create<Endpoints>(resources.endpoints, {
      metadata: { name: NAME },
      subsets: [subset("10.0.0.1")],
    });
    for (const [value, count] of [
      [null, 1],
      ["true", 0],
      [null, 1],
    ] as const) {
      const labels = { "endpointslice.kubernetes.io/skip-mirror": value };
      await space.patch(resources.endpoints, NAME, { metadata: { labels } });
      await space.until(
        `there are ${count}`,
        async () => slicesOf(space, NAME, MIRRORING),
        (slices) => slices.length === count,
      );
    }
  });
});
