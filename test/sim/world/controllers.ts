import { attachDetachController } from "../../../controllers/attachdetach/controller.ts";
import { clusterRoleAggregationController } from "../../../controllers/clusterrole-aggregation/controller.ts";
import { cronJobController } from "../../../controllers/cronjob/controller.ts";
import { daemonSetController } from "../../../controllers/daemonset/controller.ts";
import { deploymentController } from "../../../controllers/deployment/controller.ts";
import { deviceTaintEvictionController } from "../../../controllers/devicetainteviction/controller.ts";
import { disruptionController } from "../../../controllers/disruption/controller.ts";
import { endpointsController } from "../../../controllers/endpoints/controller.ts";
import { endpointSliceController } from "../../../controllers/endpointslice/controller.ts";
import { endpointSliceMirroringController } from "../../../controllers/endpointslicemirroring/controller.ts";
import { ephemeralVolumeController } from "../../../controllers/ephemeralvolume/controller.ts";
import { volumeExpanderController } from "../../../controllers/expand/controller.ts";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import { jobController } from "../../../controllers/job/controller.ts";
import { namespaceController } from "../../../controllers/namespace/controller.ts";
import { nodeIpamController } from "../../../controllers/nodeipam/controller.ts";
import { nodeLifecycleController } from "../../../controllers/nodelifecycle/controller.ts";
import { podAutoscalerController } from "../../../controllers/podautoscaler/controller.ts";
import { podGarbageCollectorController } from "../../../controllers/podgc/controller.ts";
import { claimProtectionController } from "../../../controllers/pvcprotection/controller.ts";
import { volumeProtectionController } from "../../../controllers/pvprotection/controller.ts";
import { replicaSetController, replicationController } from "../../../controllers/replicaset/controller.ts";
import { resourceClaimController } from "../../../controllers/resourceclaim/controller.ts";
import { resourceQuotaController } from "../../../controllers/resourcequota/controller.ts";
import { rootCaPublisherController } from "../../../controllers/root-ca/controller.ts";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { statefulSetController } from "../../../controllers/statefulset/controller.ts";
import { taintEvictionController } from "../../../controllers/tainteviction/controller.ts";
import { ttlController } from "../../../controllers/ttl/controller.ts";
import { ttlAfterFinishedController } from "../../../controllers/ttlafterfinished/controller.ts";
import { attributesClassProtectionController } from "../../../controllers/vacprotection/controller.ts";
import { volumeBinder } from "../../harness/volume-binder.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import type { Disks } from "./disks.ts";
import {
  MONITOR_GRACE_MS,
  MONITOR_PERIOD_MS,
  type NodeSettings,
  STARTUP_GRACE_MS,
  UNHEALTHY_ZONE_THRESHOLD,
} from "./node-settings.ts";

/** How many finished pods are left by the collector of pods; few, so that it has something to do. */
export const FINISHED_PODS_KEPT = 40;
/** Of one slice; few, so that Services have several. */
export const MOST_ENDPOINTS = 4;
const workers = 5;
/** How long before now recommendations of autoscalers count, without rules. */
export const DOWN_WINDOW_MS = 60_000;
const AUTOSCALING = {
  workers,
  syncPeriodMs: 15_000,
  downscaleStabilizationMs: DOWN_WINDOW_MS,
  tolerance: 0.1,
  cpuInitializationPeriodMs: 300_000,
  initialReadinessDelayMs: 30_000,
  ownedPodsOnly: false,
};

/** What every simulated manager runs. Those that deal in keys and tokens have a world of their own to be tested in. */
export function controllers(
  nodes?: NodeSettings,
  autoscales = false,
  disks?: Disks,
): readonly ControllerDescriptor[] {
  return [
    ...(nodes === undefined ? [] : nodeControllers(nodes)),
    ...(autoscales ? [podAutoscalerController(AUTOSCALING)] : []),
    ...(disks === undefined ? [] : diskControllers()),
    deploymentController({ workers }),
    replicaSetController({ workers }),
    replicationController({ workers }),
    statefulSetController({ workers }),
    daemonSetController({ workers }),
    disruptionController(),
    endpointsController({ workers, updatesBatchPeriodMs: 0 }),
    endpointSliceController({ workers, maxEndpointsPerSlice: MOST_ENDPOINTS, updatesBatchPeriodMs: 0 }),
    endpointSliceMirroringController({ workers, maxEndpointsPerSubset: 1_000, updatesBatchPeriodMs: 0 }),
    jobController({ workers }),
    cronJobController({ workers, localTimeZone: () => "UTC" }),
    ttlAfterFinishedController({ workers }),
    garbageCollectorController({ workers }),
    podGarbageCollectorController({ threshold: FINISHED_PODS_KEPT }),
    namespaceController({ workers, syncPeriodMs: 300_000 }),
    resourceQuotaController({ workers, syncPeriodMs: 300_000 }),
    serviceAccountController(),
    rootCaPublisherController({ rootCa: () => "-----BEGIN CERTIFICATE-----" }),
    clusterRoleAggregationController(),
    claimProtectionController(),
    volumeProtectionController(),
    ephemeralVolumeController({ workers }),
    volumeBinder(disks),
    resourceClaimController({ workers }),
    deviceTaintEvictionController({ workers }),
  ];
}

/** Where volumes are attached and grow. */
function diskControllers(): readonly ControllerDescriptor[] {
  return [
    attachDetachController({ isCompared: true, disableForceDetachOnTimeout: false }),
    volumeExpanderController(),
    attributesClassProtectionController(),
  ];
}

/** They need nodes that say all the time that they live, which is most of what happens in such clusters. */
function nodeControllers(settings: NodeSettings): readonly ControllerDescriptor[] {
  const { clusterCidr, serviceClusterIpRange, ...zones } = settings;
  return [
    nodeIpamController({
      clusterCidr,
      serviceClusterIpRange,
      maskSize: 0,
      maskSizeIpv4: 0,
      maskSizeIpv6: 0,
      allocatorType: "RangeAllocator",
    }),
    nodeLifecycleController({
      ...zones,
      monitorPeriodMs: MONITOR_PERIOD_MS,
      monitorGracePeriodMs: MONITOR_GRACE_MS,
      startupGracePeriodMs: STARTUP_GRACE_MS,
      unhealthyZoneThreshold: UNHEALTHY_ZONE_THRESHOLD,
    }),
    taintEvictionController(undefined),
    ttlController(undefined),
  ];
}
