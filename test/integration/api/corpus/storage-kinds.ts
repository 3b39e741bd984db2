import { cases } from "./corpus-case.ts";

const api = "storage.k8s.io/v1";
const volume = (fields: object) => ({
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...fields },
});
const inline = (fields: object) => ({
  spec: {
    attacher: "a",
    nodeName: "n",
    source: { inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], ...fields } },
  },
});

/** What each sort of volume refuses, by its field. */
const badSources = {
  hostPath: { path: "/a/../b", type: "Odd" },
  gcePersistentDisk: { pdName: "", partition: 256 },
  awsElasticBlockStore: { volumeID: "", partition: -1 },
  glusterfs: { endpoints: "", path: "", endpointsNamespace: "A" },
  flocker: { datasetName: "a/b", datasetUUID: "u" },
  nfs: { server: "", path: "a" },
  rbd: { monitors: [], image: "" },
  quobyte: { registry: "a", volume: "" },
  cephfs: { monitors: [] },
  iscsi: { targetPortal: "", iqn: "x", lun: 256, chapAuthSession: true, initiatorName: "iqn.x" },
  cinder: { volumeID: "", secretRef: {} },
  fc: { targetWWNs: ["a"], wwids: ["b"], lun: 256 },
  flexVolume: { driver: "", options: { "kubernetes.io/x": "y" } },
  azureFile: { secretName: "", shareName: "", secretNamespace: "" },
  vsphereVolume: { volumePath: "" },
  photonPersistentDisk: { pdID: "" },
  portworxVolume: { volumeID: "" },
  azureDisk: { diskName: "", diskURI: "x", cachingMode: "Some", kind: "Managed" },
  scaleIO: { gateway: "", system: "", volumeName: "", secretRef: null },
  local: { path: "" },
  storageos: { volumeName: "A", volumeNamespace: "B", secretRef: {} },
  csi: {
    driver: "a/b",
    volumeHandle: "",
    nodePublishSecretRef: {},
    nodeExpandSecretRef: { name: "A", namespace: "B" },
  },
};

export const storageCases = [
  ...cases(
    "v1",
    "PersistentVolume",
    { "beside a flexible one": volume({ hostPath: { path: "/a" }, flexVolume: { driver: "a" } }) },
    {
      ...Object.fromEntries(
        Object.entries(badSources).map(([key, source]) => [`bad ${key}`, volume({ [key]: source })]),
      ),
      "of two sorts": volume({ hostPath: { path: "/a" }, nfs: { server: "s", path: "/p" } }),
      "with a class but no driver": volume({ hostPath: { path: "/a" }, volumeAttributesClassName: "" }),
      "recycled at the root": volume({ hostPath: { path: "//." }, persistentVolumeReclaimPolicy: "Recycle" }),
    },
  ),
  ...cases(
    api,
    "VolumeAttachment",
    { inline: inline({ csi: { driver: "d", volumeHandle: "h" } }) },
    {
      "without a driver": inline({ hostPath: { path: "/a" } }),
      "inline with everything": inline({
        claimRef: {},
        capacity: { storage: "1" },
        persistentVolumeReclaimPolicy: "Delete",
        nodeAffinity: {},
        storageClassName: "c",
        volumeMode: "Block",
      }),
      "a bad name": { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "A" } } },
    },
  ),
  ...cases(
    api,
    "StorageClass",
    {
      "with topologies": {
        provisioner: "p",
        allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["a", "b"] }] }],
      },
    },
    {
      "topologies of which one has a key that the other has not": {
        provisioner: "p",
        allowedTopologies: [
          { matchLabelExpressions: [{ key: "a", values: [] }] },
          { matchLabelExpressions: [{ key: "b", values: [] }] },
        ],
      },
      "bad topologies": {
        provisioner: "a b",
        parameters: { "": "x" },
        allowedTopologies: [
          {
            matchLabelExpressions: [
              { key: "a b", values: [] },
              { key: "c", values: ["x", "x"] },
            ],
          },
          {
            matchLabelExpressions: [
              { key: "d", values: ["x"] },
              { key: "d", values: ["y"] },
            ],
          },
          {},
          {},
        ],
      },
    },
  ),
  ...cases(
    api,
    "CSIDriver",
    { "with tokens": { spec: { tokenRequests: [{ audience: "a", expirationSeconds: 600 }] } } },
    {
      "bad fields": {
        spec: {
          fsGroupPolicy: "Some",
          volumeLifecycleModes: ["Forever"],
          nodeAllocatableUpdatePeriodSeconds: 9,
          tokenRequests: [{ audience: "a", expirationSeconds: 599 }, { audience: "a" }],
        },
      },
      "secrets without tokens": { spec: { serviceAccountTokenInSecrets: true } },
    },
  ),
  ...cases(
    api,
    "CSINode",
    { "of nothing": { spec: { drivers: [] } } },
    {
      "bad drivers": {
        spec: {
          drivers: [
            { name: "a", nodeID: "", allocatable: { count: -1 } },
            { name: "a", nodeID: "n".repeat(257), topologyKeys: ["", "a", "a", "a b"] },
          ],
        },
      },
    },
  ),
  ...cases(
    api,
    "CSIStorageCapacity",
    {},
    {
      "bad fields": {
        storageClassName: "A",
        capacity: "-1",
        nodeTopology: { matchExpressions: [{ key: "a b", operator: "Exists", values: ["x"] }] },
      },
    },
  ),
  ...cases(
    api,
    "VolumeAttributesClass",
    {},
    { "no driver": { parameters: { a: "b" } }, "bad fields": { driverName: "a b", parameters: { "": "b" } } },
  ),
];
