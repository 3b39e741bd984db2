import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../pkg/api/freeze.ts";
import { inOneGo } from "../../pkg/api/steps.ts";
import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { Family } from "./address-families.ts";
import { endpointOf } from "./endpoint-of-pod.ts";
import { decideSlices, type SlicePlan } from "./plan.ts";
import { node, pod, pods, type PodSketch, service, slice } from "./samples.test-data.ts";
import { zoneShares } from "./zone-shares.ts";

const foo = service("foo");

interface Given {
  readonly service?: Stored<Service>;
  readonly pods?: readonly Stored<Pod>[];
  readonly slices?: readonly EndpointSlice[];
  readonly nodes?: readonly Node[];
  readonly maxEndpoints?: number;
  readonly family?: Family;
}

function decide(given: Given): SlicePlan {
  const { nodes = [node("node-1")] } = given;
  const view = {
    service: foo,
    pods: [],
    slices: [],
    maxEndpoints: 100,
    family: "IPv4" as const,
    ...deepFreeze(given),
    nodes: new Map(nodes.map((each) => [each.metadata.name ?? "", each])),
    shares: zoneShares(nodes),
    hinted: false,
  };
  return inOneGo(decideSlices(view));
}

/** The sizes of slices once all is written, and what is written. */
function outcome(plan: SlicePlan, before: readonly EndpointSlice[] = []): string {
  const gone = new Set([...plan.update, ...plan.remove].map(({ metadata }) => metadata.name));
  const after = [
    ...before.filter(({ metadata }) => !gone.has(metadata.name)),
    ...plan.update,
    ...plan.create,
  ];
  const sizes = after.map(({ endpoints = [] }) => endpoints.length).toSorted((a, b) => b - a);
  return `${sizes.join(" ")}: +${plan.create.length} ~${plan.update.length} -${plan.remove.length}`;
}

function full(name: string, members: readonly Stored<Pod>[], owner = foo): EndpointSlice {
  return slice(
    name,
    owner,
    members.map((each) => endpointOf(asStored(each), undefined, owner, "IPv4")),
  );
}

/** Every third is not ready. */
function mixed(count: number): readonly Stored<Pod>[] {
  return Array.from({ length: count }, (_, number) => pod(number, { ready: number % 3 !== 0 }));
}

describe("without pods", () => {
  // upstream: endpointslice/reconciler_test.go#TestReconcileEmpty, #TestReconcile1EndpointSlice
  test("there is a placeholder", () => {
    const plan = decide({});
    expect(outcome(plan)).toBe("0: +1 ~0 -0");
    expect(plan.create[0]).toMatchObject({ ports: [], endpoints: [], addressType: "IPv4" });
    expect(plan.fillings).toEqual([{ endpoints: 0, slices: 1 }]);
  });

  test.each<[string, EndpointSlice, string]>([
    ["one that is right stays", slice("a", foo, [], []), "0: +0 ~0 -0"],
    ["one with other ports is turned into it", slice("a", foo, []), "0: +0 ~1 -0"],
    [
      "one with other labels is turned into it",
      { ...slice("a", foo, [], []), metadata: { ...slice("a", foo, []).metadata, labels: { bar: "baz" } } },
      "0: +0 ~1 -0",
    ],
    ["one with endpoints is turned into it", full("a", pods(2)), "0: +0 ~1 -0"],
  ])("%s", (_, existing, expected) => {
    expect(outcome(decide({ slices: [existing] }), [existing])).toBe(expected);
  });
});

