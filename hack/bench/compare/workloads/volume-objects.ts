import type { ApiObject } from "../../../../pkg/api/object.ts";
import { formatTime } from "../../../../pkg/api/time.ts";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from "../../../../pkg/api/volumes/claim-facts.ts";
import { csiUniqueName } from "../../../../pkg/api/volumes/csi-names.ts";

export const NAMESPACE = "load";
export const DRIVER = "disks.example.com";
const CLASS = "shelf";
const created = formatTime(Date.UTC(2026, 0, 15, 9, 30));

/** Of a claim, and of its pod. */
export const nameOf = (index: number): string => `data-${index}`;

function uidOf(kind: number, index: number): string {
  return `00000000-${kind.toString(16).padStart(4, "0")}-4000-9000-${index.toString(16).padStart(12, "0")}`;
}

const handleOf = (index: number): string => `volume-${index}`;

/** As nodes tell of it. */
export function volumeNameOf(index: number): string {
  return csiUniqueName({ driver: DRIVER, volumeHandle: handleOf(index) });
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** A volume for each claim; of different sizes, as those that users bring. */
export function volumes(count: number, areBound: boolean): readonly ApiObject[] {
  return range(count).map((index) => {
    const name = handleOf(index);
    const claimRef = {
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      namespace: NAMESPACE,
      name: nameOf(index),
      uid: uidOf(1, index),
    };
    return {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: {
        name,
        uid: uidOf(2, index),
        creationTimestamp: created,
        finalizers: ["kubernetes.io/pv-protection"],
        ...(areBound && { annotations: { [BOUND_BY_CONTROLLER]: "yes" } }),
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: sizeOf(index) },
        csi: { driver: DRIVER, volumeHandle: name },
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: CLASS,
        volumeMode: "Filesystem",
        ...(areBound && { claimRef }),
      },
      status: { phase: areBound ? "Bound" : "Available" },
    } as ApiObject;
  });
}

export function claimsOf(count: number, areBound: boolean): readonly ApiObject[] {
  return range(count).map((index) => {
    const bound = {
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: sizeOf(index) },
    };
    const annotations = { [BIND_COMPLETED]: "yes", [BOUND_BY_CONTROLLER]: "yes" };
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        namespace: NAMESPACE,
        name: nameOf(index),
        uid: uidOf(1, index),
        creationTimestamp: created,
        finalizers: ["kubernetes.io/pvc-protection"],
        ...(areBound && { annotations }),
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: sizeOf(index) } },
        storageClassName: CLASS,
        volumeMode: "Filesystem",
        ...(areBound && { volumeName: `volume-${index}` }),
      },
      status: areBound ? bound : { phase: "Pending" },
    } as ApiObject;
  });
}

const sizeOf = (index: number): string => `${1 + (index % 50)}Gi`;

/** Nodes whose kubelets leave attaching to a controller. */
export function nodes(count: number): readonly ApiObject[] {
  return range(count).map(
    (index) =>
      ({
        apiVersion: "v1",
        kind: "Node",
        metadata: {
          name: `node-${index}`,
          uid: uidOf(3, index),
          creationTimestamp: created,
          annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
        },
        spec: {},
        status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: created }] },
      }) as ApiObject,
  );
}
