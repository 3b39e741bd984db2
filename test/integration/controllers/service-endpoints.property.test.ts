import fc from "fast-check";
import { expect, test } from "vitest";
import { endpointsController } from "../../../controllers/endpoints/controller.ts";
import { endpointSliceController } from "../../../controllers/endpointslice/controller.ts";
import { endpointSliceMirroringController } from "../../../controllers/endpointslicemirroring/controller.ts";
import { isPodReady, isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Endpoints, Node, Pod, Service } from "../../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../../pkg/api/types/discovery-v1.gen.ts";
import { type ControllerWorld, newWorld } from "../../harness/controller-world.ts";

const PODS = 8;
const SERVICES = 3;

/** What a user or a kubelet does. Numbers say to which pod or Service; some of them are not there, and nothing happens. */
type Step =
  | { readonly do: "create pod"; readonly pod: number; readonly labels: number }
  | {
      readonly do: "set pod";
      readonly pod: number;
      readonly ready: boolean;
      readonly phase: string;
      readonly ip: number;
    }
  | { readonly do: "label pod"; readonly pod: number; readonly labels: number }
  | { readonly do: "delete pod"; readonly pod: number; readonly held: boolean }
  | {
      readonly do: "create service";
      readonly service: number;
      readonly selector: number;
      readonly publish: boolean;
    }
  | { readonly do: "select"; readonly service: number; readonly selector: number }
  | { readonly do: "delete service"; readonly service: number }
  | { readonly do: "disturb"; readonly service: number; readonly what: "slice" | "endpoints" }
  | { readonly do: "wait"; readonly ms: number };

const pod = fc.nat(PODS - 1);
const service = fc.nat(SERVICES - 1);
const kind = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("create pod" as const), pod, labels: kind }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("set pod" as const),
      pod,
      ready: fc.boolean(),
      phase: fc.constantFrom("Running", "Running", "Running", "Failed"),
      ip: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("label pod" as const), pod, labels: kind }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete pod" as const), pod, held: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("create service" as const),
      service,
      selector: kind,
      publish: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("select" as const), service, selector: kind }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete service" as const), service }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("disturb" as const),
      service,
      what: fc.constantFrom("slice" as const, "endpoints" as const),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 5, 500, 3_000) }),
  },
);

/** Everybody has the label of all; the numbers tell who has which others. */
const labelsOf = (number: number): Readonly<Record<string, string>> => ({ all: "yes", kind: String(number) });
const selectorOf = (number: number): Readonly<Record<string, string>> =>
  number === 0 ? { all: "yes" } : { kind: String(number) };

async function take(world: ControllerWorld, given: Step): Promise<void> {
  try {
    await perform(world, given);
  } catch (error) {
    // It is there already, or is not there, or is going away.
    const { code } = error as { readonly code?: unknown };
    if (code !== 404 && code !== 409 && code !== 422) throw error;
  }
}

async function perform(world: ControllerWorld, given: Step): Promise<void> {
  switch (given.do) {
    case "create pod":
      await world.create<Pod>(resources.pods, {
        metadata: { name: `pod-${given.pod}`, labels: labelsOf(given.labels) },
        spec: { nodeName: "node", containers: [{ name: "c", image: "image" }] },
      });
      return;
    case "set pod": {
      const current = await world.get<Pod>(resources.pods, `pod-${given.pod}`);
      const ip = `10.0.${given.pod}.${given.ip}`;
      const conditions = [
        { type: "Ready", status: given.ready && given.phase === "Running" ? "True" : "False" },
      ];
      const status = { phase: given.phase, podIP: ip, podIPs: [{ ip }], conditions };
      await world.client.clientFor<Pod>(resources.pods).updateStatus({ ...current, status });
      return;
    }
    case "label pod":
      await world.update<Pod>(resources.pods, `pod-${given.pod}`, (current) => ({
        ...current,
        metadata: { ...current.metadata, labels: labelsOf(given.labels) },
      }));
      return;
    case "delete pod": {
      const gracePeriodSeconds = given.held ? 3_600 : 0;
      await world.client
        .clientFor<Pod>(resources.pods)
        .delete({ namespace: "default", name: `pod-${given.pod}` }, { gracePeriodSeconds });
      return;
    }
    case "create service":
      await world.create<Service>(resources.services, {
        metadata: { name: `service-${given.service}` },
        spec: {
          ports: [{ port: 80, targetPort: 8_080 + given.service }],
          selector: selectorOf(given.selector),
          publishNotReadyAddresses: given.publish,
        },
      });
      return;
    case "select":
      await world.update<Service>(resources.services, `service-${given.service}`, (current) => ({
        ...current,
        spec: { ...current.spec, selector: selectorOf(given.selector) },
      }));
      return;
    case "delete service":
      return world.delete(resources.services, `service-${given.service}`);
    case "disturb":
      return disturb(world, `service-${given.service}`, given.what);
    case "wait":
      return world.run(given.ms);
  }
}

