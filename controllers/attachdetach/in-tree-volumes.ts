import type {
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CSIPersistentVolumeSource,
  GCEPersistentDiskVolumeSource,
  PersistentVolumeSpec,
} from "../../pkg/api/types/core-v1.gen.ts";
import { type CachedVolume, type PodVolume, RESOURCE_GROUP_ANNOTATION } from "./fields.ts";

/**
 * Volumes of plugins that were once part of Kubernetes, as the CSI drivers know them that do the plugins' work now.
 * upstream: staging/src/k8s.io/csi-translation-lib/plugins
 */

const EBS = "ebs.csi.aws.com";
const GCE_PD = "pd.csi.storage.gke.io";
const AZURE_DISK = "disk.csi.azure.com";
const AZURE_FILE = "file.csi.azure.com";
const CINDER = "cinder.csi.openstack.org";
const VSPHERE = "csi.vsphere.vmware.com";
const PORTWORX = "pxd.portworx.com";

const BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
const ZONE = "topology.kubernetes.io/zone";
/** Of a disk in several zones. */
const BETWEEN_ZONES = "__";
const UNSPECIFIED = "UNSPECIFIED";
const MANAGED = "Managed";

/** What a driver knows a PersistentVolume by. */
export interface TranslatedVolume {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly accessModes: readonly string[] | undefined;
}

/** Undefined when what is written in the volume makes no sense to its driver. */
export function translatedVolume(volume: CachedVolume): TranslatedVolume | undefined {
  const { spec = {} } = volume;
  const accessModes = spec.accessModes;
  const of = (driver: string, volumeHandle: string | undefined): TranslatedVolume | undefined =>
    volumeHandle === undefined ? undefined : { driver, volumeHandle, accessModes };
  if (spec.awsElasticBlockStore !== undefined)
    return of(EBS, ebsVolumeId(spec.awsElasticBlockStore.volumeID));
  if (spec.gcePersistentDisk !== undefined) {
    const translated = of(GCE_PD, gceHandle(volume.metadata.labels ?? {}, spec.gcePersistentDisk));
    return translated && { ...translated, accessModes: gceAccessModes(accessModes) };
  }
  if (spec.cinder !== undefined) return of(CINDER, spec.cinder.volumeID);
  if (spec.azureDisk !== undefined)
    return of(AZURE_DISK, isManagedDisk(spec.azureDisk) ? spec.azureDisk.diskURI : undefined);
  if (spec.azureFile !== undefined) return of(AZURE_FILE, azureFileHandle(volume));
  if (spec.vsphereVolume !== undefined) return of(VSPHERE, spec.vsphereVolume.volumePath);
  return spec.portworxVolume && of(PORTWORX, spec.portworxVolume.volumeID);
}

/** A volume that stands in a pod, as the PersistentVolume that it would be. */
export interface InlineVolume {
  readonly name: string;
  readonly csi: CSIPersistentVolumeSource;
  readonly spec: PersistentVolumeSpec;
}

export function translatedInline(volume: PodVolume, namespace: string): InlineVolume | undefined {
  const { awsElasticBlockStore: ebs, gcePersistentDisk: gce, cinder } = volume;
  if (ebs !== undefined) {
    const volumeHandle = ebsVolumeId(ebs.volumeID);
    if (volumeHandle === undefined) return undefined;
    const volumeAttributes = { partition: String(ebs.partition ?? 0) };
    const csi = { driver: EBS, volumeHandle, ...readOnlyAndType(ebs), volumeAttributes };
    return inline(`${EBS}-${volumeHandle}`, csi, "ReadWriteOnce");
  }
  if (gce !== undefined) {
    const volumeHandle = `projects/${UNSPECIFIED}/zones/${UNSPECIFIED}/disks/${gce.pdName}`;
    const volumeAttributes = { partition: gce.partition ? String(gce.partition) : "" };
    const csi = { driver: GCE_PD, volumeHandle, ...readOnlyAndType(gce), volumeAttributes };
    return inline(`${GCE_PD}-${gce.pdName}`, csi, gce.readOnly ? "ReadOnlyMany" : "ReadWriteOnce");
  }
  if (cinder !== undefined) {
    const csi = { driver: CINDER, volumeHandle: cinder.volumeID, ...readOnlyAndType(cinder) };
    return inline(`${CINDER}-${cinder.volumeID}`, csi, "ReadWriteOnce");
  }
  if (volume.azureDisk !== undefined) return inlineAzureDisk(volume.azureDisk);
  if (volume.azureFile !== undefined) return inlineAzureFile(volume.name, volume.azureFile, namespace);
  return inlineOfOthers(volume);
}

