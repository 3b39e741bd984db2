import { describe, expect, test } from "vitest";
import type { PersistentVolumeSpec, Volume } from "../../pkg/api/types/core-v1.gen.ts";
import { asStored } from "../../test/harness/stored.ts";
import { attachmentName, csiVolumeOf } from "../../pkg/api/volumes/csi-names.ts";
import { isKnownPlugin, type Lookups, pluginOf, specOfPodVolume, specOfVolume } from "./volume-spec.ts";

const NAMESPACE = "default";

function volumeWith(spec: PersistentVolumeSpec, labels: Record<string, string> = {}, annotations = {}) {
  const metadata = { name: "pv", uid: "pv-uid", resourceVersion: "1", labels, annotations };
  return asStored({ metadata, spec });
}

function specOf(spec: PersistentVolumeSpec, labels: Record<string, string> = {}, annotations = {}) {
  return specOfVolume(volumeWith(spec, labels, annotations));
}

const nothing: Lookups = { claim: () => undefined, volume: () => undefined };

function pod(volume: Volume) {
  const metadata = { name: "pod", namespace: NAMESPACE, uid: "pod-uid", resourceVersion: "1" };
  return asStored({ metadata, spec: { volumes: [volume], containers: [] } });
}

const inline = (volume: Volume) => specOfPodVolume(pod(volume), volume, nothing);

const unspecified = (rest: string): string =>
  `kubernetes.io/csi/pd.csi.storage.gke.io^projects/UNSPECIFIED/${rest}`;

// upstream: staging/src/k8s.io/csi-translation-lib/plugins/*_test.go#Test…TranslateInTreePVToCSI
describe("a PersistentVolume of a plugin that is no more has the name that its driver gives it", () => {
  test.each<[string, PersistentVolumeSpec, Record<string, string>, string | undefined]>([
    ["aws", { awsElasticBlockStore: { volumeID: "vol-1" } }, {}, "kubernetes.io/csi/ebs.csi.aws.com^vol-1"],
    [
      "aws with its zone",
      { awsElasticBlockStore: { volumeID: "aws://us-east-1a/vol-02399794d890f9375" } },
      {},
      "kubernetes.io/csi/ebs.csi.aws.com^vol-02399794d890f9375",
    ],
    [
      "aws without its zone",
      { awsElasticBlockStore: { volumeID: "aws:///vol-02399794d890f9375" } },
      {},
      "kubernetes.io/csi/ebs.csi.aws.com^vol-02399794d890f9375",
    ],
    ["aws with another name", { awsElasticBlockStore: { volumeID: "aws://us-east-1a/disk" } }, {}, undefined],
    ["gce", { gcePersistentDisk: { pdName: "disk" } }, {}, unspecified("zones/UNSPECIFIED/disks/disk")],
    [
      "gce in a zone",
      { gcePersistentDisk: { pdName: "disk" } },
      { "topology.kubernetes.io/zone": "us-central1-a" },
      unspecified("zones/us-central1-a/disks/disk"),
    ],
    [
      "gce in a zone of the old label",
      { gcePersistentDisk: { pdName: "disk" } },
      { "failure-domain.beta.kubernetes.io/zone": "b-b-b", "topology.kubernetes.io/zone": "us-central1-a" },
      unspecified("zones/b-b-b/disks/disk"),
    ],
    [
      "gce in several zones",
      { gcePersistentDisk: { pdName: "disk" } },
      { "topology.kubernetes.io/zone": "us-central1-a__us-central1-c" },
      unspecified("regions/us-central1/disks/disk"),
    ],
    [
      "gce in several regions",
      { gcePersistentDisk: { pdName: "disk" } },
      { "topology.kubernetes.io/zone": "us-central1-a__us-east1-c" },
      undefined,
    ],
    ["cinder", { cinder: { volumeID: "vol-1" } }, {}, "kubernetes.io/csi/cinder.csi.openstack.org^vol-1"],
    [
      "azure disk",
      { azureDisk: { diskName: "disk", diskURI: "/subscriptions/12/disks/disk", kind: "managed" } },
      {},
      "kubernetes.io/csi/disk.csi.azure.com^/subscriptions/12/disks/disk",
    ],
    [
      "azure disk of another kind",
      { azureDisk: { diskName: "disk", diskURI: "/disk", kind: "Dedicated" } },
      {},
      undefined,
    ],
    [
      "azure file",
      {
        azureFile: {
          secretName: "azure-storage-account-acc-secret",
          shareName: "share",
          secretNamespace: "ns",
        },
      },
      {},
      "kubernetes.io/csi/file.csi.azure.com^#acc#share#pv#ns",
    ],
    [
      "azure file of a claim's namespace",
      {
        azureFile: { secretName: "other", shareName: "share" },
        claimRef: { namespace: "theirs", name: "c" },
      },
      {},
      "kubernetes.io/csi/file.csi.azure.com^#other#share#pv#theirs",
    ],
    ["azure file of no namespace", { azureFile: { secretName: "other", shareName: "share" } }, {}, undefined],
    [
      "vsphere",
      { vsphereVolume: { volumePath: "[ds] path.vmdk" } },
      {},
      "kubernetes.io/csi/csi.vsphere.vmware.com^[ds] path.vmdk",
    ],
    ["portworx", { portworxVolume: { volumeID: "ID" } }, {}, "kubernetes.io/csi/pxd.portworx.com^ID"],
  ])("%s", (_, source, labels, uniqueName) => {
    const spec = specOf(source, labels);
    expect(spec?.uniqueName).toBe(uniqueName);
    if (uniqueName !== undefined) expect(spec).toMatchObject({ isMigrated: true, name: "pv" });
  });

  test("azure file in a resource group", () => {
    const source = { azureFile: { secretName: "s", shareName: "share", secretNamespace: "ns" } };
    const annotations = { "kubernetes.io/azure-file-resource-group": "rg" };
    expect(specOf(source, {}, annotations)?.csi?.volumeHandle).toBe("rg#s#share#pv#ns");
  });

  // upstream: …/gce_pd_test.go#TestBackwardCompatibleAccessModes
  test.each<[string, readonly string[] | undefined, boolean]>([
    ["many writers are one", ["ReadWriteMany"], true],
    ["many readers stay many", ["ReadOnlyMany"], false],
    ["who also writes is one", ["ReadOnlyMany", "ReadWriteMany"], true],
    ["nothing said", undefined, false],
  ])("gce: %s", (_, accessModes, isExclusive) => {
    const modes = accessModes && { accessModes };
    expect(specOf({ gcePersistentDisk: { pdName: "d" }, ...modes })?.isExclusive).toBe(isExclusive);
  });
});

