import { duration, int32 } from "../flag.ts";
import { concurrency } from "./workloads.ts";

export const serviceLb = {
  title: "Service-lb-controller",
  flags: {
    concurrentSyncs: int32("concurrent-service-syncs", 1, "Services that are worked on at the same time.", {
      config: "ServiceController.ConcurrentServiceSyncs",
      unused: "load balancers are the cloud controller manager's",
    }),
  },
};

export const endpoints = {
  title: "Endpoints-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-endpoint-syncs",
      5,
      "Services",
      "EndpointController.ConcurrentEndpointSyncs",
    ),
    updatesBatchPeriodMs: duration(
      "endpoint-updates-batch-period",
      0,
      "Changes of Pods wait this long, so that several go into one write.",
      { config: "EndpointController.EndpointUpdatesBatchPeriod" },
    ),
  },
};

export const endpointSlice = {
  title: "Endpointslice-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-service-endpoint-syncs",
      5,
      "Services",
      "EndpointSliceController.ConcurrentServiceEndpointSyncs",
    ),
    updatesBatchPeriodMs: duration(
      "endpointslice-updates-batch-period",
      0,
      "Changes of Pods wait this long, so that several go into one write.",
      { config: "EndpointSliceController.EndpointUpdatesBatchPeriod" },
    ),
    maxEndpointsPerSlice: int32(
      "max-endpoints-per-slice",
      100,
      "Endpoints in one EndpointSlice at the most.",
      {
        config: "EndpointSliceController.MaxEndpointsPerSlice",
      },
    ),
  },
};

export const endpointSliceMirroring = {
  title: "Endpointslice-mirroring-controller",
  flags: {
    concurrentSyncs: concurrency(
      "mirroring-concurrent-service-endpoint-syncs",
      5,
      "Endpoints",
      "EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
    ),
    updatesBatchPeriodMs: duration(
      "mirroring-endpointslice-updates-batch-period",
      0,
      "Changes of Endpoints wait this long, so that several go into one write.",
      { config: "EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod" },
    ),
    maxEndpointsPerSubset: int32(
      "mirroring-max-endpoints-per-subset",
      1_000,
      "Endpoints of one subset that are mirrored at the most.",
      { config: "EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset" },
    ),
  },
};