// upstream: endpointslice/reconciler_test.go#TestReconcile1Pod
describe("one pod with addresses of both families", () => {
  const both = { ...pod(1, { ips: ["1.2.3.4", "1234::5678:0000:0000:9abc:def0"] }) };
  const subject: Stored<Pod> = {
    ...both,
    spec: { containers: [], ...both.spec, hostname: "example-hostname" },
  };
  test.each<[string, Stored<Service>, Family, string]>([
    ["no family named", service("foo", { clusterIP: "10.0.0.10", ipFamilies: [] }), "IPv4", "1.2.3.4"],
    ["the fourth version", service("foo", { clusterIP: "None" }), "IPv4", "1.2.3.4"],
    ["the fourth version with an address", foo, "IPv4", "1.2.3.4"],
    [
      "the sixth version",
      service("foo", { clusterIP: "None", ipFamilies: ["IPv6"] }),
      "IPv6",
      "1234::5678:0:0:9abc:def0",
    ],
    [
      "the sixth version with an address",
      service("foo", { clusterIP: "1234::1", ipFamilies: ["IPv6"] }),
      "IPv6",
      "1234::5678:0:0:9abc:def0",
    ],
    ["both, the fourth", service("foo", { ipFamilies: ["IPv4", "IPv6"] }), "IPv4", "1.2.3.4"],
    ["both, the sixth", service("foo", { ipFamilies: ["IPv4", "IPv6"] }), "IPv6", "1234::5678:0:0:9abc:def0"],
  ])("%s", (_, owner, family, address) => {
    const plan = decide({
      service: owner,
      pods: [subject],
      family,
      nodes: [node("node-1", { zone: "us-central1-a" })],
    });
    expect(plan.create).toHaveLength(1);
    expect(plan.create[0]?.addressType).toBe(family);
    expect(plan.create[0]?.endpoints).toEqual([
      {
        addresses: [address],
        conditions: { ready: true, serving: true, terminating: false },
        zone: "us-central1-a",
        nodeName: "node-1",
        targetRef: { kind: "Pod", namespace: "default", name: "pod1", uid: "pod1-uid" },
      },
    ]);
    expect(plan).toMatchObject({ added: 1, removed: 0, problems: [] });
  });
});

describe("many pods", () => {
  // upstream: endpointslice/reconciler_test.go#TestReconcile1EndpointSlicePublishNotReadyAddresses
  test("are all ready where readiness does not matter", () => {
    const plan = decide({ service: service("foo", { publishNotReadyAddresses: true }), pods: mixed(50) });
    expect(outcome(plan)).toBe("50: +1 ~0 -0");
    expect(plan.create[0]?.endpoints?.every(({ conditions }) => conditions?.ready === true)).toBe(true);
  });

  // upstream: endpointslice/reconciler_test.go#TestReconcileManyPods, #TestReconcileMaxEndpointsPerSlice
  test.each([
    [100, "100 100 50: +3 ~0 -0"],
    [50, "50 50 50 50 50: +5 ~0 -0"],
    [80, "80 80 80 10: +4 ~0 -0"],
    [150, "150 100: +2 ~0 -0"],
    [250, "250: +1 ~0 -0"],
    [500, "250: +1 ~0 -0"],
  ])("fill slices of %i", (maxEndpoints, expected) => {
    const plan = decide({ pods: mixed(250), maxEndpoints });
    expect(outcome(plan)).toBe(expected);
    expect(plan).toMatchObject({
      added: 250,
      removed: 0,
      fillings: [{ endpoints: 250, slices: plan.create.length }],
    });
  });

  // upstream: endpointslice/reconciler_test.go#TestReconcileEndpointSlicesSomePreexisting, …WorseAllocation
  test.each([
    ["go into new slices, and the rest into the one that it fills best", 250, "100 89 61: +1 ~1 -0", 127],
    ["go into new slices when the rest fits nowhere whole", 300, "100 74 74 52: +2 ~0 -0", 152],
  ])("%s", (_, count, expected, added) => {
    const all = mixed(count);
    const quarter = (first: number): readonly Stored<Pod>[] =>
      all.filter((_pod, number) => number % 4 === first && number < count - 4);
    const slices = [full("a", quarter(1)), full("b", quarter(3))];
    const plan = decide({ pods: all, slices });
    expect(outcome(plan, slices)).toBe(expected);
    expect(plan.added).toBe(added);
  });

  // upstream: endpointslice/reconciler_test.go#TestReconcileEndpointSlicesUpdatePacking
  test("that are new go into slices that are written anyway, the fullest first", () => {
    const [eighty, twenty] = [
      numbers(0, 80).map((each) => pod(each)),
      numbers(100, 120).map((each) => pod(each)),
    ];
    const slices = [full("a", eighty), full("b", twenty)];
    const changed = [...eighty, ...twenty].map((each, index) =>
      index % 10 === 0 ? pod(numberOf(each), { ready: false }) : each,
    );
    const now = [...changed, ...numbers(200, 215).map((each) => pod(each))];
    for (const order of [slices, slices.toReversed()]) {
      const plan = decide({ pods: now, slices: order });
      expect(outcome(plan, slices)).toBe("95 20: +0 ~2 -0");
      expect(plan).toMatchObject({ added: 15, removed: 0 });
    }
  });
});