// upstream: …#Test…TranslateInTreeInlineVolumeToCSI
describe("a volume that stands in a pod is attached as the PersistentVolume that it would be", () => {
  test.each<[string, Omit<Volume, "name">, object]>([
    [
      "aws",
      {
        awsElasticBlockStore: { volumeID: "aws://zone/vol-1", fsType: "ext4", partition: 1, readOnly: true },
      },
      {
        name: "ebs.csi.aws.com-vol-1",
        spec: {
          csi: {
            driver: "ebs.csi.aws.com",
            volumeHandle: "vol-1",
            readOnly: true,
            fsType: "ext4",
            volumeAttributes: { partition: "1" },
          },
          accessModes: ["ReadWriteOnce"],
          volumeMode: "Filesystem",
        },
      },
    ],
    [
      "gce for reading",
      { gcePersistentDisk: { pdName: "disk", readOnly: true } },
      {
        name: "pd.csi.storage.gke.io-disk",
        spec: {
          csi: {
            driver: "pd.csi.storage.gke.io",
            volumeHandle: "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk",
            readOnly: true,
            volumeAttributes: { partition: "" },
          },
          accessModes: ["ReadOnlyMany"],
          volumeMode: "Filesystem",
        },
      },
    ],
    [
      "azure disk",
      { azureDisk: { diskName: "disk", diskURI: "/disk", cachingMode: "None", fsType: "ext4" } },
      {
        name: "/disk",
        spec: {
          csi: {
            driver: "disk.csi.azure.com",
            volumeHandle: "/disk",
            fsType: "ext4",
            volumeAttributes: { kind: "Managed", cachingmode: "None", fstype: "ext4" },
          },
          accessModes: ["ReadWriteOnce"],
          volumeMode: "Filesystem",
        },
      },
    ],
    [
      "azure file",
      { azureFile: { secretName: "azure-storage-account-acc-secret", shareName: "share" } },
      {
        name: "#acc#share#data#default",
        spec: {
          csi: {
            driver: "file.csi.azure.com",
            volumeHandle: "#acc#share#data#default",
            volumeAttributes: { sharename: "share" },
            nodeStageSecretRef: { name: "azure-storage-account-acc-secret", namespace: NAMESPACE },
          },
          accessModes: ["ReadWriteMany"],
          volumeMode: "Filesystem",
        },
      },
    ],
    [
      "cinder",
      { cinder: { volumeID: "vol-1" } },
      {
        name: "cinder.csi.openstack.org-vol-1",
        spec: {
          csi: { driver: "cinder.csi.openstack.org", volumeHandle: "vol-1" },
          accessModes: ["ReadWriteOnce"],
          volumeMode: "Filesystem",
        },
      },
    ],
    [
      "vsphere",
      { vsphereVolume: { volumePath: "path", storagePolicyName: "gold" } },
      {
        name: "csi.vsphere.vmware.com-path",
        spec: {
          csi: {
            driver: "csi.vsphere.vmware.com",
            volumeHandle: "path",
            volumeAttributes: { storagepolicyname: "gold" },
          },
          accessModes: ["ReadWriteOnce"],
          volumeMode: "Filesystem",
        },
      },
    ],
    [
      "portworx",
      { portworxVolume: { volumeID: "ID", readOnly: true } },
      {
        name: "pxd.portworx.com-ID",
        spec: {
          csi: { driver: "pxd.portworx.com", volumeHandle: "ID" },
          accessModes: ["ReadOnlyMany"],
          volumeMode: "Filesystem",
        },
      },
    ],
  ])("%s", (_, source, { name, spec }: { readonly name?: string; readonly spec?: object }) => {
    const found = inline({ name: "data", ...source });
    expect(found).toMatchObject({ name, source: { inlineVolumeSpec: spec }, isMigrated: true });
  });

  test.each<[string, Omit<Volume, "name">]>([
    ["a ConfigMap", { configMap: { name: "c" } }],
    ["a volume of a driver that lives and dies with its pod", { csi: { driver: "d" } }],
    ["a disk that is not managed", { azureDisk: { diskName: "d", diskURI: "/d", kind: "Shared" } }],
    ["a disk without a name", { fc: { targetWWNs: ["a"] } }],
    ["a claim that is not there", { persistentVolumeClaim: { claimName: "c" } }],
  ])("%s is none", (_, source) => {
    expect(inline({ name: "data", ...source })).toBeUndefined();
  });
});

