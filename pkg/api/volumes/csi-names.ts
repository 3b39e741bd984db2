import { hash } from "node:crypto";

/** What a CSI driver knows a volume by. */
export interface CsiVolume {
  readonly driver: string;
  readonly volumeHandle: string;
}

export const CSI_PLUGIN = "kubernetes.io/csi";
/** Between the driver and its name of the volume. */
const HANDLE_SEPARATOR = "^";

/** What nodes say that they have, and use: the same for all that is the same volume. */
export function csiUniqueName({ driver, volumeHandle }: CsiVolume): string {
  return `${CSI_PLUGIN}/${driver}${HANDLE_SEPARATOR}${volumeHandle}`;
}

/** The inverse; undefined for a name of another plugin. Names of drivers hold no separator, those of volumes may. */
export function csiVolumeOf(uniqueName: string): CsiVolume | undefined {
  if (!uniqueName.startsWith(`${CSI_PLUGIN}/`)) return undefined;
  const name = uniqueName.slice(CSI_PLUGIN.length + 1);
  const at = name.indexOf(HANDLE_SEPARATOR);
  return at < 0 ? undefined : { driver: name.slice(0, at), volumeHandle: name.slice(at + 1) };
}

/**
 * Name of the VolumeAttachment of a volume on a node: the same whoever makes it.
 * upstream: pkg/volume/csi/csi_attacher.go#getAttachmentName
 */
export function attachmentName({ driver, volumeHandle }: CsiVolume, node: string): string {
  return `csi-${hash("sha256", `${volumeHandle}${driver}${node}`)}`;
}