describe("when the Service changes", () => {
  const all = mixed(250);
  const slices = decide({ pods: all }).create.map((each, index) => ({
    ...each,
    metadata: { ...each.metadata, name: `s${index}` },
  }));
  const port = (targetPort: number): Stored<Service>["spec"] => ({
    ports: [{ name: "foo", port: 80, targetPort, protocol: "TCP" }],
  });

  // upstream: endpointslice/reconciler_test.go#TestReconcileEndpointSlicesUpdating
  test("its ports: slices are changed, not replaced", () => {
    const plan = decide({ service: service("foo", port(81)), pods: all, slices });
    expect(outcome(plan, slices)).toBe("100 100 50: +0 ~3 -0");
    expect(plan.update.map(({ ports }) => ports?.[0]?.port)).toEqual([81, 81, 81]);
  });

  // upstream: endpointslice/reconciler_test.go#TestReconcileEndpointSlicesServicesLabelsUpdating, …ServicesReservedLabels
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["labels of its own", { foo: "bar" }, "100 100 50: +0 ~3 -0"],
    [
      "labels that are not its to give",
      {
        "kubernetes.io/service-name": "bad",
        "endpointslice.kubernetes.io/managed-by": "actor",
        "service.kubernetes.io/headless": "invalid",
      },
      "100 100 50: +0 ~0 -0",
    ],
  ])("its labels: %s", (_, labels, expected) => {
    const plan = decide({ service: { ...foo, metadata: { ...foo.metadata, labels } }, pods: all, slices });
    expect(outcome(plan, slices)).toBe(expected);
    for (const each of plan.update) expect(each.metadata.labels).toMatchObject(labels);
  });

  // upstream: endpointslice/reconciler_test.go#TestReconcileEndpointSlicesRecycling
  test("slices that are half empty stay, until all of them must be written", () => {
    const many = mixed(300);
    const thirties = numbers(0, 10).map((index) =>
      full(`s${index}`, many.slice(index * 30, index * 30 + 30)),
    );
    expect(outcome(decide({ pods: many, slices: thirties }), thirties)).toBe(
      `${"30 ".repeat(9)}30: +0 ~0 -0`,
    );
    const plan = decide({ service: service("foo", port(81)), pods: many, slices: thirties });
    expect(outcome(plan, thirties)).toBe("100 100 100: +0 ~3 -7");
    expect(plan.fillings).toEqual([{ endpoints: 300, slices: 3 }]);
  });

  // upstream: endpointslice/reconciler_test.go#TestReconcileEndpointSlicesRecreation
  test.each([
    ["the same", "foo-uid", "1: +0 ~0 -0"],
    ["another of its name", "different", "1: +1 ~0 -1"],
  ])("slices of %s", (_, uid, expected) => {
    const existing = full("a", [pod(1)], { ...foo, metadata: { ...foo.metadata, uid } });
    expect(outcome(decide({ pods: [pod(1)], slices: [existing] }), [existing])).toBe(expected);
  });
});

