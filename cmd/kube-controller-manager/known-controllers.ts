/** A controller of kube-controller-manager v1.36, whether it is built here or not. */
export interface KnownController {
  readonly name: string;
  /** The name it had before v1.28; still taken by --controllers. */
  readonly alias?: string;
  /** Runs only when it is named. */
  readonly offByDefault?: boolean;
  /** Lives in the cloud controller manager; the name is only known. */
  readonly cloudOnly?: boolean;
  /** Runs whenever this flag has a value, and --controllers has no say. */
  readonly ruledBy?: string;
  /** Runs only with this flag, which is not to run or not to run it, but to give it something to do. */
  readonly needs?: string;
  /** Runs unless this flag, which is true by default, is false. */
  readonly offSwitch?: string;
  /** Runs only with all of these feature gates on. */
  readonly gates?: readonly string[];
}

export const knownControllers: readonly KnownController[] = [
  // First: it is built before the others, whose tokens may come from it.
  {
    name: "serviceaccount-token-controller",
    alias: "serviceaccount-token",
    ruledBy: "service-account-private-key-file",
  },
  { name: "endpoints-controller", alias: "endpoint" },
  { name: "endpointslice-controller", alias: "endpointslice" },
  { name: "endpointslice-mirroring-controller", alias: "endpointslicemirroring" },
  { name: "replicationcontroller-controller", alias: "replicationcontroller" },
  { name: "pod-garbage-collector-controller", alias: "podgc" },
  { name: "resourcequota-controller", alias: "resourcequota" },
  { name: "namespace-controller", alias: "namespace" },
  { name: "serviceaccount-controller", alias: "serviceaccount" },
  { name: "garbage-collector-controller", alias: "garbagecollector", offSwitch: "enable-garbage-collector" },
  { name: "daemonset-controller", alias: "daemonset" },
  { name: "job-controller", alias: "job" },
  { name: "deployment-controller", alias: "deployment" },
  { name: "replicaset-controller", alias: "replicaset" },
  { name: "horizontal-pod-autoscaler-controller", alias: "horizontalpodautoscaling" },
  { name: "disruption-controller", alias: "disruption" },
  { name: "statefulset-controller", alias: "statefulset" },
  { name: "cronjob-controller", alias: "cronjob" },
  {
    name: "certificatesigningrequest-signing-controller",
    alias: "csrsigning",
    needs: "cluster-signing-cert-file",
  },
  { name: "certificatesigningrequest-approving-controller", alias: "csrapproving" },
  { name: "certificatesigningrequest-cleaner-controller", alias: "csrcleaner" },
  { name: "podcertificaterequest-cleaner-controller", gates: ["PodCertificateRequest"] },
  { name: "ttl-controller", alias: "ttl" },
  { name: "bootstrap-signer-controller", alias: "bootstrapsigner", offByDefault: true },
  { name: "token-cleaner-controller", alias: "tokencleaner", offByDefault: true },
  { name: "node-ipam-controller", alias: "nodeipam", needs: "allocate-node-cidrs" },
  { name: "node-lifecycle-controller", alias: "nodelifecycle" },
  { name: "taint-eviction-controller", gates: ["SeparateTaintEvictionController"] },
  { name: "device-taint-eviction-controller", gates: ["DynamicResourceAllocation", "DRADeviceTaints"] },
  { name: "persistentvolume-binder-controller", alias: "persistentvolume-binder" },
  { name: "persistentvolume-attach-detach-controller", alias: "attachdetach" },
  { name: "persistentvolume-expander-controller", alias: "persistentvolume-expander" },
  { name: "clusterrole-aggregation-controller", alias: "clusterrole-aggregation" },
  { name: "persistentvolumeclaim-protection-controller", alias: "pvc-protection" },
  { name: "persistentvolume-protection-controller", alias: "pv-protection" },
  { name: "volumeattributesclass-protection-controller", gates: ["VolumeAttributesClass"] },
  { name: "podgroup-protection-controller", gates: ["GenericWorkload"] },
  { name: "ttl-after-finished-controller", alias: "ttl-after-finished" },
  { name: "root-ca-certificate-publisher-controller", alias: "root-ca-cert-publisher" },
  { name: "kube-apiserver-serving-clustertrustbundle-publisher-controller", gates: ["ClusterTrustBundle"] },
  { name: "ephemeral-volume-controller", alias: "ephemeral-volume" },
  {
    name: "storageversion-garbage-collector-controller",
    alias: "storage-version-gc",
    gates: ["APIServerIdentity", "StorageVersionAPI"],
  },
  {
    name: "resourceclaim-controller",
    alias: "resource-claim-controller",
    gates: ["DynamicResourceAllocation"],
  },
  { name: "resourcepoolstatusrequest-controller", gates: ["DRAResourcePoolStatus"] },
  { name: "legacy-serviceaccount-token-cleaner-controller", alias: "legacy-service-account-token-cleaner" },
  { name: "validatingadmissionpolicy-status-controller" },
  { name: "service-cidr-controller", gates: ["MultiCIDRServiceAllocator"] },
  {
    name: "storage-version-migrator-controller",
    alias: "svm",
    gates: ["StorageVersionMigrator", "InformerResourceVersion"],
  },
  { name: "selinux-warning-controller", offByDefault: true, gates: ["SELinuxChangePolicy"] },
  { name: "service-lb-controller", alias: "service", cloudOnly: true },
  { name: "node-route-controller", alias: "route", cloudOnly: true },
  { name: "cloud-node-lifecycle-controller", alias: "cloud-node-lifecycle", cloudOnly: true },
];
