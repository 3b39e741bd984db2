import { type Random, randomBelow } from "../../../pkg/clock/random.ts";

/** How the controllers of nodes are set, where they run. */
export interface NodeSettings {
  /** Of addresses of pods; one range, or one of each family. */
  readonly clusterCidr: string;
  /** Takes some of it. */
  readonly serviceClusterIpRange: string;
  /** Nodes a second. */
  readonly evictionRate: number;
  readonly secondaryEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
}

/** How often nodes say that they live, and how long they may be silent. */
export const HEARTBEAT_MS = 15_000;
export const MONITOR_PERIOD_MS = 5_000;
export const MONITOR_GRACE_MS = 50_000;
export const STARTUP_GRACE_MS = 60_000;
export const UNHEALTHY_ZONE_THRESHOLD = 0.55;
export const NODE_MASK_IPV4 = 24;
export const NODE_MASK_IPV6 = 64;

/** Room for these nodes, and for few others. */
export function newNodeSettings(random: Random, nodes: number): NodeSettings {
  const hasServices = random.next() < 0.5;
  const bits = Math.ceil(Math.log2(nodes + (hasServices ? 1 : 0)));
  const last = 2 ** bits - 1;
  const ipv4 = `10.32.0.0/${NODE_MASK_IPV4 - bits}`;
  const ipv6 = `fd00:32::/${NODE_MASK_IPV6 - bits}`;
  return {
    clusterCidr: random.next() < 0.3 ? `${ipv4},${ipv6}` : ipv4,
    serviceClusterIpRange: hasServices ? `10.32.${last}.0/26` : "10.96.0.0/16",
    evictionRate: random.next() < 0.5 ? 0.1 : 1,
    secondaryEvictionRate: 0.05,
    // Small and large clusters: from three nodes of a zone on it matters.
    largeClusterSizeThreshold: randomBelow(random, 2) === 0 ? 50 : 2,
  };
}
