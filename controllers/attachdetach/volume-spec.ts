import { ephemeralClaimName, isClaimOfPod } from "../../pkg/api/pod-claims.ts";
import type { PartialObject, Stored } from "../../pkg/api/object.ts";
import type { FCVolumeSource, ISCSIVolumeSource } from "../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachmentSource } from "../../pkg/api/types/storage-v1.gen.ts";
import { CSI_PLUGIN, type CsiVolume, csiUniqueName, csiVolumeOf } from "../../pkg/api/volumes/csi-names.ts";
import { inTreePluginOf } from "../../pkg/api/volumes/in-tree-drivers.ts";
import { isForOneNode } from "../../pkg/api/volumes/claim-facts.ts";
import type { CachedClaim, CachedPod, CachedVolume, PodVolume } from "./fields.ts";
import { translatedInline, translatedVolume } from "./in-tree-volumes.ts";

const FC_PLUGIN = "kubernetes.io/fc";
const ISCSI_PLUGIN = "kubernetes.io/iscsi";
/** A volume that can be attached, as far as attaching and detaching it goes. */
export interface VolumeSpec {
  /** As people know it: of a PersistentVolume its name. */
  readonly name: string;
  /** The same for all that is the same volume, and what nodes report. */
  readonly uniqueName: string;
  /** As metrics name it, with the driver. */
  readonly plugin: string;
  /** Undefined for plugins whose volumes nodes reach by themselves: there is nobody to ask. */
  readonly csi?: CsiVolume;
  /** What the driver is told of; undefined where it is no driver's. */
  readonly source?: VolumeAttachmentSource;
  /** It may be attached to one node at a time. */
  readonly isExclusive: boolean;
  /** Its plugin was once part of Kubernetes. */
  readonly isMigrated: boolean;
}

export interface Lookups {
  claim(namespace: string, name: string): Stored<CachedClaim> | undefined;
  volume(name: string): Stored<CachedVolume> | undefined;
}

/** "kubernetes.io/csi" of "kubernetes.io/csi/driver^volume". */
export function pluginOf(uniqueName: string): string {
  return uniqueName.split("/", 2).join("/");
}

/** Whether this is the name of a volume that can be attached and detached here. */
export function isKnownPlugin(uniqueName: string): boolean {
  const plugin = pluginOf(uniqueName);
  return csiVolumeOf(uniqueName) !== undefined || plugin === FC_PLUGIN || plugin === ISCSI_PLUGIN;
}

/** The claim that a volume of a pod is of; undefined when it is of none. */
export function claimNameOf(pod: PartialObject, volume: PodVolume): string | undefined {
  if (volume.ephemeral !== undefined) return ephemeralClaimName(pod, volume);
  return volume.persistentVolumeClaim?.claimName;
}

/**
 * What is to be attached for the volume of a pod. Undefined when that is nothing, as for a ConfigMap, and when it cannot be
 * told yet, as for a claim that is not bound.
 * upstream: pkg/controller/volume/attachdetach/util/util.go#CreateVolumeSpecWithNodeMigration
 */
export function specOfPodVolume(
  pod: Stored<CachedPod>,
  volume: PodVolume,
  lookups: Lookups,
): VolumeSpec | undefined {
  const { namespace } = pod.metadata;
  const claimName = claimNameOf(pod, volume);
  if (claimName === undefined) return specOfInline(volume, namespace);
  const claim = lookups.claim(namespace, claimName);
  if (claim === undefined || !isBound(claim)) return undefined;
  if (volume.ephemeral !== undefined && !isClaimOfPod(claim, pod)) return undefined;
  const persistent = lookups.volume(claim.spec?.volumeName ?? "");
  if (persistent?.spec?.claimRef?.uid !== claim.metadata.uid) return undefined;
  return specOfVolume(persistent);
}

export function isBound({ spec, status }: CachedClaim): boolean {
  return status?.phase === "Bound" && (spec?.volumeName ?? "") !== "";
}

export function specOfVolume(volume: Stored<CachedVolume>): VolumeSpec | undefined {
  const { spec = {}, metadata } = volume;
  const { name } = metadata;
  const persistent = { name, source: { persistentVolumeName: name } };
  if (inTreePluginOf(spec) !== undefined) {
    const translated = translatedVolume(volume);
    return translated && csiSpec(translated, { ...persistent, ...translated, isMigrated: true });
  }
  const { accessModes, csi, fc, iscsi } = spec;
  if (csi !== undefined) return csiSpec(csi, { ...persistent, accessModes, isMigrated: false });
  const isExclusive = isForOneNode(accessModes);
  return fc || iscsi ? specOfNodes({ name, fc, iscsi, isExclusive }) : undefined;
}

/** Whether it is attached to a node by nobody but the kubelet: it lives and dies with its pod. */
export function isEphemeralCsi(volume: PodVolume): boolean {
  return volume.csi !== undefined;
}

function specOfInline(volume: PodVolume, namespace: string): VolumeSpec | undefined {
  const { name, fc, iscsi } = volume;
  if (inTreePluginOf(volume) === undefined) return specOfNodes({ name, fc, iscsi, isExclusive: false });
  const inline = translatedInline(volume, namespace);
  if (inline === undefined) return undefined;
  const { accessModes } = inline.spec;
  const source = { inlineVolumeSpec: inline.spec };
  return csiSpec(inline.csi, { name: inline.name, source, accessModes, isMigrated: true });
}

interface Origin {
  readonly name: string;
  readonly source: VolumeAttachmentSource;
  readonly accessModes: readonly string[] | undefined;
  readonly isMigrated: boolean;
}

function csiSpec(
  { driver, volumeHandle }: CsiVolume,
  { name, source, accessModes, isMigrated }: Origin,
): VolumeSpec {
  const csi = { driver, volumeHandle };
  return {
    name,
    uniqueName: csiUniqueName(csi),
    plugin: `${CSI_PLUGIN}:${driver}`,
    csi,
    source,
    isExclusive: isForOneNode(accessModes),
    isMigrated,
  };
}

interface NodeVolume {
  readonly name: string;
  readonly fc: FCVolumeSource | undefined;
  readonly iscsi: Pick<ISCSIVolumeSource, "iqn" | "lun" | "targetPortal"> | undefined;
  readonly isExclusive: boolean;
}

/** Nodes reach these by themselves: all that they are told is that they may. */
function specOfNodes({ name, fc, iscsi, isExclusive }: NodeVolume): VolumeSpec | undefined {
  const rest = { name, isExclusive, isMigrated: false };
  if (iscsi !== undefined) {
    const uniqueName = `${ISCSI_PLUGIN}/${iscsi.targetPortal}:${iscsi.iqn}:${iscsi.lun}`;
    return { ...rest, uniqueName, plugin: ISCSI_PLUGIN };
  }
  const disk = fc && fcName(fc);
  return disk === undefined ? undefined : { ...rest, uniqueName: `${FC_PLUGIN}/${disk}`, plugin: FC_PLUGIN };
}

function fcName({ targetWWNs = [], wwids = [], lun }: FCVolumeSource): string | undefined {
  if (targetWWNs.length > 0 && lun !== undefined) return `[${targetWWNs.join(" ")}]:${lun}`;
  return wwids.length > 0 ? `[${wwids.join(" ")}]` : undefined;
}