function inlineOfOthers({ vsphereVolume, portworxVolume }: PodVolume): InlineVolume | undefined {
  if (vsphereVolume !== undefined) {
    const { volumePath, fsType, storagePolicyName } = vsphereVolume;
    // upstream: storagePolicyName makes the Go program end with a nil pointer here.
    const csi = {
      driver: VSPHERE,
      volumeHandle: volumePath,
      ...(fsType && { fsType }),
      ...(storagePolicyName && { volumeAttributes: { storagepolicyname: storagePolicyName } }),
    };
    return inline(`${VSPHERE}-${volumePath}`, csi, "ReadWriteOnce");
  }
  if (portworxVolume === undefined) return undefined;
  const { volumeID, fsType, readOnly } = portworxVolume;
  const csi = { driver: PORTWORX, volumeHandle: volumeID, ...(fsType && { fsType }) };
  return inline(`${PORTWORX}-${volumeID}`, csi, readOnly ? "ReadOnlyMany" : "ReadWriteOnce");
}

function inline(name: string, csi: CSIPersistentVolumeSource, accessMode: string): InlineVolume {
  return { name, csi, spec: { csi, accessModes: [accessMode], volumeMode: "Filesystem" } };
}

function inlineAzureDisk(disk: AzureDiskVolumeSource): InlineVolume | undefined {
  if (!isManagedDisk(disk)) return undefined;
  const { diskURI, cachingMode, fsType } = disk;
  const csi = {
    driver: AZURE_DISK,
    volumeHandle: diskURI,
    ...readOnlyAndType(disk),
    volumeAttributes: {
      kind: MANAGED,
      ...(cachingMode && { cachingmode: cachingMode }),
      ...(fsType !== undefined && { fstype: fsType }),
    },
  };
  return inline(diskURI, csi, "ReadWriteOnce");
}

function inlineAzureFile(
  name: string,
  { secretName, shareName, readOnly }: AzureFileVolumeSource,
  podNamespace: string,
): InlineVolume {
  const namespace = podNamespace || "default";
  const volumeHandle = ["", storageAccount(secretName), shareName, name, namespace].join("#");
  const csi = {
    driver: AZURE_FILE,
    volumeHandle,
    ...(readOnly && { readOnly }),
    volumeAttributes: { sharename: shareName },
    nodeStageSecretRef: { name: secretName, namespace },
  };
  return inline(volumeHandle, csi, "ReadWriteMany");
}

interface ReadOnlyAndType {
  readonly readOnly?: boolean;
  readonly fsType?: string;
}

function readOnlyAndType({ readOnly, fsType }: ReadOnlyAndType): ReadOnlyAndType {
  return { ...(readOnly && { readOnly }), ...(fsType && { fsType }) };
}

/** "aws://ZONE/vol-1" and "aws:///vol-1" are vol-1; what is not written so is the driver's own name already. */
function ebsVolumeId(id: string): string | undefined {
  if (!id.startsWith("aws://")) return id;
  const [path = ""] = id.slice("aws://".length).split(/[?#]/, 1);
  const slash = path.indexOf("/");
  const name = slash < 0 ? "" : path.slice(slash).replaceAll(/^\/+|\/+$/g, "");
  return /^vol-[^/]*$/.test(name) ? name : undefined;
}

function gceHandle(
  labels: Readonly<Record<string, string>>,
  { pdName }: GCEPersistentDiskVolumeSource,
): string | undefined {
  const zones = (labels[BETA_ZONE] || labels[ZONE] || "").split(BETWEEN_ZONES);
  if (zones.length === 1) return `projects/${UNSPECIFIED}/zones/${zones[0] || UNSPECIFIED}/disks/${pdName}`;
  const regions = new Set(zones.map(regionOfZone));
  const [region] = regions;
  return regions.size === 1 && region !== undefined
    ? `projects/${UNSPECIFIED}/regions/${region}/disks/${pdName}`
    : undefined;
}

/** us-central1-a is in us-central1. */
function regionOfZone(zone: string): string | undefined {
  const parts = zone.split("-");
  return parts.length === 3 ? parts.slice(0, 2).join("-") : undefined;
}

/** Such disks are written to from one node, or read from many. */
function gceAccessModes(modes: readonly string[] | undefined): readonly string[] | undefined {
  if (modes === undefined) return undefined;
  const isWritten = modes.includes("ReadWriteOnce") || modes.includes("ReadWriteMany");
  return [!isWritten && modes.includes("ReadOnlyMany") ? "ReadOnlyMany" : "ReadWriteOnce"];
}

function isManagedDisk({ kind }: AzureDiskVolumeSource): boolean {
  return kind === undefined || kind.toLowerCase() === MANAGED.toLowerCase();
}

function azureFileHandle({ metadata, spec = {} }: CachedVolume): string | undefined {
  const {
    secretName,
    shareName,
    secretNamespace = spec.claimRef?.namespace ?? "",
  } = spec.azureFile ?? {
    secretName: "",
    shareName: "",
  };
  if (secretNamespace === "") return undefined;
  const group = metadata.annotations?.[RESOURCE_GROUP_ANNOTATION] ?? "";
  return [group, storageAccount(secretName), shareName, metadata.name ?? "", secretNamespace].join("#");
}

function storageAccount(secretName: string): string {
  return /azure-storage-account-(.+)-secret/.exec(secretName)?.[1] ?? secretName;
}