// upstream: endpointslice/reconciler_test.go#TestReconcileEndpointSlicesNamedPorts
test("pods in which a name stands for other numbers are in other slices", () => {
  const named = service("foo", { ports: [{ port: 80, targetPort: "http", protocol: "TCP" }] });
  const all = mixed(300).map((each, number): Stored<Pod> => {
    const ports = [{ name: "http", containerPort: 8_080 + (number % 5), protocol: "TCP" }];
    return { ...each, spec: { ...each.spec, containers: [{ name: "c", ports }] } };
  });
  const plan = decide({ service: named, pods: all });
  expect(outcome(plan)).toBe("60 60 60 60 60: +5 ~0 -0");
  expect(plan.create.map(({ ports }) => ports)).toEqual(
    numbers(8_080, 8_085).map((port) => [{ name: "", port, protocol: "TCP" }]),
  );
});

// upstream: endpointslice/reconciler_test.go#TestReconcileHeadlessServiceNoPorts
test("a Service without ports keeps its slice", () => {
  const headless = service("foo", { clusterIP: "None", ports: [] });
  const plan = decide({ service: headless, pods: [pod(1)] });
  expect(outcome(plan)).toBe("1: +1 ~0 -0");
  // Empty lists come back from the server as null.
  const stored = {
    ...plan.create[0],
    metadata: { ...plan.create[0]?.metadata, name: "a" },
    ports: null,
  } as unknown as EndpointSlice;
  expect(outcome(decide({ service: headless, pods: [pod(1)], slices: [stored] }), [stored])).toBe(
    "1: +0 ~0 -0",
  );
});

// upstream: endpointslice/reconciler_test.go#TestReconcilerPodMissingNode
describe("a pod whose node is not known", () => {
  const two = [pod(0, { node: "node-0" }), pod(1, { node: "node-1" })];
  const both = full("a", two);
  const one = [node("node-0")];
  test.for<[string, boolean, readonly Node[], readonly EndpointSlice[], string, number]>([
    ["is left out of a new slice", false, one, [], "1: +1 ~0 -0", 1],
    ["is in a new slice where readiness does not matter", true, one, [], "2: +1 ~0 -0", 0],
    ["is taken out", false, one, [both], "1: +0 ~1 -0", 1],
    ["stays where readiness does not matter, even if no node is known", true, [], [both], "2: +0 ~0 -0", 0],
    ["stays where readiness does not matter", true, one, [both], "2: +0 ~0 -0", 0],
    ["is taken out, also when it is the last", false, [], [both], "0: +0 ~1 -0", 2],
  ])("%s", ([, publishNotReadyAddresses, nodes, slices, expected, problems]) => {
    const plan = decide({ service: service("foo", { publishNotReadyAddresses }), pods: two, nodes, slices });
    expect(outcome(plan, slices)).toBe(expected);
    expect(plan.problems).toHaveLength(problems);
  });

  test("is named", () => {
    expect(decide({ pods: [pod(1, { node: "gone" })] }).problems).toEqual([
      "skipping Pod pod1 for Service default/foo: Node gone Not Found",
    ]);
  });
});

const nodes = ["zone-a", "zone-b", "zone-c"].flatMap((zone) =>
  numbers(0, 10).map((each) => node(`${zone}-${each}`, { zone, cpu: "100m" })),
);

