import { describe, expect, test } from "vitest";
import {
  claimNameOf,
  claimNamesOf,
  type ClaimUser,
  consumerOf,
  hasAdminAccess,
  isClaimForPod,
  isClaimOfGroup,
  isReservedForPod,
  type PodWithDevices,
} from "./device-claims.ts";
import type { OwnerReference } from "./object.ts";
import type { PodResourceClaim } from "./types/core-v1.gen.ts";
import type { DeviceRequest, ResourceClaimConsumerReference } from "./types/resource-v1.gen.ts";

const pod: PodWithDevices = {
  metadata: { namespace: "ns", name: "web", uid: "u1" },
  spec: { schedulingGroup: { podGroupName: "group" } },
};

// upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim_test.go#TestName, #TestNameFromPodGroup
describe("the name of a claim", () => {
  const status = {
    resourceClaimStatuses: [{ name: "made", resourceClaimName: "web-made-x" }, { name: "none" }],
  };
  const user: ClaimUser = { metadata: { name: "web" }, status };
  test.each<[string, PodResourceClaim, ReturnType<typeof claimNameOf>]>([
    [
      "is in the spec",
      { name: "a", resourceClaimName: "mine" },
      { kind: "named", name: "mine", isMade: false },
    ],
    [
      "is told in the status",
      { name: "made", resourceClaimTemplateName: "t" },
      { kind: "named", name: "web-made-x", isMade: true },
    ],
    ["is not known yet", { name: "new", resourceClaimTemplateName: "t" }, { kind: "not-made-yet" }],
    [
      "is none where none is needed",
      { name: "none", resourceClaimTemplateName: "t" },
      { kind: "not-needed" },
    ],
    ["cannot be told of what is unknown", { name: "made" }, { kind: "unsupported" }],
  ])("%s", (_, claim, expected) => {
    expect(claimNameOf(user, claim)).toEqual(expected);
  });

  test("all that are known", () => {
    const resourceClaims = [
      { name: "a", resourceClaimName: "mine" },
      { name: "made", resourceClaimTemplateName: "t" },
      { name: "new", resourceClaimTemplateName: "t" },
    ];
    expect(claimNamesOf({ ...user, spec: { resourceClaims } })).toEqual(["mine", "web-made-x"]);
    expect(claimNamesOf({ metadata: {} })).toEqual([]);
  });
});

// upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim_test.go#TestResourceClaimIsFor
describe("a claim is for the pod", () => {
  const byPod: OwnerReference = { apiVersion: "v1", kind: "Pod", name: "web", uid: "u1", controller: true };
  const byGroup: OwnerReference = {
    apiVersion: "scheduling.k8s.io/v1beta9",
    kind: "PodGroup",
    name: "group",
    uid: "g1",
    controller: true,
  };
  test.each<[string, boolean, boolean, OwnerReference | undefined]>([
    ["that controls it", true, false, byPod],
    ["and not for one that had its name", false, false, { ...byPod, uid: "u0" }],
    ["and not for what does not control it", false, false, { ...byPod, controller: false }],
    ["and not without an owner", false, false, undefined],
    ["by its group, in any version", true, true, byGroup],
    ["and not by its group where groups have none", false, false, byGroup],
    ["and not by another group", false, true, { ...byGroup, name: "other" }],
    ["and not by another kind of group", false, true, { ...byGroup, kind: "Gang" }],
    ["and not by what others call a group", false, true, { ...byGroup, apiVersion: "example.com/v1" }],
    ["also where groups have some", true, true, byPod],
  ])("%s", (_, expected, withGroups, owner) => {
    const claim = { metadata: { namespace: "ns", name: "c", ...(owner && { ownerReferences: [owner] }) } };
    expect(isClaimForPod(pod, claim, withGroups)).toBe(expected);
  });

  test("and not in another namespace", () => {
    const claim = { metadata: { namespace: "other", name: "c", ownerReferences: [byPod] } };
    expect(isClaimForPod(pod, claim, false)).toBe(false);
  });

  test("and not by a group that it is not in", () => {
    const claim = { metadata: { namespace: "ns", name: "c", ownerReferences: [byGroup] } };
    expect(isClaimForPod({ metadata: pod.metadata }, claim, true)).toBe(false);
  });
});

// upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim_test.go#TestIsReservedForPod
describe("a claim is reserved for the pod", () => {
  const own = consumerOf({ metadata: { name: "web", uid: "u1", resourceVersion: "1" } }, "pods");
  const group = consumerOf({ metadata: { name: "group", uid: "g1", resourceVersion: "1" } }, "podgroups");
  const other = { ...own, name: "other", uid: "u2" };
  test.each<[string, boolean, boolean, readonly ResourceClaimConsumerReference[]]>([
    ["not by nobody", false, true, []],
    ["by itself", true, false, [own]],
    ["not by another", false, true, [other]],
    ["among others", true, true, [other, own]],
    ["not by several others", false, true, [other, { ...own, uid: "u3" }]],
    ["by its group", true, true, [group]],
    ["not by its group where groups have none", false, false, [group]],
    ["by both", true, true, [own, group]],
    ["not by another group", false, true, [{ ...group, name: "other" }]],
    ["by its group among others", true, true, [other, group]],
    ["not by what others call a group", false, true, [{ ...group, apiGroup: "example.com" }]],
    ["not by what has the group's name", false, true, [{ ...group, resource: "workloads" }]],
  ])("%s", (_, expected, withGroups, reservedFor) => {
    expect(isReservedForPod(pod, { status: { reservedFor } }, withGroups)).toBe(expected);
  });

  test("pods and groups are named as the server has them", () => {
    expect([own, group]).toEqual([
      { resource: "pods", name: "web", uid: "u1" },
      { apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "group", uid: "g1" },
    ]);
  });
});

// upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim_test.go#TestBindTo
test.each<[string, boolean, PodResourceClaim]>([
  ["a claim that is the same in all", true, { name: "a", resourceClaimTemplateName: "t" }],
  ["one that is there", true, { name: "b", resourceClaimName: "c" }],
  ["none of another name", false, { name: "x", resourceClaimTemplateName: "t" }],
  ["none of another template", false, { name: "a", resourceClaimTemplateName: "x" }],
  ["none that names another", false, { name: "b", resourceClaimName: "x" }],
  ["none that is named where there is a template", false, { name: "a", resourceClaimName: "t" }],
])("a pod has from its group %s", (_, expected, claim) => {
  const resourceClaims = [
    { name: "a", resourceClaimTemplateName: "t" },
    { name: "b", resourceClaimName: "c" },
  ];
  expect(isClaimOfGroup(claim, { spec: { resourceClaims } })).toBe(expected);
});

// upstream: pkg/controller/resourceclaim/controller_test.go#TestGetAdminAccessMetricLabel
test.each<[string, boolean, readonly Omit<DeviceRequest, "name">[] | undefined]>([
  ["without requests", false, undefined],
  ["that does not ask for it", false, [{ exactly: { deviceClassName: "c", adminAccess: false } }]],
  ["that asks for it", true, [{ exactly: { deviceClassName: "c", adminAccess: true } }]],
  ["with alternatives", false, [{ firstAvailable: [{ name: "s", deviceClassName: "c" }] }]],
  [
    "one of whose requests does",
    true,
    [
      { exactly: { deviceClassName: "c", adminAccess: false } },
      { exactly: { deviceClassName: "c", adminAccess: true } },
    ],
  ],
  [
    "none of whose requests does",
    false,
    [{ exactly: { deviceClassName: "c" } }, { exactly: { deviceClassName: "c", adminAccess: false } }],
  ],
])("a claim %s has admin access: %s", (_, expected, requests) => {
  const named = requests?.map((request, index) => ({ ...request, name: `r${index}` }));
  expect(hasAdminAccess({ spec: named === undefined ? {} : { devices: { requests: named } } })).toBe(
    expected,
  );
});
