import type { Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";

/** Scenarios of one area are played with the same controllers. */
export type Area =
  | "attachments"
  | "workloads"
  | "services"
  | "daemons"
  | "stateful"
  | "budgets"
  | "garbage"
  | "accounts"
  | "certificates"
  | "ranges"
  | "nodes"
  | "evictions"
  | "ttls"
  | "claims"
  | "volumes"
  | "devices"
  | "taintRules"
  | "pools"
  | "groups"
  | "autoscaling"
  | "batch";

export interface AreaFacts {
  /** By their names on the command line of a controller manager. */
  readonly controllers: readonly string[];
  /** Pods need service accounts, which somebody makes. */
  readonly serviceAccounts: boolean;
  /** What is compared in the end; resources of the cluster as far as their names begin with the scenario's. */
  readonly kinds: readonly Resource[];
  /** Of the manager, for all scenarios. */
  readonly flags?: readonly string[];
  /** Feature gates that are on, of the API server, too. */
  readonly gates?: readonly string[];
  /** Versions of APIs that are not served unless somebody asks for them. */
  readonly apis?: readonly string[];
  /** There is something to be measured. */
  readonly hasMetrics?: true;
  /** Hollow nodes, on which pods run; three when left out. */
  readonly nodes?: number;
  /** How often they renew their Leases; seldom when left out. */
  readonly leaseRenewMs?: number;
  /** They sign certificates. */
  readonly signs?: true;
  /** How long controllers may be silent before they answer, when they gather changes. */
  readonly answersWithinMs?: number;
}

const { deployments, replicaSets, replicationControllers, nodes, pods, volumeAttachments } = resources;
const { horizontalPodAutoscalers, jobs, cronJobs } = resources;
const { certificateSigningRequests } = resources;
const { deviceTaintRules, endpoints, endpointSlices, podGroups, resourceClaims, resourcePoolStatusRequests } =
  resources;
const { daemonSets, controllerRevisions, podDisruptionBudgets } = resources;
const { statefulSets, persistentVolumeClaims } = resources;
const { csiDrivers, persistentVolumes, volumeAttributesClasses } = resources;
const { validatingAdmissionPolicies } = resources;
const { configMaps, secrets, serviceAccounts, resourceQuotas, services, clusterRoles } = resources;

export const areas: Readonly<Record<Area, AreaFacts>> = {
  attachments: {
    controllers: ["persistentvolume-attach-detach-controller"],
    serviceAccounts: false,
    kinds: [nodes, pods, volumeAttachments],
    nodes: 0,
    // The Go program looks for what drivers have done after half a second, and then ever less often.
    answersWithinMs: 1_300,
  },
  workloads: {
    controllers: [
      "deployment-controller",
      "replicaset-controller",
      "replicationcontroller-controller",
      "pod-garbage-collector-controller",
    ],
    serviceAccounts: false,
    kinds: [deployments, replicaSets, replicationControllers, pods],
  },
  daemons: {
    controllers: ["daemonset-controller"],
    serviceAccounts: false,
    kinds: [daemonSets, controllerRevisions, pods],
  },
  stateful: {
    controllers: ["statefulset-controller"],
    serviceAccounts: false,
    kinds: [statefulSets, controllerRevisions, pods, persistentVolumeClaims],
  },
  budgets: {
    controllers: ["deployment-controller", "replicaset-controller", "disruption-controller"],
    serviceAccounts: false,
    kinds: [podDisruptionBudgets, deployments, replicaSets, pods],
  },
  services: {
    controllers: ["endpoints-controller", "endpointslice-controller", "endpointslice-mirroring-controller"],
    serviceAccounts: false,
    kinds: [services, endpoints, endpointSlices, pods],
  },
  garbage: {
    controllers: [
      "deployment-controller",
      "replicaset-controller",
      "garbage-collector-controller",
      "namespace-controller",
    ],
    serviceAccounts: false,
    kinds: [deployments, replicaSets, pods, configMaps, secrets, clusterRoles],
  },
  accounts: {
    controllers: [
      "serviceaccount-controller",
      "serviceaccount-token-controller",
      "root-ca-certificate-publisher-controller",
      "resourcequota-controller",
      "clusterrole-aggregation-controller",
      "validatingadmissionpolicy-status-controller",
    ],
    serviceAccounts: true,
    kinds: [
      pods,
      configMaps,
      secrets,
      serviceAccounts,
      resourceQuotas,
      services,
      clusterRoles,
      validatingAdmissionPolicies,
    ],
  },
  certificates: {
    controllers: [
      "certificatesigningrequest-signing-controller",
      "certificatesigningrequest-approving-controller",
      "certificatesigningrequest-cleaner-controller",
    ],
    serviceAccounts: false,
    kinds: [certificateSigningRequests],
    nodes: 0,
    signs: true,
  },
  ranges: {
    controllers: ["node-ipam-controller"],
    serviceAccounts: false,
    kinds: [nodes],
    nodes: 0,
  },
  nodes: {
    controllers: ["node-lifecycle-controller"],
    serviceAccounts: false,
    kinds: [nodes, pods],
    // Two in each of three zones.
    nodes: 6,
    leaseRenewMs: 1_500,
    answersWithinMs: 1_300,
  },
  evictions: {
    // The Go program finds the pods of a node by an index that the second, which has nothing to do, makes for the first.
    controllers: ["taint-eviction-controller", "daemonset-controller"],
    serviceAccounts: false,
    kinds: [pods],
    nodes: 0,
  },
  ttls: {
    controllers: ["ttl-controller"],
    serviceAccounts: false,
    kinds: [nodes],
    nodes: 0,
  },
  claims: {
    controllers: [
      "persistentvolumeclaim-protection-controller",
      "persistentvolume-protection-controller",
      "volumeattributesclass-protection-controller",
      "ephemeral-volume-controller",
      "persistentvolume-expander-controller",
      "selinux-warning-controller",
    ],
    serviceAccounts: false,
    kinds: [persistentVolumeClaims, persistentVolumes, volumeAttributesClasses, csiDrivers, pods],
  },
  volumes: {
    controllers: [
      "persistentvolume-binder-controller",
      "persistentvolumeclaim-protection-controller",
      "persistentvolume-protection-controller",
    ],
    serviceAccounts: false,
    kinds: [persistentVolumeClaims, persistentVolumes],
    nodes: 0,
  },
  devices: {
    controllers: ["resourceclaim-controller", "device-taint-eviction-controller"],
    serviceAccounts: false,
    kinds: [resourceClaims, pods],
    nodes: 0,
  },
  taintRules: {
    controllers: ["resourceclaim-controller", "device-taint-eviction-controller"],
    serviceAccounts: false,
    kinds: [deviceTaintRules, resourceClaims, pods],
    nodes: 0,
    gates: ["DRADeviceTaintRules"],
    apis: ["resource.k8s.io/v1beta2"],
  },
  pools: {
    controllers: ["resourcepoolstatusrequest-controller"],
    serviceAccounts: false,
    kinds: [resourcePoolStatusRequests],
    nodes: 0,
    gates: ["DRAResourcePoolStatus"],
    apis: ["resource.k8s.io/v1alpha3"],
  },
  groups: {
    controllers: ["podgroup-protection-controller"],
    serviceAccounts: false,
    kinds: [podGroups, pods],
    nodes: 0,
    gates: ["GenericWorkload"],
    apis: ["scheduling.k8s.io/v1alpha2"],
  },
  autoscaling: {
    controllers: [
      "horizontal-pod-autoscaler-controller",
      "deployment-controller",
      "replicaset-controller",
      "replicationcontroller-controller",
    ],
    serviceAccounts: false,
    kinds: [horizontalPodAutoscalers, deployments, replicationControllers, pods],
    flags: [
      "--horizontal-pod-autoscaler-sync-period=1s",
      "--horizontal-pod-autoscaler-downscale-stabilization=20s",
    ],
    hasMetrics: true,
    // Each has its turn in every second.
    answersWithinMs: 1_300,
  },
  batch: {
    controllers: [
      "job-controller",
      "cronjob-controller",
      "ttl-after-finished-controller",
      "garbage-collector-controller",
    ],
    serviceAccounts: false,
    kinds: [cronJobs, jobs, pods],
    answersWithinMs: 1_300,
  },
};

/** The longest that certificates live. */
export const SIGNING_MINUTES = 600;

const ofNodes: ReadonlySet<Area> = new Set<Area>(["attachments", "ranges", "nodes", "evictions", "ttls"]);

/** Of these many take the whole cluster for themselves. */
export function isOfNodes(area: Area): boolean {
  return ofNodes.has(area);
}

/** As an argument of both programs. */
export function gateFlags({ gates = [] }: AreaFacts): readonly string[] {
  return gates.length === 0 ? [] : [`--feature-gates=${gates.map((gate) => `${gate}=true`).join()}`];
}
