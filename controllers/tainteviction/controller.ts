import { defineController } from "../../pkg/controller/kit.ts";
import { tellOfCancelling } from "./apply.ts";
import { evictionContext } from "./context.ts";
import { nodeRule, podRule } from "./handlers.ts";
import { syncNode, syncPod } from "./sync.ts";

const WORKERS = 8;

/** Deletes pods that do not tolerate the taints of their nodes, or have tolerated them for as long as they may. */
export const taintEvictionController = defineController(
  {
    name: "taint-eviction-controller",
    clientName: "node-controller",
    eventSource: "taint-eviction-controller",
  },
  (kit) => {
    const context = evictionContext(kit);
    const { nodes, pods, taintTimes, liveNodes, planned, arrivals } = context;
    // Before anybody is woken by it.
    pods.hears((change) => arrivals.observe(change));
    const podQueue = kit.ownerQueue({
      name: "noexec_taint_pod",
      workers: WORKERS,
      owners: pods,
      wakes: podRule(context),
      sync: async (sync) => syncPod(sync, context),
    });
    pods.hears(({ type, object: pod }) => {
      if (type === "deleted" && planned.delete(pod.metadata.uid)) tellOfCancelling(context, pod);
    });
    const nodeQueue = kit.queue({
      name: "noexec_taint_node",
      workers: WORKERS,
      sync: async (sync) => syncNode(sync, context, podQueue),
    });
    nodes.hears((change) => {
      taintTimes.observe(change);
      if (change.type === "deleted") liveNodes.forget(change.object);
    });
    nodes.wakes(nodeQueue, nodeRule);
  },
);
