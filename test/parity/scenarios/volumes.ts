import type { ApiObject } from "../../../pkg/api/object.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../../pkg/api/types/storage-v1.gen.ts";
import { type Expected, inArea, type Scenario, type Step } from "../scenario.ts";
import { create } from "./objects.ts";

const CLASS = ".class";

function volume(
  name: string,
  storage: string,
  spec: PersistentVolumeSpec = {},
  metadata: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> } = {},
): Step {
  const object: PersistentVolume & ApiObject = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `.${name}`, ...metadata },
    spec: {
      capacity: { storage },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/tmp/parity-of-nobody" },
      storageClassName: CLASS,
      ...spec,
    },
  };
  return create(object);
}

function claim(name: string, storage: string, spec: PersistentVolumeClaimSpec = {}): Step {
  const object: PersistentVolumeClaim & ApiObject = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage } },
      storageClassName: CLASS,
      ...spec,
    },
  };
  return create(object);
}

function storageClass(provisioner: string, volumeBindingMode = "Immediate"): Step {
  const object: StorageClass & ApiObject = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: CLASS },
    provisioner,
    volumeBindingMode,
  };
  return create(object);
}

const untilVolume = (name: string, phase: string): Step => ({
  do: "until",
  target: `persistentVolumes/.${name}`,
  holds: { "status.phase": phase },
});
const untilClaim = (name: string, phase: string, more: Expected = {}): Step => ({
  do: "until",
  target: `persistentVolumeClaims/${name}`,
  holds: { "status.phase": phase, ...more },
});
const deleteClaim = (name: string): readonly Step[] => [
  { do: "delete", target: `persistentVolumeClaims/${name}` },
  { do: "until gone", target: `persistentVolumeClaims/${name}` },
];
const asks = (provisioner: string): Expected => ({
  "metadata.annotations[volume.kubernetes.io/storage-provisioner]": provisioner,
});
const keptFor = (name: string): PersistentVolumeSpec => ({ claimRef: { namespace: ".", name } });

export const volumes: readonly Scenario[] = inArea("volumes", [
  {
    name: "claim-gets-the-smallest-volume",
    steps: [
      volume("large", "5Gi"),
      volume("small", "1Gi"),
      volume("fitting", "3Gi"),
      volume("modes", "2Gi", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }),
      volume("device", "2Gi", { volumeMode: "Block" }),
      ...["large", "small", "fitting", "modes", "device"].map((name) => untilVolume(name, "Available")),
      claim("data", "2Gi"),
      untilClaim("data", "Bound"),
      claim("more", "2Gi", { volumeMode: "Block" }),
      untilClaim("more", "Bound"),
      claim("most", "9Gi", { storageClassName: "" }),
    ],
  },
  {
    name: "claim-selects-its-volume",
    steps: [
      volume("other", "1Gi"),
      volume("chosen", "2Gi", {}, { labels: { disk: "fast" } }),
      untilVolume("other", "Available"),
      untilVolume("chosen", "Available"),
      claim("data", "1Gi", { selector: { matchLabels: { disk: "fast" } } }),
      untilClaim("data", "Bound"),
    ],
  },
  {
    name: "volume-that-is-kept-for-a-claim",
    steps: [
      volume("other", "1Gi"),
      volume("kept", "9Gi", keptFor("data")),
      untilVolume("kept", "Available"),
      claim("data", "1Gi"),
      untilClaim("data", "Bound"),
      untilVolume("kept", "Bound"),
    ],
  },
  {
    name: "claims-that-name-their-volume",
    steps: [
      volume("one", "1Gi"),
      volume("two", "2Gi"),
      untilVolume("one", "Available"),
      untilVolume("two", "Available"),
      claim("data", "2Gi", { volumeName: ".two" }),
      untilClaim("data", "Bound"),
      claim("too-much", "2Gi", { volumeName: ".one" }),
      claim("late", "1Gi", { volumeName: ".two" }),
      claim("early", "1Gi", { volumeName: ".three" }),
      volume("three", "1Gi"),
      untilClaim("early", "Bound"),
    ],
  },
  {
    name: "volume-that-is-retained",
    steps: [
      volume("one", "1Gi", { persistentVolumeReclaimPolicy: "Retain" }),
      untilVolume("one", "Available"),
      claim("data", "1Gi"),
      untilClaim("data", "Bound"),
      ...deleteClaim("data"),
      untilVolume("one", "Released"),
      claim("data", "1Gi", { volumeName: ".one" }),
      untilClaim("data", "Pending"),
    ],
  },
  {
    name: "volumes-that-are-deleted",
    steps: [
      volume("one", "1Gi", { persistentVolumeReclaimPolicy: "Delete", ...keptFor("one") }),
      volume("two", "1Gi", {
        persistentVolumeReclaimPolicy: "Delete",
        hostPath: { path: "/parity-of-nobody" },
        ...keptFor("two"),
      }),
      claim("one", "1Gi"),
      claim("two", "1Gi"),
      untilClaim("one", "Bound"),
      untilClaim("two", "Bound"),
      ...deleteClaim("one"),
      { do: "until gone", target: "persistentVolumes/.one" },
      ...deleteClaim("two"),
      untilVolume("two", "Failed"),
    ],
  },
  {
    name: "claim-that-loses-its-volume",
    steps: [
      volume("one", "1Gi"),
      untilVolume("one", "Available"),
      claim("data", "1Gi"),
      untilClaim("data", "Bound"),
      { do: "delete", target: "persistentVolumes/.one" },
      { do: "patch", target: "persistentVolumes/.one", body: { metadata: { finalizers: null } } },
      { do: "until gone", target: "persistentVolumes/.one" },
      untilClaim("data", "Lost"),
    ],
  },
  {
    name: "claim-for-an-external-provisioner",
    steps: [
      storageClass("example.com/disks"),
      claim("data", "1Gi"),
      untilClaim("data", "Pending", asks("example.com/disks")),
      volume("made", "1Gi", keptFor("data")),
      untilClaim("data", "Bound"),
      untilVolume("made", "Bound"),
    ],
  },
  {
    name: "claim-that-waits-for-its-first-pod",
    steps: [
      storageClass("example.com/disks", "WaitForFirstConsumer"),
      volume("one", "1Gi"),
      untilVolume("one", "Available"),
      claim("data", "1Gi"),
      untilClaim("data", "Pending"),
      {
        do: "patch",
        target: "persistentVolumeClaims/data",
        body: { metadata: { annotations: { "volume.kubernetes.io/selected-node": "node-0" } } },
      },
      untilClaim("data", "Pending", asks("example.com/disks")),
    ],
  },
  {
    name: "class-of-a-plugin-whose-work-a-driver-does",
    steps: [
      storageClass("kubernetes.io/gce-pd"),
      claim("data", "1Gi"),
      untilClaim("data", "Pending", asks("pd.csi.storage.gke.io")),
      volume(
        "made",
        "1Gi",
        { persistentVolumeReclaimPolicy: "Delete", ...keptFor("data") },
        { annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/gce-pd" } },
      ),
      untilClaim("data", "Bound"),
      untilVolume("made", "Bound"),
      ...deleteClaim("data"),
      untilVolume("made", "Released"),
    ],
  },
  {
    name: "class-of-no-provisioner-that-is-known",
    steps: [
      storageClass("kubernetes.io/no-provisioner"),
      claim("data", "1Gi"),
      volume("one", "1Gi"),
      untilClaim("data", "Bound"),
    ],
  },
]);
