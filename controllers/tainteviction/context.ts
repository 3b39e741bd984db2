import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { NODE_INDEX, podNode } from "../../pkg/controller/pods-on-node.ts";
import type { Planned } from "./eviction-plan.ts";
import { NODE_FIELDS, POD_FIELDS } from "./fields.ts";
import { Arrivals } from "./sync-arrivals.ts";
import { LiveNodes } from "./sync-live-nodes.ts";
import { TaintTimes } from "./sync-taint-times.ts";

/** All that a sync works with. */
export type EvictionContext = ReturnType<typeof evictionContext>;

export function evictionContext(kit: Kit) {
  const { client, clock, events, features, metrics } = kit.env;
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(NODE_INDEX, podNode);
  const nodes = kit.reads(resources.nodes, { fields: NODE_FIELDS });
  return {
    pods,
    nodes,
    writes: kit.writes(resources.pods),
    taintTimes: new TaintTimes(clock),
    liveNodes: new LiveNodes(client.clientFor(resources.nodes), clock),
    arrivals: new Arrivals(clock, nodes.lister),
    /** By the uid of the pod. */
    planned: new Map<string, Planned>(),
    options: { comparisonOperators: features.enabled("TaintTolerationComparisonOperators") },
    deletions: metrics.counter({
      name: "taint_eviction_controller_pod_deletions_total",
      help: "Pods that were deleted for the taints of their nodes.",
      stability: "ALPHA",
    }),
    delays: metrics.histogram({
      name: "taint_eviction_controller_pod_deletion_duration_seconds",
      help: "From the time when a pod had to go for a taint of its node to its deletion.",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
      stability: "ALPHA",
    }),
    clock,
    events,
  };
}
