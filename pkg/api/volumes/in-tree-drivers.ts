/** Where volumes of such plugins stand: in a PersistentVolume's spec, and in a volume of a Pod. */
type InTreeSource =
  | "awsElasticBlockStore"
  | "azureDisk"
  | "azureFile"
  | "cinder"
  | "gcePersistentDisk"
  | "portworxVolume"
  | "vsphereVolume";

/** A plugin that was once part of Kubernetes, and the CSI driver that does its work now. */
interface InTreeDriver {
  readonly plugin: string;
  readonly driver: string;
  readonly source: InTreeSource;
}

/** upstream: staging/src/k8s.io/csi-translation-lib/translate.go */
const IN_TREE_DRIVERS: readonly InTreeDriver[] = [
  { plugin: "kubernetes.io/gce-pd", driver: "pd.csi.storage.gke.io", source: "gcePersistentDisk" },
  { plugin: "kubernetes.io/aws-ebs", driver: "ebs.csi.aws.com", source: "awsElasticBlockStore" },
  { plugin: "kubernetes.io/cinder", driver: "cinder.csi.openstack.org", source: "cinder" },
  { plugin: "kubernetes.io/azure-disk", driver: "disk.csi.azure.com", source: "azureDisk" },
  { plugin: "kubernetes.io/azure-file", driver: "file.csi.azure.com", source: "azureFile" },
  { plugin: "kubernetes.io/vsphere-volume", driver: "csi.vsphere.vmware.com", source: "vsphereVolume" },
  { plugin: "kubernetes.io/portworx-volume", driver: "pxd.portworx.com", source: "portworxVolume" },
];

const driverByPlugin = new Map(IN_TREE_DRIVERS.map(({ plugin, driver }) => [plugin, driver]));

/** The CSI driver that does the work of the plugin; undefined where the plugin's name is that of no such plugin. */
export function csiDriverOf(plugin: string): string | undefined {
  return driverByPlugin.get(plugin);
}

/** The plugin that the source of a volume is of, be it in a PersistentVolume or a Pod, if a driver does its work now. */
export function inTreePluginOf(source: { readonly [Source in InTreeSource]?: unknown }): string | undefined {
  return IN_TREE_DRIVERS.find((each) => source[each.source] !== undefined)?.plugin;
}
