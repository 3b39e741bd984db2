import { describe, expect, test } from "vitest";
import { csiDriverOf, inTreePluginOf } from "./in-tree-drivers.ts";

// upstream: staging/src/k8s.io/csi-translation-lib/translate_test.go#TestPluginNameMappings
describe("a plugin that was once part of Kubernetes", () => {
  test.each([
    ["kubernetes.io/gce-pd", "pd.csi.storage.gke.io", { gcePersistentDisk: { pdName: "disk" } }],
    ["kubernetes.io/aws-ebs", "ebs.csi.aws.com", { awsElasticBlockStore: { volumeID: "vol-1" } }],
    ["kubernetes.io/cinder", "cinder.csi.openstack.org", { cinder: { volumeID: "vol-1" } }],
    ["kubernetes.io/azure-disk", "disk.csi.azure.com", { azureDisk: { diskName: "disk", diskURI: "/disk" } }],
    [
      "kubernetes.io/azure-file",
      "file.csi.azure.com",
      { azureFile: { secretName: "secret", shareName: "share" } },
    ],
    ["kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", { vsphereVolume: { volumePath: "/path" } }],
    ["kubernetes.io/portworx-volume", "pxd.portworx.com", { portworxVolume: { volumeID: "vol-1" } }],
  ])("%s is done by %s, and its volumes are known", (plugin, driver, source) => {
    expect(csiDriverOf(plugin)).toBe(driver);
    expect(inTreePluginOf(source)).toBe(plugin);
  });

  test.each(["kubernetes.io/host-path", "pd.csi.storage.gke.io", ""])("is not %j", (name) => {
    expect(csiDriverOf(name)).toBeUndefined();
  });

  test("has made no volume that is of a driver or of the node", () => {
    expect(inTreePluginOf({})).toBeUndefined();
  });
});
