import { defineController } from "../../pkg/controller/kit.ts";
import { type NodeContext, nodeContext, type NodeLifecycleSettings } from "./context.ts";
import { podThatComesToANode, whatMattersOfANode } from "./handlers.ts";
import { monitorNodes } from "./sync-monitor.ts";
import { syncNode } from "./sync-node.ts";
import { syncPod } from "./sync-pod.ts";
import { emptyNodes } from "./sync-zones.ts";

const NODE_WORKERS = 8;
const POD_WORKERS = 4;
const ZONE_WORKERS = 4;

/**
 * Tells nodes that have stopped answering from those that are well: their conditions, their taints, and whether their pods
 * are ready. Whoever does not tolerate the taints is evicted by another controller.
 */
export const nodeLifecycleController = defineController(
  {
    name: "node-lifecycle-controller",
    clientName: "node-controller",
    eventSource: "node-controller",
    // When a zone fails, all of its pods are to be marked within a second or two. How many requests are under way at a
    // time is limited by the rounds.
    clientRate: { qpsFactor: 250, burstFactor: 250 },
  },
  (kit, settings: NodeLifecycleSettings) => {
    const parts = nodeContext(kit, settings);
    const zoneQueue = kit.queue({
      name: "node_lifecycle_zones",
      unmeasured: true,
      workers: ZONE_WORKERS,
      sync: async (sync) => emptyNodes(sync, context),
    });
    const context: NodeContext = { ...parts, zoneQueue };
    kit.ownerQueue({
      name: "node_lifecycle_controller",
      workers: NODE_WORKERS,
      owners: context.nodes,
      wakes: whatMattersOfANode,
      sync: async (sync) => syncNode(sync, context),
    });
    const podQueue = kit.queue({
      name: "node_lifecycle_controller_pods",
      workers: POD_WORKERS,
      sync: async (sync) => syncPod(sync, context),
    });
    context.pods.wakes(podQueue, podThatComesToANode);
    const { monitorPeriodMs: periodMs } = settings;
    kit.every({ name: "rounds", periodMs, round: async (sync) => monitorNodes(sync, context) });
  },
);
