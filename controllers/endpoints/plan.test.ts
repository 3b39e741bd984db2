import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { Labels } from "../../pkg/api/labels.ts";
import { deepFreeze } from "../../pkg/api/freeze.ts";
import { inOneGo } from "../../pkg/api/steps.ts";
import type { Endpoints, EndpointSubset, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import { CAPACITY, OVER_CAPACITY_ANNOTATION } from "./capacity.ts";
import { addressOf, desiredSubsets } from "./desired-subsets.ts";
import { decideEndpoints, type EndpointsPlan } from "./plan.ts";
import { pod, pods, service } from "./samples.test-data.ts";

const MANAGED = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
const HEADLESS = { "service.kubernetes.io/headless": "" };
const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
const foo = service("foo");
const stale: EndpointSubset = { addresses: [{ ip: "6.7.8.9", nodeName: "" }], ports: [{ port: 1_000 }] };

interface Given {
  readonly service?: Stored<Service>;
  readonly pods?: readonly Stored<Pod>[];
  readonly current?: Endpoints;
  readonly triggerTime?: string;
}

function decide({ service: owner = foo, pods: members = [], current, triggerTime }: Given): EndpointsPlan {
  return inOneGo(decideEndpoints(deepFreeze({ service: owner, pods: members, current, triggerTime })));
}

function existing(
  subsets: readonly EndpointSubset[],
  labels: Labels = MANAGED,
  annotations: Labels = {},
): Endpoints {
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "foo", namespace: "default", resourceVersion: "1", labels, annotations },
    subsets,
  };
}

function written(plan: EndpointsPlan): Endpoints {
  if (plan.action === "none") throw new Error("nothing is written");
  return plan.endpoints;
}

// upstream: pkg/controller/endpoint/endpoints_controller_test.go
describe("nothing is written", () => {
  const reversed = inOneGo(desiredSubsets(foo, pods(2))).map((subset) => ({
    ...subset,
    addresses: (subset.addresses ?? []).toReversed(),
  }));
  const versioned = inOneGo(desiredSubsets(foo, [pod(0), pod(1, { ready: false })])).map((subset) => ({
    ...subset,
    addresses: (subset.addresses ?? []).map((address) => ({
      ...address,
      targetRef: { ...address.targetRef, resourceVersion: "1" },
    })),
  }));
  test.each<[string, Given]>([
    ["TestSyncEndpointsExistingNilSubsets", { current: { metadata: existing([]).metadata } }],
    ["TestSyncEndpointsExistingEmptySubsets", { current: existing([]) }],
    [
      "TestSyncEndpointsWithPodResourceVersionUpdateOnly",
      { pods: [pod(0), pod(1, { ready: false })], current: existing(versioned) },
    ],
    ["TestSyncEndpointsHeadlessServiceLabel", { current: existing([], { ...MANAGED, ...HEADLESS }) }],
    [
      "TestSyncEndpointsItemsPreexistingIdentical",
      { pods: pods(1), current: existing(inOneGo(desiredSubsets(foo, pods(1)))) },
    ],
    ["TestSyncEndpointsItemsPreexistingIdenticalUnsorted", { pods: pods(2), current: existing(reversed) }],
    [
      "when all that has changed is since when it is true",
      { pods: pods(1), current: existing(inOneGo(desiredSubsets(foo, pods(1)))), triggerTime: "now" },
    ],
  ])("%s", (_, given) => {
    expect(decide(given)).toEqual({ action: "none" });
  });

  test("though there are too many pods, when that has been said", () => {
    const many = pods(CAPACITY + 10);
    const first = written(decide({ pods: many }));
    expect(decide({ pods: many, current: first })).toEqual({ action: "none" });
    // Which of those that are left out are ready is nobody's concern.
    const changed = many.map((each, index) =>
      index === many.length - 1 ? pod(index, { ready: true, phase: "Pending" }) : each,
    );
    expect(decide({ pods: changed, current: first })).toEqual({ action: "none" });
  });
});

// upstream: pkg/controller/endpoint/endpoints_controller_test.go
describe("Endpoints are written", () => {
  test("TestSyncEndpointsNewNoSubsets", () => {
    expect(decide({})).toEqual({
      action: "create",
      endpoints: {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "foo", namespace: "default", labels: MANAGED },
        subsets: [],
      },
    });
  });

  test.each<[string, Stored<Service>, Labels, Labels]>([
    [
      "TestSyncEndpointsItemsPreexisting",
      service("foo", { clusterIP: "None" }),
      MANAGED,
      { ...MANAGED, ...HEADLESS },
    ],
    [
      "TestSyncEndpointsHeadlessService",
      labelled({ a: "b" }, "None"),
      {},
      { ...MANAGED, ...HEADLESS, a: "b" },
    ],
    [
      "TestSyncEndpointsItemsPreexistingLabelsChange",
      labelled({ baz: "blah" }),
      { foo: "bar" },
      { ...MANAGED, baz: "blah" },
    ],
    ["when they were somebody else's", foo, {}, MANAGED],
    ["when the Service only says that it is headless", labelled(HEADLESS), {}, MANAGED],
  ])("%s", (_, owner, before, labels) => {
    const plan = decide({ service: owner, pods: pods(1), current: existing([stale], before) });
    expect(plan).toMatchObject({ action: "update" });
    expect(written(plan)).toEqual({
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { name: "foo", namespace: "default", resourceVersion: "1", labels },
      subsets: inOneGo(desiredSubsets(owner, pods(1))),
    });
  });

  test.each<[string, string | undefined, string | undefined]>([
    ["TestLastTriggerChangeTimeAnnotation", undefined, "2018-01-01T00:00:00Z"],
    [
      "TestLastTriggerChangeTimeAnnotation_AnnotationOverridden",
      "2017-01-01T00:00:00Z",
      "2018-01-01T00:00:00Z",
    ],
    ["TestLastTriggerChangeTimeAnnotation_AnnotationCleared", "2017-01-01T00:00:00Z", undefined],
  ])("%s", (_, before, triggerTime) => {
    const annotations = before === undefined ? {} : { [TRIGGER_TIME]: before };
    const given = { pods: pods(1), current: existing([stale], MANAGED, annotations) };
    const plan = decide({ ...given, ...(triggerTime !== undefined && { triggerTime }) });
    expect(written(plan).metadata.annotations?.[TRIGGER_TIME]).toBe(triggerTime);
  });
});

