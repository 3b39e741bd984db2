import { describe, expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import type { OwnerReference, PartialObject } from "../../pkg/api/object.ts";
import { foreignPods, foreignPodsText } from "./owned-pods.ts";

function pod(name: string, kind?: string, uid = "other"): PartialObject {
  const owner: OwnerReference = { apiVersion: "apps/v1", kind: kind ?? "", name: uid, uid, controller: true };
  return { metadata: { name, ...(kind !== undefined && { ownerReferences: [owner] }) } };
}

const ofTarget = new Map<string, { readonly uid: string | undefined }>([
  ["ours", { uid: "target" }],
  ["theirs", { uid: "another" }],
  ["nobody's", { uid: undefined }],
]);

describe("a pod is none of the target's", () => {
  test.each([
    ["that nobody owns", pod("a"), true],
    ["that it owns itself", pod("a", "StatefulSet", "target"), false],
    ["of another StatefulSet", pod("a", "StatefulSet"), true],
    ["of another Job", pod("a", "Job"), true],
    ["of a ReplicaSet of the target", pod("a", "ReplicaSet", "ours"), false],
    ["of a ReplicaSet of another", pod("a", "ReplicaSet", "theirs"), true],
    ["of a ReplicaSet of nobody", pod("a", "ReplicaSet", "nobody's"), true],
    ["of a ReplicaSet that nobody knows", pod("a", "ReplicaSet", "unknown"), false],
    ["of something that nobody knows", pod("a", "Rollout"), false],
  ])("%s: %#", (_, one, isForeign) => {
    const found = inOneGo(
      foreignPods([one], { target: "target", ownerOfReplicaSet: ({ uid }) => ofTarget.get(uid) }),
    );
    expect(found).toEqual(isForeign ? [one] : []);
  });
});

test.each([
  [[], true, ""],
  [["a"], true, "; 1 pod that the target does not own is counted: a"],
  [["a", "b"], false, "; 2 pods that the target does not own are not counted: a, b"],
  [["a", "b", "c", "d"], true, "; 4 pods that the target does not own are counted: a, b, c, …"],
])("%j are told of, counted or not (%s): %s", (names, areCounted, expected) => {
  expect(
    foreignPodsText(
      names.map((name) => pod(name)),
      areCounted,
    ),
  ).toBe(expected);
});
