import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { OwnerReference } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { hasUnexpectedController, isClaimStale, isOwnershipUpToDate, ownersOf } from "./retention.ts";

type Policy = "Retain" | "Delete";

function setWith(whenScaled: Policy, whenDeleted: Policy, replicas = 2): StatefulSet {
  const persistentVolumeClaimRetentionPolicy = { whenScaled, whenDeleted };
  return {
    metadata: { name: "set", namespace: "default", uid: "set-uid" },
    spec: { replicas, selector: {}, template: {}, persistentVolumeClaimRetentionPolicy },
  };
}

const set = setWith("Delete", "Delete");
const pod: Pod = { metadata: { name: "set-1", namespace: "default", uid: "pod-uid" } };
const condemned: Pod = { metadata: { name: "set-2", namespace: "default", uid: "pod-uid" } };

function claim(...ownerReferences: readonly OwnerReference[]): PersistentVolumeClaim {
  return { metadata: { name: "claim", ownerReferences } };
}

const setRef = newControllerRef(asStored(set), resources.statefulSets);
const podRef = (owner: Pod): OwnerReference => newControllerRef(asStored(owner), resources.pods);
const custom: OwnerReference = { apiVersion: "custom/v1", kind: "Random", name: "random", uid: "abc" };
const { controller: _, ...setRefWithoutControl } = setRef;
const { controller: __, ...podRefWithoutControl } = podRef(pod);

