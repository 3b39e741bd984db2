import { growingBuckets } from "../../pkg/metrics/buckets.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";
import { healthPercent, type ZoneCount } from "./zones.ts";

export function nodeMetrics(metrics: Metrics) {
  const zoneGauge = (name: string, help: string) =>
    metrics.gauge({ name: `node_collector_${name}`, help, labels: ["zone"], stability: "ALPHA" });
  const duration = (name: string, help: string, firstSeconds: number) =>
    metrics.histogram({
      name: `node_collector_${name}_duration_seconds`,
      help,
      buckets: growingBuckets(firstSeconds, 4, 8),
      stability: "ALPHA",
    });
  const health = zoneGauge("zone_health", "Share of a zone's nodes that are ready, in percent.");
  const size = zoneGauge("zone_size", "Nodes of a zone.");
  const unhealthy = zoneGauge("unhealthy_nodes_in_zone", "Nodes of a zone that are not ready.");
  return {
    evictions: metrics.counter({
      name: "node_collector_evictions_total",
      help: "Nodes that got the taint which drives their pods away.",
      labels: ["zone"],
      stability: "STABLE",
    }),
    nodeDuration: duration(
      "update_node_health",
      "How long it takes to look after the health of a node.",
      0.001,
    ),
    roundDuration: duration(
      "update_all_nodes_health",
      "How long it takes to look after the health of all nodes.",
      0.01,
    ),
    countZone: (zone: string, count: ZoneCount): void => {
      size.set(count.ready + count.notReady, { zone });
      health.set(healthPercent(count), { zone });
      unhealthy.set(count.notReady, { zone });
    },
    emptyZone: (zone: string): void => {
      size.set(0, { zone });
      health.set(100, { zone });
      unhealthy.set(0, { zone });
    },
  };
}
