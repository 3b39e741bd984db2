import { describe, expect, test } from "vitest";
import { listerOf } from "../../../test/harness/lister-of.ts";
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
} from "../../api/types/core-v1.gen.ts";
import type { StorageClass } from "../../api/types/storage-v1.gen.ts";
import {
  BIND_COMPLETED,
  claimOfVolume,
  SELECTED_NODE,
  VOLUMES_OF_CLAIM,
} from "../../api/volumes/claim-facts.ts";
import { podVolumes, type VolumeListers, volumesOnNode } from "./pod-volumes.ts";

type Claim = PersistentVolumeClaim;

const claim = (name: string, spec: Claim["spec"] = {}, metadata: Partial<Claim["metadata"]> = {}): Claim => ({
  metadata: { namespace: "default", name, uid: `${name}-uid`, ...metadata },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const bound = (name: string, volumeName = `pv-${name}`, metadata: Partial<Claim["metadata"]> = {}): Claim =>
  claim(name, { volumeName }, { annotations: { [BIND_COMPLETED]: "yes" }, ...metadata });
const late = (name: string, className = "late", annotations: Record<string, string> = {}): Claim =>
  claim(name, { storageClassName: className }, { annotations });

const zoneIs = (zone: string) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [zone] }] }] },
});
const volume = (name: string, spec: PersistentVolumeSpec = {}): PersistentVolume => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, storageClassName: "late", ...spec },
  status: { phase: "Available" },
});
const storageClass = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name },
  provisioner: "example.com/disks",
  volumeBindingMode: "WaitForFirstConsumer",
  ...more,
});
const node = (name: string, zone: string): Node => ({ metadata: { name, labels: { zone } } });

const podOwns = [
  {
    apiVersion: "v1",
    kind: "Pod",
    name: "db-0",
    uid: "db-0-uid",
    controller: true,
    blockOwnerDeletion: true,
  },
];
const listers: VolumeListers = {
  claims: listerOf([
    bound("there"),
    bound("in-a", "in-a"),
    bound("in-b", "in-b"),
    bound("lost-volume", "nowhere"),
    { ...claim("lost", { volumeName: "nowhere" }), status: { phase: "Lost" } },
    bound("leaving", "pv-leaving", { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    claim("unbound", { storageClassName: "at-once" }),
    claim("named", { storageClassName: "late", volumeName: "pv-named" }),
    late("late"),
    late("late-too"),
    late("by-hand", "by-hand"),
    late("only-b", "only-b"),
    late("chosen", "late", { [SELECTED_NODE]: "b" }),
    bound("db-0-scratch", "pv-there", { ownerReferences: podOwns }),
    bound("db-0-foreign"),
    { ...claim("elsewhere"), metadata: { namespace: "other", name: "elsewhere" } },
  ]),
  volumes: listerOf(
    [
      volume("pv-there", { storageClassName: "x" }),
      volume("in-a", { storageClassName: "x", nodeAffinity: zoneIs("a") }),
      volume("in-b", { storageClassName: "x", nodeAffinity: zoneIs("b") }),
      volume("local-a", { storageClassName: "by-hand", nodeAffinity: zoneIs("a") }),
    ],
    { [VOLUMES_OF_CLAIM]: claimOfVolume },
  ),
  classes: listerOf([
    storageClass("late"),
    storageClass("at-once", { volumeBindingMode: "Immediate" }),
    storageClass("by-hand", { provisioner: "kubernetes.io/no-provisioner" }),
    storageClass("only-b", {
      allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["b"] }] }],
    }),
  ]),
};

const named = (claimName: string) => ({ name: claimName, persistentVolumeClaim: { claimName } });
type Volumes = NonNullable<NonNullable<Pod["spec"]>["volumes"]>;
const podWith = (volumes: Volumes): Pod => ({
  metadata: { namespace: "default", name: "db-0", uid: "db-0-uid" },
  spec: { containers: [], volumes },
});

test.each<[string, Volumes, string | undefined]>([
  ["no volumes", [], undefined],
  ["a volume that is no claim", [{ name: "data", emptyDir: {} }], undefined],
  ["a claim that is bound", [named("there")], undefined],
  ["one of another namespace", [named("elsewhere")], 'persistentvolumeclaim "elsewhere" not found'],
  ["one that is being deleted", [named("leaving")], 'persistentvolumeclaim "leaving" is being deleted'],
  [
    "one that has lost its volume",
    [named("lost")],
    'persistentvolumeclaim "lost" bound to non-existent persistentvolume "nowhere"',
  ],
  ["a second one that is missing", [named("there"), named("gone")], 'persistentvolumeclaim "gone" not found'],
  ["one that is to be bound at once", [named("unbound")], "pod has unbound immediate PersistentVolumeClaims"],
  ["one that names its volume", [named("named")], "pod has unbound immediate PersistentVolumeClaims"],
  ["one that is bound with the node", [named("late")], undefined],
  ["an ephemeral one that is there", [{ name: "scratch", ephemeral: {} }], undefined],
  [
    "an ephemeral one that is still to be made",
    [{ name: "cache", ephemeral: {} }],
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "db-0-cache"',
  ],
  [
    "an ephemeral one that somebody else has made",
    [{ name: "foreign", ephemeral: {} }],
    "PVC default/db-0-foreign was not created for pod default/db-0 (pod is not owner)",
  ],
])("a pod with %s", (_name, volumes, problem) => {
  const found = podVolumes(podWith(volumes), listers);
  expect(typeof found === "string" ? found : undefined).toBe(problem);
});

describe("on a node", () => {
  const conflict = "node(s) didn't find available persistent volumes to bind";
  test.each<[string, readonly string[], string, string]>([
    ["a volume that can be used everywhere", ["there"], "a", ""],
    ["a volume of the place", ["in-a"], "a", ""],
    ["one of another place", ["in-b"], "a", "node(s) didn't match PersistentVolume's node affinity"],
    [
      "one that is gone",
      ["lost-volume"],
      "a",
      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    ],
    ["claims that are provisioned for", ["late", "late-too"], "a", "make late, make late-too"],
    ["a claim that finds a volume of the place", ["by-hand"], "a", "keep local-a"],
    ["a claim that finds none and nobody makes one", ["by-hand"], "b", conflict],
    ["a class that has no volumes there", ["only-b"], "a", conflict],
    ["a class that has volumes there", ["only-b"], "b", "make only-b"],
    ["a claim that another node was chosen for", ["chosen"], "a", conflict],
    ["a claim that this node was chosen for", ["chosen"], "b", "make chosen"],
  ])("%s", (_name, claims, zone, expected) => {
    const volumes = podVolumes(podWith(claims.map(named)), listers);
    if (typeof volumes === "string") throw new Error(volumes);
    const found = volumesOnNode(volumes, node(zone, zone), listers);
    const steps =
      typeof found === "string"
        ? [found]
        : [
            ...found.keep.map(({ volume: { metadata } }) => `keep ${metadata.name}`),
            ...found.provision.map(({ metadata }) => `make ${metadata.name}`),
          ];
    expect(steps.join(", ")).toBe(expected);
  });

  test("two claims do not get one volume", () => {
    const both: VolumeListers = {
      ...listers,
      claims: listerOf([late("one", "by-hand"), late("two", "by-hand")]),
    };
    const volumes = podVolumes(podWith([named("one"), named("two")]), both);
    if (typeof volumes === "string") throw new Error(volumes);
    expect(volumesOnNode(volumes, node("a", "a"), both)).toBe(conflict);
  });
});
