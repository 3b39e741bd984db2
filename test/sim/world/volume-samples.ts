import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../../pkg/api/types/storage-v1.gen.ts";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from "../../../pkg/api/volumes/claim-facts.ts";
import { HOLLOW_PROVISIONER } from "../../../pkg/cluster/volumes/hollow-volume.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { pick } from "./hands.ts";
import { podTemplate } from "./samples.ts";

const SIZES = ["1Gi", "2Gi", "5Gi"];
const MODES = [["ReadWriteOnce"], ["ReadWriteOnce"], ["ReadWriteOnce"], ["ReadWriteMany"]];
/** Of volumes: more than most claims ask for. */
const LARGE = ["2Gi", "5Gi", "10Gi"];
const ALL_MODES = [["ReadWriteOnce"], ["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"]];
const TIERS = ["gold", "tin"];
/** Of claims and volumes; "shelf" is one that nobody has made, as is usual for volumes that users bring. */
const CLASSES = ["quick", "quick", "late", "late", "local", "dirs", "shelf", "shelf", "shelf", "shelf", ""];
const BROUGHT = ["shelf", "shelf", "shelf", "shelf", "local", "local", "quick", ""];
const CLAIMS = 8;
const VOLUMES = 16;

/** What a class is of its name, but for what becomes of its volumes. */
const classes: Readonly<Record<string, Omit<StorageClass, "metadata">>> = {
  quick: { provisioner: HOLLOW_PROVISIONER, volumeBindingMode: "Immediate", allowVolumeExpansion: true },
  late: { provisioner: HOLLOW_PROVISIONER, volumeBindingMode: "WaitForFirstConsumer" },
  local: { provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "WaitForFirstConsumer" },
  dirs: { provisioner: "kubernetes.io/host-path", volumeBindingMode: "Immediate" },
};

const retainOrDelete = (random: Random): string => (random.next() < 0.5 ? "Retain" : "Delete");

export function newClass(random: Random): StorageClass {
  const name = pick(random, Object.keys(classes)) ?? "quick";
  const sort = classes[name] ?? { provisioner: HOLLOW_PROVISIONER };
  return { metadata: { name }, ...sort, reclaimPolicy: retainOrDelete(random) };
}

export function newClaim(
  random: Random,
  name = `claim-${randomBelow(random, CLAIMS)}`,
): PersistentVolumeClaim {
  // One that names no class gets the default one.
  const storageClassName = random.next() < 0.1 ? undefined : pick(random, CLASSES);
  const tier = random.next() < 0.1 ? pick(random, TIERS) : undefined;
  return {
    metadata: { name },
    spec: {
      accessModes: pick(random, MODES) ?? [],
      resources: { requests: { storage: pick(random, SIZES) ?? "1Gi" } },
      ...(storageClassName !== undefined && { storageClassName }),
      ...(tier !== undefined && { selector: { matchLabels: { tier } } }),
      ...(random.next() < 0.15 && { volumeName: `disk-${randomBelow(random, VOLUMES)}` }),
    },
  };
}

export function newVolume(random: Random, name = `disk-${randomBelow(random, VOLUMES)}`): PersistentVolume {
  const sort = random.next();
  const claim = `claim-${randomBelow(random, CLAIMS)}`;
  return {
    metadata: { name, labels: { tier: pick(random, TIERS) ?? "" } },
    spec: {
      accessModes: pick(random, ALL_MODES) ?? [],
      capacity: { storage: pick(random, LARGE) ?? "1Gi" },
      persistentVolumeReclaimPolicy: retainOrDelete(random),
      storageClassName: pick(random, BROUGHT) ?? "",
      ...sourceOf(name, sort),
      ...(random.next() < 0.2 && { claimRef: { namespace: "default", name: claim } }),
    },
  };
}

/** A directory, a disk that no driver attaches, or one of the driver. */
function sourceOf(name: string, sort: number): Pick<PersistentVolumeSpec, "hostPath" | "fc" | "csi"> {
  if (sort < 0.2) return { hostPath: { path: `/tmp/${name}` } };
  if (sort < 0.35) return { fc: { targetWWNs: [name], lun: 1 } };
  return { csi: { driver: HOLLOW_PROVISIONER, volumeHandle: name } };
}

/** What a backup has of a claim and the volume that it was bound to, which is nobody's when it comes back. */
export function backup(random: Random): {
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
} {
  const made = newVolume(random);
  const { claimRef: _, ...spec } = made.spec ?? {};
  const claim = newClaim(random, `claim-${CLAIMS + randomBelow(random, CLAIMS)}`);
  const { accessModes = [], storageClassName = "" } = spec;
  const { name: volumeName = "" } = made.metadata;
  return {
    volume: { ...made, spec },
    claim: {
      metadata: { ...claim.metadata, annotations: { [BIND_COMPLETED]: "yes", [BOUND_BY_CONTROLLER]: "yes" } },
      spec: { ...claim.spec, accessModes, storageClassName, volumeName },
    },
  };
}

export function newPodWithClaims(random: Random, claims: readonly string[]): Pod {
  const { metadata, spec } = podTemplate(random, "user");
  const { accessModes = [], resources = {} } = newClaim(random).spec ?? {};
  const volumes = claims.map((claimName, index) => ({
    name: `volume-${index}`,
    persistentVolumeClaim: { claimName },
  }));
  const template = {
    spec: { accessModes, resources, storageClassName: random.next() < 0.5 ? "standard" : "late" },
  };
  const own = { name: "own", ephemeral: { volumeClaimTemplate: template } };
  return {
    metadata: { ...metadata, name: `user-${randomBelow(random, 8)}` },
    spec: { containers: [], ...spec, volumes: random.next() < 0.2 ? [...volumes, own] : volumes },
  };
}
