import { expect, test } from "vitest";
import { listerOf } from "../../test/harness/lister-of.ts";
import { asStored, stored } from "../../test/harness/stored.ts";
import { newControllerRef } from "../api/owner-references.ts";
import { resources } from "../api/resources.ts";
import type { ReplicaSet } from "../api/types/apps-v1.gen.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";
import { CONTROLLER_INDEX, controllerIndex, ownedBy, ownedByOrFree } from "./controller-index.ts";

const rs1 = asStored<ReplicaSet>({ metadata: { name: "rs1", namespace: "ns", uid: "rs1-uid" } });
const rs2 = asStored<ReplicaSet>({ metadata: { name: "rs2", namespace: "ns", uid: "rs2-uid" } });
const pods = listerOf<Pod>(
  [
    pod("first", rs1),
    pod("second", rs2),
    pod("orphan"),
    { ...pod("failed", rs1), status: { phase: "Failed" } },
    { metadata: { name: "elsewhere", namespace: "other" } },
  ],
  { [CONTROLLER_INDEX]: controllerIndex },
);

// upstream: pkg/controller/deployment/deployment_controller_test.go#TestGetPodMapForReplicaSets
test("an owner has the pods that name it, in whatever phase, and no others", () => {
  expect(names(ownedBy(pods, rs1, "ReplicaSet"))).toBe("first failed");
  expect(names(ownedBy(pods, rs2, "ReplicaSet"))).toBe("second");
  expect(names(ownedBy(pods, rs1, "ReplicationController"))).toBe("");
});

test("an owner that was not read from a server has none, not even those that nobody controls", () => {
  expect(ownedBy(pods, stored({ metadata: { name: "rs1", namespace: "ns" } }), "ReplicaSet")).toEqual([]);
});

test("orphans of its namespace come with them", () => {
  expect(names(ownedByOrFree(pods, rs2, "ReplicaSet"))).toBe("second orphan");
});

function pod(name: string, owner?: ReplicaSet): Pod {
  const ownerReferences = owner && [newControllerRef(asStored(owner), resources.replicaSets)];
  return { metadata: { name, namespace: "ns", ...(ownerReferences && { ownerReferences }) } };
}

function names(found: readonly Pod[]): string {
  return found.map(({ metadata }) => metadata.name).join(" ");
}
