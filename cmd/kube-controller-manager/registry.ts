import { attachDetachController } from "../../controllers/attachdetach/controller.ts";
import { bootstrapSignerController } from "../../controllers/bootstrapsigner/controller.ts";
import { csrApprovingController } from "../../controllers/certificates/approving/controller.ts";
import { csrCleanerController } from "../../controllers/certificates/cleaner/controller.ts";
import { podCertificateRequestCleanerController } from "../../controllers/certificates/pod-request-cleaner/controller.ts";
import { csrSigningController } from "../../controllers/certificates/signing/controller.ts";
import { trustBundlePublisherController } from "../../controllers/certificates/trust-bundle/controller.ts";
import { clusterRoleAggregationController } from "../../controllers/clusterrole-aggregation/controller.ts";
import { cronJobController } from "../../controllers/cronjob/controller.ts";
import { daemonSetController } from "../../controllers/daemonset/controller.ts";
import { deploymentController } from "../../controllers/deployment/controller.ts";
import { deviceTaintEvictionController } from "../../controllers/devicetainteviction/controller.ts";
import { disruptionController } from "../../controllers/disruption/controller.ts";
import { endpointsController } from "../../controllers/endpoints/controller.ts";
import { endpointSliceController } from "../../controllers/endpointslice/controller.ts";
import { endpointSliceMirroringController } from "../../controllers/endpointslicemirroring/controller.ts";
import { ephemeralVolumeController } from "../../controllers/ephemeralvolume/controller.ts";
import { volumeExpanderController } from "../../controllers/expand/controller.ts";
import { garbageCollectorController } from "../../controllers/garbagecollector/controller.ts";
import { jobController } from "../../controllers/job/controller.ts";
import { namespaceController } from "../../controllers/namespace/controller.ts";
import { nodeIpamController } from "../../controllers/nodeipam/controller.ts";
import { nodeLifecycleController } from "../../controllers/nodelifecycle/controller.ts";
import { persistentVolumeController } from "../../controllers/persistentvolume/controller.ts";
import type { AutoscalerSettings } from "../../controllers/podautoscaler/context.ts";
import { podAutoscalerController } from "../../controllers/podautoscaler/controller.ts";
import { podGarbageCollectorController } from "../../controllers/podgc/controller.ts";
import { podGroupProtectionController } from "../../controllers/podgroupprotection/controller.ts";
import { claimProtectionController } from "../../controllers/pvcprotection/controller.ts";
import { volumeProtectionController } from "../../controllers/pvprotection/controller.ts";
import { replicaSetController, replicationController } from "../../controllers/replicaset/controller.ts";
import { resourceClaimController } from "../../controllers/resourceclaim/controller.ts";
import { poolStatusController } from "../../controllers/resourcepoolstatus/controller.ts";
import { resourceQuotaController } from "../../controllers/resourcequota/controller.ts";
import { rootCaPublisherController } from "../../controllers/root-ca/controller.ts";
import { selinuxWarningController } from "../../controllers/selinuxwarning/controller.ts";
import { serviceAccountController } from "../../controllers/serviceaccount/default-account/controller.ts";
import { legacyTokenCleanerController } from "../../controllers/serviceaccount/legacy-token-cleaner/controller.ts";
import { serviceAccountTokenController } from "../../controllers/serviceaccount/token/controller.ts";
import { serviceCidrController } from "../../controllers/servicecidr/controller.ts";
import { statefulSetController } from "../../controllers/statefulset/controller.ts";
import { taintEvictionController } from "../../controllers/tainteviction/controller.ts";
import { storageVersionCollector } from "../../controllers/storageversiongc/controller.ts";
import { storageVersionMigrator } from "../../controllers/storageversionmigrator/controller.ts";
import { tokenCleanerController } from "../../controllers/tokencleaner/controller.ts";
import { ttlController } from "../../controllers/ttl/controller.ts";
import { ttlAfterFinishedController } from "../../controllers/ttlafterfinished/controller.ts";
import { policyStatusController } from "../../controllers/validatingadmissionpolicystatus/controller.ts";
import { attributesClassProtectionController } from "../../controllers/vacprotection/controller.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { inOtherThreads } from "../../pkg/pki/signatures.ts";
import { signerFiles } from "./authority-files.ts";
import type { ClusterSecrets } from "./cluster-secrets.ts";
import { noHostPaths } from "./host-paths.ts";
import type { Options } from "./options/options.ts";
import { recyclerTemplates } from "./recycler-templates.ts";

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
    entry(podAutoscalerController, autoscalerSettings(options)),
    entry(podGarbageCollectorController, { threshold: options.podGarbageCollector.terminatedPodThreshold }),
    entry(jobController, { workers: options.job.concurrentSyncs }),
    entry(cronJobController, {
      workers: options.cronjob.concurrentSyncs,
      localTimeZone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    ...certificateEntries(options, secrets),
    ...nodeEntries(options),
    binderEntry(options, secrets),
    ...volumeEntries(options),
    entry(podGroupProtectionController, undefined),
    entry(resourceClaimController, { workers: options.resourceClaim.concurrentSyncs }),
    entry(poolStatusController, undefined),
    entry(bootstrapSignerController, undefined),
    entry(tokenCleanerController, undefined),
    entry(ttlAfterFinishedController, { workers: options.ttlAfterFinished.concurrentSyncs }),
    entry(policyStatusController, { workers: options.admissionPolicyStatus.concurrentSyncs }),
    entry(serviceCidrController, undefined),
    entry(storageVersionCollector, undefined),
    entry(storageVersionMigrator, { collectsGarbage: options.garbageCollector.enabled }),
  ];
}

