import type { FCVolumeSource, ISCSIVolumeSource } from "../../pkg/api/types/core-v1.gen.ts";
import { csiDriverOf, inTreePluginOf } from "../../pkg/api/volumes/in-tree-drivers.ts";
import type { CachedVolume, PodVolume } from "./fields.ts";

/** What tells a volume from others, wherever it stands. */
export interface VolumeIdentity {
  readonly id: string;
  /** Who knows whether it can be mounted with a label; undefined where it always can be. */
  readonly driver: string | undefined;
}

type InTree = Pick<
  PodVolume,
  | "awsElasticBlockStore"
  | "azureDisk"
  | "azureFile"
  | "cinder"
  | "gcePersistentDisk"
  | "portworxVolume"
  | "vsphereVolume"
>;

/**
 * Undefined for volumes that are never mounted with a label, as those of NFS. Volumes of plugins whose work CSI drivers do
 * now are the drivers'.
 */
export function identityOfVolume({ spec = {} }: CachedVolume): VolumeIdentity | undefined {
  const { csi } = spec;
  if (csi !== undefined) return { id: csiId(csi.driver, csi.volumeHandle), driver: csi.driver };
  return identityOfSource(spec);
}

/** Of a volume that stands in the pod itself. A CSI volume that does so is the pod's own. */
export function identityOfInline(volume: PodVolume): VolumeIdentity | undefined {
  return identityOfSource(volume);
}

function identityOfSource(source: InTree & OnNodes): VolumeIdentity | undefined {
  const plugin = inTreePluginOf(source);
  if (plugin !== undefined) {
    const driver = csiDriverOf(plugin) ?? plugin;
    return { id: csiId(driver, inTreeId(source)), driver };
  }
  const id = idOnNodes(source);
  return id === undefined ? undefined : { id, driver: undefined };
}

const csiId = (driver: string, handle: string): string => `kubernetes.io/csi/${driver}^${handle}`;

function inTreeId(source: InTree): string {
  const { awsElasticBlockStore, azureDisk, azureFile, cinder } = source;
  const { gcePersistentDisk, portworxVolume, vsphereVolume } = source;
  if (azureFile !== undefined) return `${azureFile.secretName}#${azureFile.shareName}`;
  const id =
    awsElasticBlockStore?.volumeID ??
    azureDisk?.diskURI ??
    cinder?.volumeID ??
    gcePersistentDisk?.pdName ??
    portworxVolume?.volumeID ??
    vsphereVolume?.volumePath;
  // Amazon's are written with their zones, too, and known without.
  return id?.replace(/^aws:\/\/[^/]*\//, "") ?? "";
}

interface OnNodes {
  readonly fc?: FCVolumeSource;
  readonly iscsi?: Pick<ISCSIVolumeSource, "iqn" | "lun" | "targetPortal">;
}

/** Of volumes that nodes reach by themselves. */
function idOnNodes({ fc, iscsi }: OnNodes): string | undefined {
  if (iscsi !== undefined) return `kubernetes.io/iscsi/${iscsi.targetPortal}:${iscsi.iqn}:${iscsi.lun}`;
  if (fc === undefined) return undefined;
  const { targetWWNs = [], wwids = [], lun } = fc;
  if (targetWWNs.length > 0) return `kubernetes.io/fc/[${targetWWNs.join(" ")}]:${lun ?? 0}`;
  return wwids.length > 0 ? `kubernetes.io/fc/[${wwids.join(" ")}]` : undefined;
}
