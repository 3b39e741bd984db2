import { resources } from "../../pkg/api/resources.ts";
import type { KeyQueue } from "../../pkg/controller/key-queue.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { Lanes } from "../../pkg/controller/lanes.ts";
import { NODE_INDEX, podNode } from "../../pkg/controller/pods-on-node.ts";
import { KnownNodes, KnownZones } from "./known-nodes.ts";
import { nodeMetrics } from "./metrics.ts";
import type { GracePeriods } from "./node-health.ts";
import type { ZoneSettings } from "./zones.ts";
import { LEASE_FIELDS, NODE_FIELDS, POD_FIELDS } from "./fields.ts";

export interface NodeLifecycleSettings extends GracePeriods, ZoneSettings {
  /** From the end of one round over all nodes to the begin of the next. */
  readonly monitorPeriodMs: number;
}

/** Nodes, and requests, of a round that are under way at a time. When a zone fails there are thousands. */
const LANES = 64;

/** All that the rounds and syncs of the node lifecycle controller work with. */
export type NodeContext = ReturnType<typeof nodeContext> & {
  /** Zones in which somebody waits to be emptied. */
  readonly zoneQueue: Pick<KeyQueue, "addAfter">;
};

export function nodeContext(kit: Kit, settings: NodeLifecycleSettings) {
  const { client, clock, events, metrics } = kit.env;
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(NODE_INDEX, podNode);
  return {
    settings,
    nodes: kit.reads(resources.nodes, { fields: NODE_FIELDS }),
    pods,
    // Of all namespaces: the garbage collector watches all Leases, and this way it is one watch for both.
    leases: kit.reads(resources.leases, { fields: LEASE_FIELDS }),
    nodeWrites: kit.writes(resources.nodes),
    podClient: client.clientFor(resources.pods),
    nodeLanes: new Lanes(LANES),
    lanes: new Lanes(LANES),
    known: new KnownNodes(),
    zones: new KnownZones(),
    /** What one round tells the next. */
    memory: { rounds: 0, isCutOff: false },
    metrics: nodeMetrics(metrics),
    clock,
    events,
  };
}