// upstream: pkg/controller/endpoint/endpoints_controller_test.go#TestSyncServiceOverCapacity
describe("too many pods", () => {
  test.for<[string, string | undefined, number, number, number, number, number, boolean]>([
    ["none", undefined, 0, 0, 0, 0, 0, false],
    ["some more, not ready", undefined, CAPACITY - 1, CAPACITY - 3, 4, CAPACITY - 3, 3, true],
    ["all that are not ready", undefined, CAPACITY - 1, CAPACITY, 10, CAPACITY, 0, true],
    ["not any more", "truncated", CAPACITY - 1, CAPACITY - 1, 0, CAPACITY - 1, 0, false],
    ["not any more, and a warning of old", "warning", CAPACITY, CAPACITY, 0, CAPACITY, 0, false],
    ["still, and a warning of old", "warning", CAPACITY + 1, CAPACITY + 1, 0, CAPACITY, 0, true],
    ["just not any more", "truncated", CAPACITY, CAPACITY, 0, CAPACITY, 0, false],
    ["still, and something that means nothing", "invalid", CAPACITY + 1, CAPACITY + 1, 0, CAPACITY, 0, true],
  ])("%s", ([, annotation, before, ready, notReady, keptReady, keptNotReady, isMarked]) => {
    const members = [
      ...pods(ready),
      ...Array.from({ length: notReady }, (_pod, index) => pod(ready + index, { ready: false })),
    ];
    const addresses = members
      .slice(0, before)
      .map((each) => addressOf(foo, each))
      .filter((each) => each !== undefined);
    const annotations = annotation === undefined ? {} : { [OVER_CAPACITY_ANNOTATION]: annotation };
    const plan = decide({ pods: members, current: existing([{ addresses }], {}, annotations) });
    const { subsets = [], metadata } = written(plan);
    const counts = [
      subsets.flatMap((each) => each.addresses ?? []),
      subsets.flatMap((each) => each.notReadyAddresses ?? []),
    ];
    expect(counts.map(({ length }) => length)).toEqual([keptReady, keptNotReady]);
    expect(metadata.annotations?.[OVER_CAPACITY_ANNOTATION]).toBe(isMarked ? "truncated" : undefined);
  });
});

// upstream: pkg/controller/endpoint/endpoints_controller_test.go#TestEndpointSubsetsEqualIgnoreResourceVersion
describe("what is written differs from what should be", () => {
  const named = service("foo", {
    ports: [
      { name: "a", port: 1, protocol: "TCP", targetPort: "a" },
      { name: "b", port: 2, protocol: "TCP", targetPort: "b" },
    ],
  });
  const withPort = (each: Stored<Pod>, name: string): Stored<Pod> => ({
    ...each,
    spec: { containers: [{ name: "c", ports: [{ name, containerPort: 8_081, protocol: "TCP" }] }] },
  });
  const members = [
    withPort(pod(0), "a"),
    withPort(pod(1, { ready: false }), "a"),
    withPort(pod(2), "b"),
    withPort(pod(3, { ready: false }), "b"),
  ];
  const right = inOneGo(desiredSubsets(named, members));
  test.each<[string, readonly EndpointSubset[], boolean]>([
    ["not at all", right, false],
    ["by a subset", right.slice(1), true],
    ["by an address", change(right, "addresses", (address) => ({ ...address, ip: "1.1.1.10" })), true],
    [
      "by an address that is not ready",
      change(right, "notReadyAddresses", (address) => ({ ...address, ip: "2.2.2.10" })),
      true,
    ],
    [
      "by the version of a pod",
      change(right, "addresses", (address) => ({
        ...address,
        targetRef: { ...address.targetRef, resourceVersion: "100" },
      })),
      false,
    ],
    [
      "by a version that is empty",
      change(right, "addresses", (address) => ({
        ...address,
        targetRef: { ...address.targetRef, resourceVersion: "" },
      })),
      false,
    ],
    ["by a port", right.map((subset) => ({ ...subset, ports: [{ port: 8_082 }] })), true],
  ])("%s", (_, subsets, differs) => {
    expect(decide({ service: named, pods: members, current: existing(subsets) }).action).toBe(
      differs ? "update" : "none",
    );
  });
});

function change(
  subsets: readonly EndpointSubset[],
  list: "addresses" | "notReadyAddresses",
  to: (
    address: NonNullable<EndpointSubset["addresses"]>[number],
  ) => NonNullable<EndpointSubset["addresses"]>[number],
): readonly EndpointSubset[] {
  return subsets.map((subset) => ({ ...subset, [list]: (subset[list] ?? []).map(to) }));
}

function labelled(labels: Labels, clusterIP = "1.1.1.1"): Stored<Service> {
  const plain = service("foo", { clusterIP });
  return { ...plain, metadata: { ...plain.metadata, labels } };
}
