import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Labels } from "../../pkg/api/labels.ts";
import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { isMirrored } from "./mirror-slice.ts";
import { mirrorAddress } from "./mirrored-endpoints.ts";
import { decideMirror, recycle } from "./plan.ts";

const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
const OWN = {
  "kubernetes.io/service-name": "test-ep",
  "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
};

// upstream: pkg/controller/endpointslicemirroring/reconciler_helpers_test.go#TestRecycleSlices
describe("slices that are to go are used for those that are to come", () => {
  const simple = (name: string, address: string): EndpointSlice => ({
    metadata: { name },
    addressType: address.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [address] }],
  });
  type Pairs = readonly (readonly [name: string, address: string])[];
  test.for<[string, Pairs, Pairs, Pairs, Pairs, Pairs, Pairs]>([
    ["none", [], [], [], [], [], []],
    ["one of each", [["foo", "10.1.2.3"]], [], [["bar", "10.2.3.4"]], [], [["bar", "10.1.2.3"]], []],
    [
      "one of each, and one that is changed",
      [["foo", "10.1.2.3"]],
      [["baz", "10.2.3.4"]],
      [["bar", "10.3.4.5"]],
      [],
      [
        ["baz", "10.2.3.4"],
        ["bar", "10.1.2.3"],
      ],
      [],
    ],
    [
      "two to come",
      [
        ["foo1", "10.1.2.3"],
        ["foo2", "10.3.4.5"],
      ],
      [],
      [["bar", "10.2.3.4"]],
      [["foo2", "10.3.4.5"]],
      [["bar", "10.1.2.3"]],
      [],
    ],
    [
      "two to go",
      [["foo1", "10.1.2.3"]],
      [],
      [
        ["bar1", "10.2.3.4"],
        ["bar2", "10.3.4.5"],
      ],
      [],
      [["bar1", "10.1.2.3"]],
      [["bar2", "10.3.4.5"]],
    ],
    [
      "of both families",
      [
        ["foo-v4", "10.1.2.3"],
        ["foo-v6", "2001:db8::1"],
      ],
      [],
      [
        ["bar-v4", "10.2.2.3"],
        ["bar-v6", "2001:db8::2"],
      ],
      [],
      [
        ["bar-v4", "10.1.2.3"],
        ["bar-v6", "2001:db8::1"],
      ],
      [],
    ],
    [
      "not of another family",
      [["foo-v4", "10.1.2.3"]],
      [],
      [["bar-v6", "2001:db8::2"]],
      [["foo-v4", "10.1.2.3"]],
      [],
      [["bar-v6", "2001:db8::2"]],
    ],
  ])("%s", ([, create, update, remove, ...expected]) => {
    const all = (pairs: Pairs): readonly EndpointSlice[] =>
      pairs.map(([name, address]) => simple(name, address));
    const recycled = recycle({ create: all(create), update: all(update), remove: all(remove) });
    const pairsOf = (slices: readonly EndpointSlice[]): Pairs =>
      slices.map(({ metadata, endpoints: content = [] }) => [
        metadata.name ?? "",
        content[0]?.addresses[0] ?? "",
      ]);
    expect([recycled.create, recycled.update, recycled.remove].map(pairsOf)).toEqual(expected);
  });
});

// upstream: pkg/controller/endpointslicemirroring/endpointslicemirroring_controller_test.go#TestShouldMirror
test.each<[string, Endpoints["metadata"], boolean]>([
  ["plain ones", { name: "test" }, true],
  ["those that say no", { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }, false],
  [
    "those that say something that means nothing",
    { labels: { "endpointslice.kubernetes.io/skip-mirror": "invalid" } },
    true,
  ],
  ["those that serve as a lock", { annotations: { "control-plane.alpha.kubernetes.io/leader": "" } }, false],
])("Endpoints are mirrored: %s", (_, metadata, expected) => {
  expect(isMirrored({ metadata })).toBe(expected);
});

// upstream: pkg/controller/endpointslicemirroring/utils_test.go#TestNewEndpointSlice
test.each<[string, Endpoints["metadata"], Labels, Labels | undefined]>([
  ["nothing", {}, {}, undefined],
  ["annotations", { annotations: { foo: "bar" } }, {}, { foo: "bar" }],
  ["labels", { labels: { foo: "bar" } }, { foo: "bar" }, undefined],
  ["both", { labels: { foo: "bar" }, annotations: { foo2: "bar2" } }, { foo: "bar" }, { foo2: "bar2" }],
  [
    "both, and a time",
    { labels: { foo: "bar" }, annotations: { foo2: "bar2", [TRIGGER_TIME]: "date" } },
    { foo: "bar" },
    { foo2: "bar2" },
  ],
])("a new slice has the Endpoints' labels and annotations: %s", (_, metadata, labels, annotations) => {
  const plan = decideMirror({
    endpoints: endpointsWith(metadata),
    slices: [],
    maxPerSubset: 10,
  });
  expect(plan.create[0]?.metadata).toEqual({
    generateName: "test-ep-",
    namespace: "test",
    labels: { ...labels, ...OWN },
    ...(annotations && { annotations }),
    ownerReferences: [
      {
        apiVersion: "v1",
        kind: "Endpoints",
        name: "test-ep",
        uid: "uid",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
});

// upstream: pkg/controller/endpointslicemirroring/utils_test.go#TestAddressToEndpoint
test("an address says the same as an endpoint", () => {
  const targetRef = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "foo" };
  expect(mirrorAddress({ ip: "10.1.2.3", hostname: "foo", nodeName: "node-abc", targetRef }, true)).toEqual({
    family: "IPv4",
    endpoint: {
      addresses: ["10.1.2.3"],
      hostname: "foo",
      conditions: { ready: true },
      targetRef,
      nodeName: "node-abc",
    },
  });
});

function endpointsWith(metadata: Endpoints["metadata"]): Stored<Endpoints> {
  return asStored({
    metadata: { name: "test-ep", namespace: "test", uid: "uid", ...metadata },
    subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80, protocol: "TCP" }] }],
  });
}
