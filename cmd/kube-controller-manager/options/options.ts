import type { ValuesOf } from "./flag.ts";
import * as cluster from "./groups/cluster.ts";
import * as generic from "./groups/generic.ts";
import * as nodes from "./groups/nodes.ts";
import * as process from "./groups/process.ts";
import * as services from "./groups/services.ts";
import * as serving from "./groups/serving.ts";
import * as volumes from "./groups/volumes.ts";
import * as workloads from "./groups/workloads.ts";

/** Every flag group, in the order of --help. */
export const flagGroups = {
  debugging: generic.debugging,
  leaderMigration: generic.leaderMigration,
  generic: generic.generic,
  serviceLb: services.serviceLb,
  secureServing: serving.secureServing,
  authentication: serving.authentication,
  authorization: serving.authorization,
  attachDetach: volumes.attachDetach,
  csrSigning: cluster.csrSigning,
  deployment: workloads.deployment,
  deviceTaintEviction: nodes.deviceTaintEviction,
  resourceClaim: nodes.resourceClaim,
  statefulset: workloads.statefulset,
  daemonset: workloads.daemonset,
  endpoints: services.endpoints,
  endpointSlice: services.endpointSlice,
  endpointSliceMirroring: services.endpointSliceMirroring,
  ephemeralVolume: volumes.ephemeralVolume,
  garbageCollector: cluster.garbageCollector,
  horizontalPodAutoscaler: workloads.horizontalPodAutoscaler,
  job: workloads.job,
  cronjob: workloads.cronjob,
  legacyTokenCleaner: cluster.legacyTokenCleaner,
  namespace: cluster.namespace,
  nodeIpam: nodes.nodeIpam,
  nodeLifecycle: nodes.nodeLifecycle,
  persistentVolumeBinder: volumes.persistentVolumeBinder,
  podGarbageCollector: workloads.podGarbageCollector,
  replicaset: workloads.replicaset,
  replicationcontroller: workloads.replicationcontroller,
  resourceQuota: cluster.resourceQuota,
  serviceAccount: cluster.serviceAccount,
  ttlAfterFinished: workloads.ttlAfterFinished,
  admissionPolicyStatus: cluster.admissionPolicyStatus,
  metrics: process.metrics,
  logs: process.logs,
  misc: process.misc,
  own: process.own,
  global: process.global,
};

type Groups = typeof flagGroups;
export type GroupName = keyof Groups;

/** The settings of one run: every flag's value, by group. Frozen. */
export type Options = { readonly [G in GroupName]: ValuesOf<Groups[G]> };
