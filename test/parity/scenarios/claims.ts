import type { ApiObject } from "../../../pkg/api/object.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
  Volume,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttributesClass } from "../../../pkg/api/types/storage-v1.gen.ts";
import { inArea, type Scenario, type Step, type Target } from "../scenario.ts";
import { create } from "./objects.ts";

type ClaimSpec = NonNullable<PersistentVolumeClaim["spec"]>;

const accessModes = ["ReadWriteOnce"];
const asks = (storage: string): ClaimSpec => ({ accessModes, resources: { requests: { storage } } });

function claim(name: string, spec: Partial<ClaimSpec> = {}): Step {
  const object: PersistentVolumeClaim & ApiObject = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { ...asks("1Gi"), storageClassName: "none", ...spec },
  };
  return create(object);
}

function volume(name: string, spec: PersistentVolumeSpec = {}): Step {
  const object: PersistentVolume & ApiObject = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes,
      capacity: { storage: "1Gi" },
      storageClassName: "none",
      ...(spec.awsElasticBlockStore === undefined &&
        spec.flexVolume === undefined && {
          csi: { driver: "csi.example.com", volumeHandle: name },
        }),
      ...spec,
    },
  };
  return create(object);
}

const template = { volumeClaimTemplate: { metadata: { labels: { a: "b" } }, spec: asks("1Gi") } };
const scratch: Volume = { name: "scratch", ephemeral: template };
const ofClaim = (claimName: string): Volume => ({ name: "data", persistentVolumeClaim: { claimName } });

function pod(name: string, volumes: readonly Volume[], spec: Partial<NonNullable<Pod["spec"]>> = {}): Step {
  const volumeMounts = volumes.map((each) => ({ name: each.name, mountPath: `/${each.name}` }));
  const object: Pod & ApiObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "main", image: "app:v1", volumeMounts }], volumes, ...spec },
  };
  return create(object);
}

const runs = (name: string): Step => ({
  do: "until",
  target: `pods/${name}`,
  holds: { "status.phase": "Running" },
});
const remove = (target: Target): Step => ({ do: "delete", target });
const gone = (target: Target): Step => ({ do: "until gone", target });
const leaving = (target: Target): Step => ({
  do: "until present",
  target,
  path: "metadata.deletionTimestamp",
});
const phase = (target: Target, to: string, capacity?: string): Step => ({
  do: "patch",
  target,
  body: { status: { phase: to, ...(capacity !== undefined && { capacity: { storage: capacity } }) } },
  subresource: "status",
});

const DATA = "persistentVolumeClaims/data";
const VOLUME = "persistentVolumes/.vol";
const GOLD = "volumeAttributesClasses/.gold";
const unprotect = (target: Target): Step => ({
  do: "patch",
  target,
  body: { metadata: { finalizers: null } },
});
const isProtected = (target: Target): Step => ({
  do: "until present",
  target,
  path: "metadata.finalizers.0",
});
/** A claim that is bound to a volume by hand, and asks for more than both have. */
function grown(source: PersistentVolumeSpec): readonly Step[] {
  return [
    claim("data", { ...asks("2Gi"), volumeName: ".vol" }),
    volume(".vol", { claimRef: { name: "data" }, ...source }),
    phase(VOLUME, "Bound"),
    phase(DATA, "Bound", "1Gi"),
  ];
}

function gold(name: string): Step {
  const object: VolumeAttributesClass & ApiObject = {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name },
    driverName: "csi.example.com",
    parameters: { iops: "5" },
  };
  return create(object);
}

const labelled = (level: string): Partial<NonNullable<Pod["spec"]>> => ({
  securityContext: { seLinuxOptions: { level } },
});
const disk: Volume = {
  name: "disk",
  iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2026-11.com.example:disk", lun: 0 },
};