async function disturb(world: ControllerWorld, name: string, what: "slice" | "endpoints"): Promise<void> {
  if (what === "endpoints") return world.delete(resources.endpoints, name);
  const [slice] = await slicesOf(world, name);
  if (slice !== undefined) await world.delete(resources.endpointSlices, slice.metadata.name ?? "");
}

async function slicesOf(world: ControllerWorld, name: string): Promise<readonly EndpointSlice[]> {
  return world.list<EndpointSlice>(resources.endpointSlices, `kubernetes.io/service-name=${name}`);
}

interface Expectation {
  /** "10.0.0.1 ready", and what slices say besides of pods that are being deleted. */
  readonly endpoints: readonly string[];
  readonly slices: readonly string[];
}

/** From the pods as they are in the end, and nothing else. */
function naive({ spec = {} }: Service, pods: readonly Pod[]): Expectation {
  const publish = spec.publishNotReadyAddresses === true;
  const backing = pods.filter(
    (each) =>
      !isPodTerminal(each) &&
      each.status?.podIP !== undefined &&
      Object.entries(spec.selector ?? {}).every(([key, value]) => each.metadata.labels?.[key] === value),
  );
  const isLeaving = (each: Pod): boolean => each.metadata.deletionTimestamp !== undefined;
  const stated = (each: Pod, ready: boolean): string =>
    `${each.status?.podIP} ${ready ? "ready" : "not ready"}`;
  return {
    endpoints: sorted(
      backing
        .filter((each) => publish || !isLeaving(each))
        .map((each) => stated(each, publish || isPodReady(each))),
    ),
    slices: sorted(backing.map((each) => stated(each, publish || (isPodReady(each) && !isLeaving(each))))),
  };
}

async function expectRight(world: ControllerWorld): Promise<void> {
  const pods = await world.list<Pod>(resources.pods);
  const services = await world.list<Service>(resources.services);
  for (const each of services) {
    const name = each.metadata.name ?? "";
    const { subsets = [] } = await world.get<Endpoints>(resources.endpoints, name);
    const listed = subsets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [
      ...addresses.map(({ ip }) => `${ip} ready`),
      ...notReadyAddresses.map(({ ip }) => `${ip} not ready`),
    ]);
    const sliced = (await slicesOf(world, name)).flatMap(({ endpoints }) => endpoints ?? []);
    const expected = naive(each, pods);
    expect(sorted(listed)).toEqual(expected.endpoints);
    expect(
      sorted(
        sliced.map(
          ({ addresses, conditions }) =>
            `${addresses.join()} ${conditions?.ready === true ? "ready" : "not ready"}`,
        ),
      ),
    ).toEqual(expected.slices);
  }
  const names = new Set(services.map(({ metadata }) => metadata.name));
  const left = await world.list<Endpoints>(resources.endpoints);
  expect(left.map(({ metadata }) => metadata.name).filter((name) => !names.has(name))).toEqual([]);
}

function sorted(texts: readonly string[]): readonly string[] {
  return texts.toSorted((one, other) => (one < other ? -1 : 1));
}

test("whatever happens in whatever order, slices and Endpoints say what the pods are, and then nothing is written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: "max" }), async (steps) => {
      const world = await newWorld();
      try {
        await world.create<Node>(resources.nodes, { metadata: { name: "node" } });
        await world.start(
          endpointsController({ workers: 2, updatesBatchPeriodMs: 0 }),
          endpointSliceController({ workers: 2, maxEndpointsPerSlice: 3, updatesBatchPeriodMs: 0 }),
          endpointSliceMirroringController({
            workers: 2,
            maxEndpointsPerSubset: 1_000,
            updatesBatchPeriodMs: 0,
          }),
        );
        for (const each of steps) await take(world, each);
        await world.run(60_000);
        await expectRight(world);
        world.takeWrites();
        await world.run(3_600_000);
        expect(world.takeWrites()).toEqual([]);
      } finally {
        await world.stop();
      }
    }),
    { numRuns: process.env["STRESS"] === undefined ? 60 : 1_000 },
  );
}, 600_000);