// upstream: pkg/volume/fc/fc_test.go#TestGetVolumeName, pkg/volume/iscsi/iscsi.go#GetVolumeName
describe("a volume that nodes reach by themselves", () => {
  test.each<[string, Omit<Volume, "name">, string]>([
    ["fc by target", { fc: { targetWWNs: ["a", "b"], lun: 0 } }, "kubernetes.io/fc/[a b]:0"],
    ["fc by name", { fc: { wwids: ["a", "b"] } }, "kubernetes.io/fc/[a b]"],
    [
      "iscsi",
      { iscsi: { targetPortal: "1.2.3.4:3260", iqn: "iqn.x", lun: 1 } },
      "kubernetes.io/iscsi/1.2.3.4:3260:iqn.x:1",
    ],
  ])("%s has a name, and no driver", (_, source, uniqueName) => {
    const spec = inline({ name: "data", ...source });
    expect(spec).toEqual({
      name: "data",
      uniqueName,
      plugin: uniqueName.split("/").slice(0, 2).join("/"),
      isExclusive: false,
      isMigrated: false,
    });
    expect(isKnownPlugin(uniqueName)).toBe(true);
  });
});

// upstream: pkg/volume/util/util.go#IsMultiAttachAllowed
test.each<[readonly string[] | undefined, boolean]>([
  [undefined, false],
  [[], false],
  [["ReadWriteOnce"], true],
  [["ReadWriteOncePod"], true],
  [["ReadOnlyMany"], false],
  [["ReadWriteMany"], false],
  [["ReadWriteOnce", "ReadWriteMany"], false],
])("a volume with the modes %j is for one node at a time: %s", (accessModes, expected) => {
  const modes = accessModes && { accessModes };
  expect(specOf({ csi: { driver: "d", volumeHandle: "h" }, ...modes })?.isExclusive).toBe(expected);
});

