import { duration, float32, int32, text } from "../flag.ts";
import { concurrency } from "./workloads.ts";

export const nodeIpam = {
  title: "Node-ipam-controller",
  flags: {
    maskSize: int32(
      "node-cidr-mask-size",
      0,
      "Prefix length of each Node's range; 24 (IPv4) or 64 (IPv6) when 0.",
      {
        config: "NodeIPAMController.NodeCIDRMaskSize",
      },
    ),
    maskSizeIpv4: int32("node-cidr-mask-size-ipv4", 0, "The same for IPv4 in a dual-stack cluster.", {
      config: "NodeIPAMController.NodeCIDRMaskSizeIPv4",
    }),
    maskSizeIpv6: int32("node-cidr-mask-size-ipv6", 0, "The same for IPv6 in a dual-stack cluster.", {
      config: "NodeIPAMController.NodeCIDRMaskSizeIPv6",
    }),
    serviceClusterIpRange: text(
      "service-cluster-ip-range",
      "",
      "Ranges of Service addresses, which are kept free of Nodes: one, or two joined by a comma.",
    ),
  },
};

export const nodeLifecycle = {
  title: "Node-lifecycle-controller",
  flags: {
    largeClusterSizeThreshold: int32(
      "large-cluster-size-threshold",
      50,
      "Clusters of this size or smaller do not evict at all while a zone is unhealthy.",
      { config: "NodeLifecycleController.LargeClusterSizeThreshold" },
    ),
    evictionRate: float32(
      "node-eviction-rate",
      0.1,
      "Nodes a second that are emptied while their zone is healthy.",
      {
        config: "NodeLifecycleController.NodeEvictionRate",
      },
    ),
    monitorGracePeriodMs: duration(
      "node-monitor-grace-period",
      50_000,
      "How long a Node may be silent before it counts as unhealthy.",
      { config: "NodeLifecycleController.NodeMonitorGracePeriod" },
    ),
    startupGracePeriodMs: duration(
      "node-startup-grace-period",
      60_000,
      "The same for a Node that is starting.",
      {
        config: "NodeLifecycleController.NodeStartupGracePeriod",
      },
    ),
    secondaryEvictionRate: float32(
      "secondary-node-eviction-rate",
      0.01,
      "Nodes a second that are emptied while their zone is unhealthy.",
      { config: "NodeLifecycleController.SecondaryNodeEvictionRate" },
    ),
    unhealthyZoneThreshold: float32(
      "unhealthy-zone-threshold",
      0.55,
      "Share of a zone's Nodes (at least 3) that must be unready for the zone to count as unhealthy.",
      { config: "NodeLifecycleController.UnhealthyZoneThreshold" },
    ),
  },
};

export const deviceTaintEviction = {
  title: "Device-taint-eviction-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-device-taint-eviction-syncs",
      8,
      "Evictions and rule updates",
      "DeviceTaintEvictionController.ConcurrentSyncs",
    ),
  },
};

export const resourceClaim = {
  title: "Resourceclaim-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-resourceclaim-syncs",
      50,
      "ResourceClaims",
      "ResourceClaimController.ConcurrentSyncs",
    ),
  },
};