const policies: readonly [
  name: string,
  scaled: Policy,
  deleted: Policy,
  of: Pod,
  wants: { readonly set: boolean; readonly pod: boolean },
][] = [
  ["kept in all cases", "Retain", "Retain", pod, { set: false, pod: false }],
  ["going with the set", "Retain", "Delete", pod, { set: true, pod: false }],
  ["going when scaled down, of a pod that is", "Delete", "Retain", condemned, { set: false, pod: true }],
  ["going when scaled down, of a pod that stays", "Delete", "Retain", pod, { set: false, pod: false }],
  ["going in both cases, of a pod scaled down", "Delete", "Delete", condemned, { set: false, pod: true }],
  ["going in both cases, of a pod that stays", "Delete", "Delete", pod, { set: true, pod: false }],
];

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestIsClaimOwnerUpToDate,
// #TestUpdateClaimOwnerRefForSetAndPod: each with every combination of owners that it may have
describe.for(policies)("a claim %s", ([_name, scaled, deleted, of, wants]) => {
  const owner = setWith(scaled, deleted);
  const combinations = [false, true].flatMap((hasSet) =>
    [false, true].flatMap((hasPod) => [false, true].map((hasOther) => ({ hasSet, hasPod, hasOther }))),
  );
  test.each(combinations)(
    "with the set: $hasSet, the pod: $hasPod, another owner: $hasOther",
    ({ hasSet, hasPod, hasOther }) => {
      const given = claim(
        ...(hasSet ? [setRef] : []),
        ...(hasPod ? [podRef(of)] : []),
        ...(hasOther ? [custom] : []),
      );
      const right = hasSet === wants.set && hasPod === wants.pod;
      expect(isOwnershipUpToDate(given, asStored(owner), of)).toBe(right);
      const corrected = ownersOf(given, asStored(owner), of);
      expect(corrected).toEqual([
        ...(hasOther ? [custom] : []),
        ...(wants.set ? [setRef] : []),
        ...(wants.pod ? [podRef(of)] : []),
      ]);
      expect(isOwnershipUpToDate(claim(...corrected), asStored(owner), of)).toBe(true);
    },
  );
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestClaimOwnerUpToDateEdgeCases
describe("the owners of a claim are as they should be", () => {
  const onePod = setWith("Delete", "Delete", 1);
  const withSet = setWith("Retain", "Delete");
  const stranger = { ...custom, controller: true };
  test.each<[string, StatefulSet, readonly OwnerReference[], boolean]>([
    ["with the pod in control", onePod, [podRef(pod)], true],
    ["not with the pod as one owner among others", onePod, [podRefWithoutControl], false],
    ["with an earlier pod of the name", onePod, [{ ...podRef(pod), uid: "stale" }], true],
    ["not with the pod and a stranger in control", onePod, [podRef(pod), stranger], false],
    ["with the set in control", withSet, [setRef], true],
    ["not with the set as one owner among others", withSet, [setRefWithoutControl], false],
    ["with an earlier set of the name", withSet, [{ ...setRef, uid: "stale" }], true],
    ["not with the set and a stranger in control", withSet, [setRef, stranger], false],
    ["with a stranger in control alone", withSet, [stranger], true],
  ])("%s", (_name, owner, owners, right) => {
    expect(isOwnershipUpToDate(claim(...owners), asStored(owner), pod)).toBe(right);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestUpdateClaimControllerRef
describe("the owners that a claim gets", () => {
  const onlyPod: Pod = { metadata: { name: "set-0", uid: "456" } };
  const else_: OwnerReference = { apiVersion: "someone", kind: "Else", name: "set", uid: "456-else" };
  test.each<[string, readonly OwnerReference[], readonly OwnerReference[]]>([
    ["are what they were where that is right", [else_, setRef], [else_, setRef]],
    ["have the set in control", [setRefWithoutControl], [setRef]],
    ["have the set beside another kind's of that name", [else_], [else_, setRef]],
    ["begin with the set", [], [setRef]],
    ["leave out a set of no uid, which may be an earlier one", [{ ...setRef, uid: "" }], []],
    ["leave out such a set without control", [{ ...setRefWithoutControl, uid: "" }], []],
  ])("%s", (_name, before, after) => {
    expect(ownersOf(claim(...before), asStored(set), onlyPod)).toEqual(after);
  });

  test("leave out the set and the pod beside a stranger in control", () => {
    const stranger = { ...custom, controller: true };
    expect(ownersOf(claim(setRef, podRef(condemned), stranger), asStored(set), condemned)).toEqual([
      stranger,
    ]);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestHasUnexpectedController
describe("an unexpected controller", () => {
  const another = { ...custom, controller: true };
  test.each<[string, readonly OwnerReference[], boolean]>([
    ["is one of another kind", [another], true],
    ["is not an owner that says it does not control", [{ ...custom, controller: false }], false],
    ["is not an owner that does not say", [custom], false],
    ["is another pod", [{ ...podRef(pod), name: "other-1", uid: "x" }], true],
    ["is another set", [{ ...setRef, name: "other", uid: "x" }], true],
    ["is not the set", [setRef], false],
    ["is an earlier set of the name", [{ ...setRef, uid: "stale" }], true],
    ["is not the pod", [podRef(pod)], false],
    ["is an earlier pod of the name", [{ ...podRef(pod), uid: "stale" }], true],
    ["is one beside the pod", [podRef(pod), another], true],
    ["is not an owner beside the pod", [podRef(pod), custom], false],
  ])("%s", (_name, owners, unexpected) => {
    expect(hasUnexpectedController(claim(...owners), asStored(set), pod)).toBe(unexpected);
    // Where claims are kept in all cases, anybody may manage them.
    expect(hasUnexpectedController(claim(...owners), asStored(setWith("Retain", "Retain")), pod)).toBe(false);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestNonController
describe("owners are right only when they control: of a claim that goes with the set", () => {
  const withSet = setWith("Retain", "Delete");
  test.each<[string, readonly OwnerReference[], boolean]>([
    ["set and pod in control", [setRef, podRef(pod)], false],
    ["set in control, pod not", [setRef, podRefWithoutControl], false],
    ["pod in control, set not", [setRefWithoutControl, podRef(pod)], false],
    ["set in control", [setRef], true],
    ["pod in control", [podRef(pod)], false],
    ["nothing", [], false],
    ["set not in control", [setRefWithoutControl], false],
    ["set explicitly not in control", [{ ...setRef, controller: false }], false],
    ["pod not in control", [podRefWithoutControl], false],
    ["set in control, another not", [setRef, custom], true],
  ])("%s", (_name, owners, right) => {
    expect(isOwnershipUpToDate(claim(...owners), asStored(withSet), pod)).toBe(right);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestHasStaleOwnerRef
describe("a claim goes with an earlier pod", () => {
  const scaled = setWith("Delete", "Retain");
  test.each<[string, PersistentVolumeClaim, Pod, boolean]>([
    ["whose name it bears", claim({ ...podRef(pod), uid: "stale" }), pod, true],
    ["and not with this one", claim(podRef(pod)), pod, false],
    ["and not with one of another name", claim({ ...podRef(pod), name: "set-9" }), pod, false],
    ["and not with a set", claim({ ...setRef, name: "set-1" }), pod, false],
    ["as any is when this one is yet to be made", claim(podRef(pod)), { metadata: { name: "set-1" } }, true],
  ])("%s", (_name, given, of, stale) => {
    expect(isClaimStale(given, asStored(scaled), of)).toBe(stale);
    // Claims that are kept when scaled wait for pods of the same name.
    expect(isClaimStale(given, asStored(setWith("Retain", "Delete")), of)).toBe(false);
  });
});