function autoscalerSettings({ horizontalPodAutoscaler, own }: Options): AutoscalerSettings {
  const { concurrentSyncs: workers, ...settings } = horizontalPodAutoscaler;
  return { workers, ...settings, ownedPodsOnly: own.ownedPodsOnly };
}

function certificateEntries(options: Options, { rootCa }: ClusterSecrets): readonly RegistryEntry[] {
  const signers = signerFiles(options.csrSigning);
  const { durationMs } = options.csrSigning;
  return [
    ...(signers.length === 0
      ? []
      : [entry(csrSigningController, { signers, durationMs, signatures: inOtherThreads })]),
    entry(csrApprovingController, undefined),
    entry(csrCleanerController, undefined),
    entry(podCertificateRequestCleanerController, undefined),
    entry(trustBundlePublisherController, { rootCa }),
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
    entry(deviceTaintEvictionController, { workers: options.deviceTaintEviction.concurrentSyncs }),
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

function volumeEntries(options: Options): readonly RegistryEntry[] {
  return [
    entry(attachDetachController, {
      isCompared: !options.attachDetach.disableReconcileSync,
      disableForceDetachOnTimeout: options.attachDetach.disableForceDetachOnTimeout,
    }),
    entry(claimProtectionController, undefined),
    entry(volumeProtectionController, undefined),
    entry(attributesClassProtectionController, undefined),
    entry(volumeExpanderController, undefined),
    entry(ephemeralVolumeController, { workers: options.ephemeralVolume.concurrentSyncs }),
    entry(selinuxWarningController, undefined),
  ];
}

function binderEntry(
  { persistentVolumeBinder: binder }: Options,
  { hostPaths = noHostPaths }: ClusterSecrets,
): RegistryEntry {
  return entry(persistentVolumeController, {
    retryPeriodMs: binder.claimBinderSyncPeriodMs,
    provisions: binder.enableDynamicProvisioning,
    provisionsHostPaths: binder.enableHostpathProvisioner,
    hostPaths,
    recyclerTemplates: recyclerTemplates(binder),
    minimumHostPathSeconds: binder.recyclerMinimumHostpathSeconds,
    incrementHostPathSeconds: binder.recyclerIncrementHostpathSeconds,
    minimumNfsSeconds: binder.recyclerMinimumNfsSeconds,
    incrementNfsSeconds: binder.recyclerIncrementNfsSeconds,
  });
}

export function registry(options: Options, secrets: ClusterSecrets): readonly ControllerDescriptor[] {
  return registryEntries(options, secrets).map(({ descriptor }) => descriptor);
}

function entry<S>(make: (settings: S) => ControllerDescriptor, settings: S): RegistryEntry {
  return { descriptor: make(settings), settings };
}
