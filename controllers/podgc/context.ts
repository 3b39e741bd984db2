import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { NODE_FIELDS, POD_FIELDS } from "./victims.ts";

export interface PodGarbageCollectorSettings {
  /** Finished pods that may exist; 0 or less: any number. */
  readonly threshold: number;
}

/** All that a round of the pod garbage collector works with. */
export type PodGcContext = ReturnType<typeof podGcContext>;

export function podGcContext(kit: Kit, { threshold }: PodGarbageCollectorSettings) {
  const { client, clock, metrics } = kit.env;
  return {
    pods: kit.reads(resources.pods, { fields: POD_FIELDS }),
    nodes: kit.reads(resources.nodes, { fields: NODE_FIELDS }),
    podClient: client.clientFor(resources.pods),
    nodeClient: client.clientFor(resources.nodes),
    /** Names of nodes that pods are bound to and the cache does not have. They are ready when their time is up. */
    quarantine: kit.timedKeys("orphaned_pods_nodes"),
    threshold,
    deletions: metrics.counter({
      name: "pod_gc_collector_force_delete_pods_total",
      help: "Pods that the pod garbage collector has force deleted, or has tried to.",
      labels: ["namespace", "reason"],
      stability: "ALPHA",
    }),
    failures: metrics.counter({
      name: "pod_gc_collector_force_delete_pod_errors_total",
      help: "Pods that the pod garbage collector could not force delete.",
      labels: ["namespace", "reason"],
      stability: "ALPHA",
    }),
    clock,
  };
}
