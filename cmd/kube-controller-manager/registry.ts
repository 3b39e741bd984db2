import { bootstrapSignerController } from "../../controllers/bootstrapsigner/controller.ts";
import { clusterRoleAggregationController } from "../../controllers/clusterrole-aggregation/controller.ts";
import { cronJobController } from "../../controllers/cronjob/controller.ts";
import { daemonSetController } from "../../controllers/daemonset/controller.ts";
import { deploymentController } from "../../controllers/deployment/controller.ts";
import { disruptionController } from "../../controllers/disruption/controller.ts";
import { endpointsController } from "../../controllers/endpoints/controller.ts";
import { endpointSliceController } from "../../controllers/endpointslice/controller.ts";
import { endpointSliceMirroringController } from "../../controllers/endpointslicemirroring/controller.ts";
import { garbageCollectorController } from "../../controllers/garbagecollector/controller.ts";
import { jobController } from "../../controllers/job/controller.ts";
import { namespaceController } from "../../controllers/namespace/controller.ts";
import { nodeIpamController } from "../../controllers/nodeipam/controller.ts";
import { nodeLifecycleController } from "../../controllers/nodelifecycle/controller.ts";
import { podGarbageCollectorController } from "../../controllers/podgc/controller.ts";
import { replicaSetController, replicationController } from "../../controllers/replicaset/controller.ts";
import { resourceQuotaController } from "../../controllers/resourcequota/controller.ts";
import { rootCaPublisherController } from "../../controllers/root-ca/controller.ts";
import { serviceAccountController } from "../../controllers/serviceaccount/default-account/controller.ts";
import { legacyTokenCleanerController } from "../../controllers/serviceaccount/legacy-token-cleaner/controller.ts";
import { serviceAccountTokenController } from "../../controllers/serviceaccount/token/controller.ts";
import { statefulSetController } from "../../controllers/statefulset/controller.ts";
import { taintEvictionController } from "../../controllers/tainteviction/controller.ts";
import { tokenCleanerController } from "../../controllers/tokencleaner/controller.ts";
import { ttlController } from "../../controllers/ttl/controller.ts";
import { ttlAfterFinishedController } from "../../controllers/ttlafterfinished/controller.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import type { ClusterSecrets } from "./cluster-secrets.ts";
import type { Options } from "./options/options.ts";

/** A controller, and the settings that it has got. */
export interface RegistryEntry {
  readonly descriptor: ControllerDescriptor;
  readonly settings: unknown;
}

/** The controllers that are built, a line each, with their settings. Their names are in known-controllers.ts. */
export function registryEntries(options: Options, secrets: ClusterSecrets): readonly RegistryEntry[] {
  const { rootCa, tokenSigner } = secrets;
  return [
    ...(tokenSigner === undefined
      ? []
      : [
          entry(serviceAccountTokenController, {
            workers: options.serviceAccount.concurrentTokenSyncs,
            signer: tokenSigner,
            rootCa,
          }),
        ]),
    entry(endpointsController, {
      workers: options.endpoints.concurrentSyncs,
      updatesBatchPeriodMs: options.endpoints.updatesBatchPeriodMs,
    }),
    entry(endpointSliceController, {
      workers: options.endpointSlice.concurrentSyncs,
      maxEndpointsPerSlice: options.endpointSlice.maxEndpointsPerSlice,
      updatesBatchPeriodMs: options.endpointSlice.updatesBatchPeriodMs,
    }),
    entry(endpointSliceMirroringController, {
      workers: options.endpointSliceMirroring.concurrentSyncs,
      maxEndpointsPerSubset: options.endpointSliceMirroring.maxEndpointsPerSubset,
      updatesBatchPeriodMs: options.endpointSliceMirroring.updatesBatchPeriodMs,
    }),
    entry(resourceQuotaController, {
      workers: options.resourceQuota.concurrentSyncs,
      syncPeriodMs: options.resourceQuota.syncPeriodMs,
    }),
    entry(serviceAccountController, undefined),
    entry(legacyTokenCleanerController, { cleanUpPeriodMs: options.legacyTokenCleaner.cleanUpPeriodMs }),
    entry(rootCaPublisherController, { rootCa }),
    entry(clusterRoleAggregationController, undefined),
    entry(deploymentController, { workers: options.deployment.concurrentSyncs }),
    entry(statefulSetController, { workers: options.statefulset.concurrentSyncs }),
    entry(daemonSetController, { workers: options.daemonset.concurrentSyncs }),
    entry(disruptionController, undefined),
    entry(replicaSetController, { workers: options.replicaset.concurrentSyncs }),
    entry(replicationController, { workers: options.replicationcontroller.concurrentSyncs }),
    ...(options.garbageCollector.enabled
      ? [entry(garbageCollectorController, { workers: options.garbageCollector.concurrentSyncs })]
      : []),
    entry(namespaceController, {
      workers: options.namespace.concurrentSyncs,
      syncPeriodMs: options.namespace.syncPeriodMs,
    }),
    entry(podGarbageCollectorController, { threshold: options.podGarbageCollector.terminatedPodThreshold }),
    entry(jobController, { workers: options.job.concurrentSyncs }),
    entry(cronJobController, {
      workers: options.cronjob.concurrentSyncs,
      localTimeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    ...nodeEntries(options),
    entry(bootstrapSignerController, undefined),
    entry(tokenCleanerController, undefined),
    entry(ttlAfterFinishedController, { workers: options.ttlAfterFinished.concurrentSyncs }),
  ];
}

function nodeEntries(options: Options): readonly RegistryEntry[] {
  return [
    ...(options.generic.allocateNodeCidrs
      ? [
          entry(nodeIpamController, {
            ...options.nodeIpam,
            clusterCidr: options.generic.clusterCidr,
            allocatorType: options.generic.cidrAllocatorType,
          }),
        ]
      : []),
    entry(ttlController, undefined),
    entry(taintEvictionController, undefined),
    entry(nodeLifecycleController, {
      monitorPeriodMs: options.generic.nodeMonitorPeriodMs,
      monitorGracePeriodMs: options.nodeLifecycle.monitorGracePeriodMs,
      startupGracePeriodMs: options.nodeLifecycle.startupGracePeriodMs,
      evictionRate: options.nodeLifecycle.evictionRate,
      secondaryEvictionRate: options.nodeLifecycle.secondaryEvictionRate,
      largeClusterSizeThreshold: options.nodeLifecycle.largeClusterSizeThreshold,
      unhealthyZoneThreshold: options.nodeLifecycle.unhealthyZoneThreshold,
    }),
  ];
}

export function registry(options: Options, secrets: ClusterSecrets): readonly ControllerDescriptor[] {
  return registryEntries(options, secrets).map(({ descriptor }) => descriptor);
}

function entry<S>(make: (settings: S) => ControllerDescriptor, settings: S): RegistryEntry {
  return { descriptor: make(settings), settings };
}
