import type { Metrics } from "../../pkg/metrics/metrics.ts";
import type { CidrSetObserver } from "./cidr-set.ts";

const LABELS = ["clusterCIDR"];

/** What runs says so in a gauge, until it ends. upstream: pkg/controller/nodeipam/node_ipam_controller.go#RunWithMetrics */
export async function showRunning(metrics: Metrics, signal: AbortSignal): Promise<void> {
  const running = metrics
    .gauge({
      name: "running_managed_controllers",
      help: "Which controllers run in which program.",
      labels: ["name", "manager"],
      stability: "BETA",
    })
    .with({ name: "nodeipam", manager: "kube-controller-manager" });
  running.set(1);
  if (!signal.aborted)
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  running.set(0);
}

/** Gives what counts for one of the cluster's ranges, which has so many ranges for Nodes. */
export function cidrMetrics(metrics: Metrics): (cidr: string, size: number) => CidrSetObserver {
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `node_ipam_controller_${name}`, help, labels: LABELS, stability: "ALPHA" });
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `node_ipam_controller_${name}`, help, labels: LABELS, stability: "ALPHA" });
  const allocations = counter("cidrset_cidrs_allocations_total", "Ranges that were given to Nodes or taken.");
  const releases = counter("cidrset_cidrs_releases_total", "Ranges that became free.");
  // upstream: the name is misspelt there.
  const most = gauge("cirdset_max_cidrs", "Ranges that there are for Nodes.");
  const usage = gauge("cidrset_usage_cidrs", "Share of the ranges that is taken.");
  const tries = metrics.histogram({
    name: "node_ipam_controller_cidrset_allocation_tries_per_request",
    help: "Ranges that were found taken before a free one was found.",
    labels: LABELS,
    buckets: [1, 5, 25, 125, 625],
    stability: "ALPHA",
  });
  return (clusterCIDR, size) => {
    const labels = { clusterCIDR };
    most.set(size, labels);
    const series = {
      allocations: allocations.with(labels),
      releases: releases.with(labels),
      usage: usage.with(labels),
      tries: tries.with(labels),
    };
    return {
      changed: (allocated, released, usedShare) => {
        if (allocated > 0) series.allocations.inc(allocated);
        if (released > 0) series.releases.inc(released);
        series.usage.set(usedShare);
      },
      searched: (count) => series.tries.observe(count),
    };
  };
}
