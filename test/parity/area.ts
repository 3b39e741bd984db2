import type { Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";

/** Scenarios of one area are played with the same controllers. */
export type Area =
  | "workloads"
  | "services"
  | "daemons"
  | "stateful"
  | "budgets"
  | "garbage"
  | "accounts"
  | "ranges"
  | "nodes"
  | "evictions"
  | "ttls"
  | "batch";

export interface AreaFacts {
  /** By their names on the command line of a controller manager. */
  readonly controllers: readonly string[];
  /** Pods need service accounts, which somebody makes. */
  readonly serviceAccounts: boolean;
  /** What is compared in the end; resources of the cluster as far as their names begin with the scenario's. */
  readonly kinds: readonly Resource[];
  /** Hollow nodes, on which pods run; three when left out. */
  readonly nodes?: number;
  /** How often they renew their Leases; seldom when left out. */
  readonly leaseRenewMs?: number;
  /** How long controllers may be silent before they answer, when they gather changes. */
  readonly answersWithinMs?: number;
}

const { deployments, replicaSets, replicationControllers, nodes, pods } = resources;
const { jobs, cronJobs } = resources;
const { endpoints, endpointSlices } = resources;
const { daemonSets, controllerRevisions, podDisruptionBudgets } = resources;
const { statefulSets, persistentVolumeClaims } = resources;
const { configMaps, secrets, serviceAccounts, resourceQuotas, services, clusterRoles } = resources;

export const areas: Readonly<Record<Area, AreaFacts>> = {
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
    ],
    serviceAccounts: true,
    kinds: [pods, configMaps, secrets, serviceAccounts, resourceQuotas, services, clusterRoles],
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

const ofNodes: ReadonlySet<Area> = new Set<Area>(["ranges", "nodes", "evictions", "ttls"]);

/** Of these many take the whole cluster for themselves. */
export function isOfNodes(area: Area): boolean {
  return ofNodes.has(area);
}
