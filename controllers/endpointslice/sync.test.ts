import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { endpointSliceController } from "./controller.ts";
import { node, pod, type PodSketch, service } from "./samples.test-data.ts";

const controller = endpointSliceController({ workers: 2, maxEndpointsPerSlice: 3, updatesBatchPeriodMs: 0 });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  await world.createWithStatus<Node>(resources.nodes, node("node-1", { zone: "a", cpu: "4" }));
});
afterEach(async () => world.stop());

describe("a Service with a selector", () => {
  test("has a placeholder while it has no pods", async () => {
    await createService();
    await world.start(controller);
    expect(await slices()).toMatchObject([{ addressType: "IPv4", endpoints: null, ports: null }]);
    expect(linesOf()).toHaveLength(1);
  });

  test("has its pods in slices, and nothing is written when nothing changes", async () => {
    await createService();
    for (let number = 0; number < 5; number++) await createPod(number);
    await world.start(controller);
    const sizes = (await slices()).map(({ endpoints = [] }) => endpoints.length);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([2, 3]);
    linesOf();
    await world.run(600_000);
    expect(linesOf()).toEqual([]);
  });
});

function linesOf(): readonly string[] {
  return world.takeWrites().map(lineOf);
}

async function slices(): Promise<readonly EndpointSlice[]> {
  return world.list<EndpointSlice>(resources.endpointSlices);
}

async function createService(name = "web", spec: Service["spec"] = {}): Promise<Service> {
  const { metadata: _, ...rest } = service(name, { ...spec });
  const { clusterIP: __, ...plain } = rest.spec ?? {};
  return world.create<Service>(resources.services, { ...rest, metadata: { name }, spec: plain });
}

async function createPod(number: number, sketch: PodSketch = {}): Promise<Pod> {
  const { uid: _, resourceVersion: __, ...metadata } = pod(number, sketch).metadata;
  return world.createWithStatus<Pod>(resources.pods, { ...pod(number, sketch), metadata });
}
