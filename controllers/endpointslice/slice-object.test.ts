import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Labels } from "../../pkg/api/labels.ts";
import type { Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { slicePrefix } from "../../pkg/endpoints/slice-name.ts";
import { familiesOf } from "./address-families.ts";
import { service } from "./samples.test-data.ts";
import { labelsDiffer, labelsFor, newSlice, servesAsPlaceholder, withTriggerTime } from "./slice-object.ts";
import { trafficDistributionOf, wantsTopologyHints } from "./traffic-distribution.ts";

const NAME = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
const HEADLESS = "service.kubernetes.io/headless";
const OWN = { [NAME]: "foo", [MANAGED_BY]: "endpointslice-controller.k8s.io" };

// upstream: endpointslice/utils_test.go#TestNewEndpointSlice
test.each<[string, Service, Labels]>([
  ["a Service without labels", service("foo"), OWN],
  ["one with a label", labelled({ foo: "bar" }), { ...OWN, foo: "bar" }],
  ["one without an address", labelled({ foo: "bar" }, "None"), { ...OWN, foo: "bar", [HEADLESS]: "" }],
  ["one with labels", labelled({ foo: "bar", foo2: "bar2" }), { ...OWN, foo: "bar", foo2: "bar2" }],
  [
    "one with labels that are not its to give",
    labelled({ [NAME]: "bad", [MANAGED_BY]: "actor", foo: "bar" }),
    { ...OWN, foo: "bar" },
  ],
  ["one with annotations", annotated({ foo: "bar" }), OWN],
])("a new slice of %s", (_, owner, labels) => {
  const ports = [{ name: "foo", protocol: "TCP" }];
  expect(newSlice(asStored(owner), ports, "IPv4")).toEqual({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: "foo-",
      namespace: "default",
      labels,
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Service",
          name: "foo",
          uid: "foo-uid",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    addressType: "IPv4",
    ports,
    endpoints: [],
  });
});

// upstream: endpointslice/utils_test.go#TestSetEndpointSliceLabels
describe("labels of a slice", () => {
  const headless = { ...OWN, [HEADLESS]: "" };
  test.for<[string, Labels | undefined, Service, Labels, boolean]>([
    ["none, and none of the Service", undefined, service("foo"), OWN, false],
    [
      "none, of a headless Service with one",
      undefined,
      labelled({ foo: "bar" }, "None"),
      { ...headless, foo: "bar" },
      true,
    ],
    [
      "none, of a headless Service with none",
      undefined,
      service("foo", { clusterIP: "None" }),
      headless,
      false,
    ],
    ["none, of a Service that says it is headless", undefined, labelled({ [HEADLESS]: "" }), OWN, false],
    ["headless, of a Service that still says so", headless, labelled({ [HEADLESS]: "" }), OWN, false],
    ["headless, of a Service with an address", headless, service("foo"), OWN, false],
    [
      "the same, of a headless Service",
      { ...OWN, foo: "bar" },
      labelled({ foo: "bar" }, "None"),
      { ...headless, foo: "bar" },
      false,
    ],
    ["none, of a Service with one", undefined, labelled({ foo: "bar" }), { ...OWN, foo: "bar" }, true],
    ["one, of a Service with none", { ...OWN, foo: "bar" }, service("foo"), OWN, true],
    ["headless and nothing else, of a Service with an address", headless, service("foo"), OWN, false],
    ["its own, of a Service with one", OWN, labelled({ foo: "bar" }), { ...OWN, foo: "bar" }, true],
    [
      "its own, of a Service that claims these",
      OWN,
      labelled({ [NAME]: "bad", [MANAGED_BY]: "actor", [HEADLESS]: "invalid" }),
      OWN,
      false,
    ],
    [
      "its own, of a Service that claims these and has one",
      OWN,
      labelled({ [NAME]: "bad", [MANAGED_BY]: "actor", foo: "bar" }),
      { ...OWN, foo: "bar" },
      true,
    ],
  ])("%s", ([, labels, owner, expected, differ]) => {
    const slice: EndpointSlice = { metadata: { ...(labels && { labels }) }, addressType: "IPv4" };
    expect(labelsFor(asStored(owner))).toEqual(expected);
    expect(labelsDiffer(slice, owner)).toBe(differ);
  });
});

// upstream: endpointslice/reconciler_test.go#TestPlaceHolderSliceCompare
test.each<[string, Partial<EndpointSlice>, Partial<EndpointSlice>, boolean]>([
  ["two with nothing", {}, {}, true],
  ["of different names", { metadata: { name: "foo" } }, { metadata: { name: "bar" } }, true],
  [
    "of different labels",
    { metadata: { labels: { foo: "true" } } },
    { metadata: { labels: { bar: "true" } } },
    false,
  ],
  [
    "of different ages",
    { metadata: { creationTimestamp: "1970-01-01T00:00:01Z" } },
    { metadata: { creationTimestamp: "1970-01-01T00:00:02Z" } },
    true,
  ],
  ["of different families", { addressType: "IPv4" }, { addressType: "IPv6" }, false],
  // Not in upstream's table.
  ["of which one has an endpoint", { endpoints: [{ addresses: ["1.2.3.4"] }] }, {}, false],
  ["of which one has a port", { ports: [{ port: 80 }] }, {}, false],
  ["of which one has a label with no value", { metadata: { labels: { foo: "" } } }, {}, true],
])("slices that serve as a placeholder: %s", (_, one, other, expected) => {
  const whole = (part: Partial<EndpointSlice>): EndpointSlice => ({
    metadata: {},
    addressType: "IPv4",
    ...part,
  });
  expect(servesAsPlaceholder(whole(one), whole(other))).toBe(expected);
});

// upstream: endpointslice/utils_test.go#TestSupportedServiceAddressType
test.each<[string, Service["spec"], readonly string[]]>([
  ["an address of the fourth version and no families", { clusterIP: "10.0.0.10" }, ["IPv4"]],
  ["an address of the sixth version and no families", { clusterIP: "2000::1" }, ["IPv6"]],
  ["the fourth", { ipFamilies: ["IPv4"] }, ["IPv4"]],
  ["the sixth", { ipFamilies: ["IPv6"] }, ["IPv6"]],
  ["both", { ipFamilies: ["IPv4", "IPv6"] }, ["IPv4", "IPv6"]],
  ["both, the other way round", { ipFamilies: ["IPv6", "IPv4"] }, ["IPv4", "IPv6"]],
  ["no address, selector or families", { clusterIP: "None" }, ["IPv4", "IPv6"]],
  ["no address or families", { clusterIP: "None", selector: { foo: "bar" } }, ["IPv4", "IPv6"]],
  ["no address or selector", { clusterIP: "None", ipFamilies: ["IPv4", "IPv6"] }, ["IPv4", "IPv6"]],
  [
    "no address",
    { clusterIP: "None", selector: { foo: "bar" }, ipFamilies: ["IPv4", "IPv6"] },
    ["IPv4", "IPv6"],
  ],
])("a Service has slices by its families: %s", (_, spec, families) => {
  expect(familiesOf({ metadata: {}, ...(spec && { spec }) })).toEqual(families);
});

// upstream: endpointslice/utils_test.go#Test_hintsEnabled
test.each<[Labels | undefined, boolean]>([
  [undefined, false],
  [{ "topology-hints": "enabled" }, false],
  ...["topology-aware-hints", "topology-mode"].flatMap((name): [Labels, boolean][] => [
    [{ [`service.kubernetes.io/${name}`]: "enabled" }, false],
    [{ [`service.kubernetes.io/${name}`]: "aUto" }, false],
    [{ [`service.kubernetes.io/${name}`]: "auto" }, true],
    [{ [`service.kubernetes.io/${name}`]: "Auto" }, true],
    [{ [`service.kubernetes.io/${name}`]: "disabled" }, false],
  ]),
  [
    {
      "service.kubernetes.io/topology-mode": "disabled",
      "service.kubernetes.io/topology-aware-hints": "auto",
    },
    true,
  ],
  [
    {
      "service.kubernetes.io/topology-mode": "auto",
      "service.kubernetes.io/topology-aware-hints": "disabled",
    },
    false,
  ],
])("annotations %j ask for hints by topology: %s", (annotations, expected) => {
  const owner = annotations === undefined ? service("foo") : annotated(annotations);
  expect(wantsTopologyHints(owner)).toBe(expected);
  const preferring = { ...owner, spec: { trafficDistribution: "PreferClose" } };
  expect(trafficDistributionOf(preferring)).toBe(expected ? undefined : "PreferClose");
});

test.each([
  ["web", "web-"],
  ["a".repeat(252), `${"a".repeat(252)}-`],
  ["a".repeat(254), "a".repeat(254)],
])("the names of slices begin with the Service's: %s", (name, prefix) => {
  expect(slicePrefix(name)).toBe(prefix);
});

test.each<[string, Labels | undefined, string | undefined, Labels | undefined]>([
  ["is told", undefined, "2026-01-01T00:00:00Z", { [TRIGGER_TIME]: "2026-01-01T00:00:00Z" }],
  ["is told anew", { [TRIGGER_TIME]: "old", a: "b" }, "new", { [TRIGGER_TIME]: "new", a: "b" }],
  ["is not told any more", { [TRIGGER_TIME]: "old" }, undefined, undefined],
])("since when what a slice says is true %s", (_, annotations, time, expected) => {
  const slice: EndpointSlice = { metadata: { ...(annotations && { annotations }) }, addressType: "IPv4" };
  expect(withTriggerTime(slice, time).metadata.annotations).toEqual(expected);
});

function labelled(labels: Labels, clusterIP = "1.1.1.1"): Service {
  const plain = service("foo", { clusterIP });
  return { ...plain, metadata: { ...plain.metadata, labels } };
}

function annotated(annotations: Labels): Service {
  const plain = service("foo");
  return { ...plain, metadata: { ...plain.metadata, annotations } };
}