export const claims: readonly Scenario[] = inArea("claims", [
  {
    name: "claim-deleted-while-a-pod-uses-it",
    steps: [
      claim("data"),
      pod("web", [ofClaim("data")]),
      runs("web"),
      remove(DATA),
      leaving(DATA),
      remove("pods/web"),
      gone(DATA),
    ],
  },
  {
    name: "claim-of-a-pod-that-has-finished",
    steps: [
      claim("data"),
      claim("other"),
      pod("web", [ofClaim("data")], {
        restartPolicy: "Never",
        containers: [{ name: "main", image: "app:v1", command: ["true"] }],
      }),
      { do: "until", target: "pods/web", holds: { "status.phase": "Succeeded" } },
      remove(DATA),
      remove("persistentVolumeClaims/other"),
      gone("persistentVolumeClaims/other"),
      leaving(DATA),
    ],
  },
  {
    name: "claim-and-volume-that-lose-their-finalizers",
    steps: [
      claim("data"),
      volume(".vol"),
      unprotect(DATA),
      isProtected(DATA),
      unprotect(VOLUME),
      isProtected(VOLUME),
    ],
  },
  {
    name: "volume-deleted-while-it-is-bound",
    steps: [
      volume(".vol"),
      volume(".other"),
      phase(VOLUME, "Bound"),
      remove(VOLUME),
      remove("persistentVolumes/.other"),
      gone("persistentVolumes/.other"),
      leaving(VOLUME),
      phase(VOLUME, "Released"),
      gone(VOLUME),
    ],
  },
  {
    name: "claim-of-an-ephemeral-volume",
    steps: [
      pod("web", [scratch]),
      runs("web"),
      { do: "until present", target: "persistentVolumeClaims/web-scratch", path: "spec" },
      remove("persistentVolumeClaims/web-scratch"),
      leaving("persistentVolumeClaims/web-scratch"),
    ],
  },
  {
    name: "claim-of-an-ephemeral-volume-that-is-somebody-elses",
    timed: true,
    steps: [claim("web-scratch"), pod("web", [scratch]), runs("web")],
  },
  {
    name: "attributes-class-deleted-while-a-claim-uses-it",
    steps: [
      gold(".gold"),
      isProtected(GOLD),
      claim("data", { volumeAttributesClassName: "silver" }),
      {
        do: "patch",
        target: DATA,
        body: {
          status: { modifyVolumeStatus: { status: "Pending", targetVolumeAttributesClassName: "silver" } },
        },
        subresource: "status",
      },
      volume(".vol", {
        volumeAttributesClassName: "parity-attributes-class-deleted-while-a-claim-uses-it.gold",
      }),
      remove(GOLD),
      leaving(GOLD),
      remove(VOLUME),
      gone(GOLD),
    ],
  },
  {
    name: "claim-that-a-driver-makes-larger",
    steps: [...grown({}), { do: "until", target: DATA, holds: { "status.capacity.storage": "1Gi" } }],
  },
  {
    name: "claim-that-is-handed-over-to-a-driver",
    steps: [
      ...grown({ awsElasticBlockStore: { volumeID: "vol-1" } }),
      {
        do: "until present",
        target: DATA,
        path: "metadata.annotations[volume.kubernetes.io/storage-resizer]",
      },
    ],
  },
  {
    name: "claim-that-nodes-make-larger",
    steps: [
      ...grown({ flexVolume: { driver: "example.com/flex" } }),
      {
        do: "until",
        target: DATA,
        holds: { "status.allocatedResourceStatuses.storage": "NodeResizePending" },
      },
    ],
  },
  {
    name: "pods-that-share-a-volume-with-other-labels",
    steps: [
      pod("a", [disk], labelled("s0:c1,c2")),
      runs("a"),
      pod("b", [disk], labelled("s0:c98,c99")),
      runs("b"),
      pod("c", [disk], { securityContext: { seLinuxChangePolicy: "Recursive" } }),
      runs("c"),
      remove("pods/a"),
      gone("pods/a"),
    ],
  },
]);
