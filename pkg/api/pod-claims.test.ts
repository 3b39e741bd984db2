import { expect, test } from "vitest";
import { claimKeysOf, isClaimOfPod, podClaims } from "./pod-claims.ts";

const pod = {
  metadata: { name: "web-0", namespace: "team", uid: "uid-1" },
  spec: {
    containers: [],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "shared" } },
      { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: "tmp", emptyDir: {} },
    ],
  },
};

test("a pod names the claims of its volumes, and those that are made for it", () => {
  expect(podClaims(pod)).toEqual([
    { name: "shared", isEphemeral: false },
    { name: "web-0-scratch", isEphemeral: true },
  ]);
  expect(claimKeysOf(pod)).toEqual(["team/shared", "team/web-0-scratch"]);
  expect(podClaims({ metadata: pod.metadata })).toEqual([]);
});

test.each([
  ["controlled by it", { namespace: "team" }, { uid: "uid-1", controller: true }, true],
  ["controlled by another of its name", { namespace: "team" }, { uid: "uid-0", controller: true }, false],
  ["owned, and controlled by nobody", { namespace: "team" }, { uid: "uid-1" }, false],
  ["in another namespace", { namespace: "other" }, { uid: "uid-1", controller: true }, false],
])("a claim %s is the pod's: see there", (_, meta, reference, expected) => {
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "web-0", ...reference }];
  const claim = { metadata: { name: "web-0-scratch", ...meta, ownerReferences } };
  expect(isClaimOfPod(claim, pod)).toBe(expected);
  expect(isClaimOfPod({ metadata: { name: "web-0-scratch", namespace: "team" } }, pod)).toBe(false);
});