// upstream: pkg/controller/volume/attachdetach/util/util.go#getPVCFromCache, getPVSpecFromCache
describe("the volume of a claim", () => {
  const claim = (over: { uid?: string; phase?: string; volumeName?: string; owner?: string } = {}) => {
    const { uid = "claim-uid", phase = "Bound", volumeName = "pv", owner } = over;
    const ownerReferences = owner
      ? [{ apiVersion: "v1", kind: "Pod", name: "pod", uid: owner, controller: true }]
      : [];
    const metadata = { name: "c", namespace: NAMESPACE, uid, resourceVersion: "1", ownerReferences };
    return asStored({ metadata, spec: { volumeName }, status: { phase } });
  };
  const csi = { driver: "d", volumeHandle: "h" };
  const volume = (uid: string | undefined) =>
    volumeWith({ csi, ...(uid !== undefined && { claimRef: { namespace: NAMESPACE, name: "c", uid } }) });
  const ofClaim: Volume = { name: "data", persistentVolumeClaim: { claimName: "c" } };
  const ephemeral: Volume = { name: "data", ephemeral: { volumeClaimTemplate: { spec: {} } } };

  const theirs = volume("claim-uid");
  type Case = readonly [Volume, ReturnType<typeof claim>, ReturnType<typeof volume>, boolean];
  test.each<[string, Case]>([
    ["is found", [ofClaim, claim(), theirs, true]],
    ["is none when the claim is pending", [ofClaim, claim({ phase: "Pending" }), theirs, false]],
    ["is none when the claim is lost", [ofClaim, claim({ phase: "Lost" }), theirs, false]],
    ["is none when the claim names none", [ofClaim, claim({ volumeName: "" }), theirs, false]],
    ["is none when it is of no claim", [ofClaim, claim(), volume(undefined), false]],
    ["is none when it is of an earlier claim", [ofClaim, claim(), volume("other"), false]],
    ["is found when the claim was made for the pod", [ephemeral, claim({ owner: "pod-uid" }), theirs, true]],
    ["is none when it was made for another", [ephemeral, claim({ owner: "other" }), theirs, false]],
    ["is none when it was made for nobody", [ephemeral, claim(), theirs, false]],
  ])("%s", (_, [podVolume, theClaim, theVolume, isFound]) => {
    const lookups: Lookups = {
      claim: (_namespace, name) => (name === "c" || name === "pod-data" ? theClaim : undefined),
      volume: (name) => (name === "pv" ? theVolume : undefined),
    };
    const found = specOfPodVolume(pod(podVolume), podVolume, lookups);
    expect(found?.uniqueName).toBe(isFound ? "kubernetes.io/csi/d^h" : undefined);
    if (isFound) expect(found?.source).toEqual({ persistentVolumeName: "pv" });
  });
});

// upstream: pkg/volume/csi/csi_attacher_test.go#TestAttacherGetAttachmentName…, pkg/volume/util/util.go#SplitUniqueName
describe("names", () => {
  test("of VolumeAttachments are hashes of the volume, its driver and the node", () => {
    expect(attachmentName({ driver: "testdriver", volumeHandle: "testvol" }, "testnode")).toBe(
      "csi-fc30670c1caf1c59deb5ada3595aff35f356c0b136b2d06288af24f861ee301c",
    );
  });

  test.each([
    ["kubernetes.io/csi/d^h", { driver: "d", volumeHandle: "h" }, "kubernetes.io/csi"],
    ["kubernetes.io/csi/d^a^b/c", { driver: "d", volumeHandle: "a^b/c" }, "kubernetes.io/csi"],
    ["kubernetes.io/csi/d", undefined, "kubernetes.io/csi"],
    ["kubernetes.io/fc/[a b]:0", undefined, "kubernetes.io/fc"],
  ])("of volumes, as in %s, tell plugin, driver and handle", (name, expected, plugin) => {
    expect(csiVolumeOf(name)).toEqual(expected);
    expect(pluginOf(name)).toBe(plugin);
  });
});