// upstream: endpointslice/reconciler_test.go#TestReconcileTopology
describe("hints by topology", () => {
  const inZones = (...names: readonly string[]): readonly Stored<Pod>[] =>
    names.map((name, number) => pod(number + name.charCodeAt(5) * 100, { node: name }));
  const sliceIn = (name: string, members: readonly Stored<Pod>[]): EndpointSlice => {
    const zoneOf = (member: Stored<Pod>): Node | undefined =>
      nodes.find(({ metadata }) => metadata.name === member.spec?.nodeName);
    return slice(
      name,
      foo,
      members.map((member) => endpointOf(asStored(member), zoneOf(member), foo, "IPv4")),
    );
  };
  const ab = inZones("zone-a-7", "zone-a-8", "zone-b-6", "zone-b-7", "zone-b-8");
  const ac = inZones("zone-a-5", "zone-a-6", "zone-c-5", "zone-c-6").map((each) => ({
    ...each,
    metadata: { ...each.metadata, name: `ac-${each.metadata.name}` },
  }));
  const c = inZones("zone-c-7", "zone-c-8", "zone-c-9");
  test.for<
    [string, string, readonly (readonly Stored<Pod>[])[], Readonly<Record<string, number>>, number, number]
  >([
    ["every zone gets one of three", "auto", [c], { "zone-a": 1, "zone-b": 1, "zone-c": 1 }, 2, 1],
    ["four are too few for three zones", "auto", [ac], {}, 0, 0],
    ["two slices", "Auto", [ac, ab], { "zone-a": 3, "zone-b": 3, "zone-c": 3 }, 1, 2],
    ["nobody asks for them", "disabled", [ac, ab], {}, 0, 0],
  ])("%s", ([, mode, members, hints, crossing, updates]) => {
    const annotations = { "service.kubernetes.io/topology-aware-hints": mode };
    const asking = { ...foo, metadata: { ...foo.metadata, annotations } };
    const slices = members.map((each, index) => sliceIn(`s${index}`, each));
    const plan = decide({ service: asking, pods: members.flat(), slices, nodes });
    expect(plan.update).toHaveLength(updates);
    const endpoints = plan.update.flatMap((each) => each.endpoints ?? []);
    const hinted = Object.entries(
      Object.groupBy(endpoints, (each) => each.hints?.forZones?.[0]?.name ?? "none"),
    );
    expect(Object.fromEntries(hinted.map(([zone, all]) => [zone, all?.length]))).toEqual(hints);
    expect(endpoints.filter((each) => each.zone !== each.hints?.forZones?.[0]?.name)).toHaveLength(crossing);
  });
});

// upstream: endpointslice/reconciler_test.go#TestReconcile_TrafficDistribution
describe("hints by preference", () => {
  const sketches: readonly PodSketch[] = [
    "zone-a-0",
    "zone-b-0",
    "zone-b-0",
    "zone-b-0",
    "zone-c-0",
    "zone-c-0",
  ].map((name) => ({ node: name }));
  const own = { "zone-a": 1, "zone-b": 3, "zone-c": 2 };
  test.for<[string | undefined, string, Readonly<Record<string, number>>, number, boolean]>([
    ["PreferClose", "Disabled", own, 0, false],
    ["PreferClose", "Auto", { "zone-a": 2, "zone-b": 2, "zone-c": 2 }, 1, false],
    [undefined, "", { none: 6 }, 6, false],
    ["PreferSameNode", "Disabled", own, 0, true],
    ["PreferSameZone", "Disabled", own, 0, false],
  ])("%s, with the annotation %j", ([trafficDistribution, mode, expected, crossing, byNode]) => {
    const annotations = { "service.kubernetes.io/topology-aware-hints": mode };
    const plain = service("foo", trafficDistribution === undefined ? {} : { trafficDistribution });
    const plan = decide({
      service: { ...plain, metadata: { ...plain.metadata, annotations } },
      pods: sketches.map((sketch, number) => pod(number, sketch)),
      nodes: nodes.filter(({ metadata }) => metadata.name.endsWith("-0")),
    });
    const endpoints = plan.create.flatMap((each) => each.endpoints ?? []);
    const counts = Object.entries(
      Object.groupBy(endpoints, (each) => each.hints?.forZones?.[0]?.name ?? "none"),
    );
    expect(Object.fromEntries(counts.map(([zone, all]) => [zone, all?.length]))).toEqual(expected);
    expect(endpoints.filter((each) => each.zone !== each.hints?.forZones?.[0]?.name)).toHaveLength(crossing);
    expect(endpoints.every((each) => each.hints?.forNodes?.[0]?.name === each.nodeName)).toBe(byNode);
  });
});

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function numberOf({ metadata }: Stored<Pod>): number {
  return Number(metadata.name?.replace("pod", ""));
}
