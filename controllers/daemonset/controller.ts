import { defineController } from "../../pkg/controller/kit.ts";
import { itsPodOwner } from "../../pkg/controller/pod-rule.ts";
import { daemonContext } from "./context.ts";
import { OWNER_OF_PODS } from "./daemon-set.ts";
import { lostNodeRule, nodeRule, revisionRule } from "./handlers.ts";
import { daemonSetsOfChangedNode } from "./sync-node.ts";
import { syncDaemonSet } from "./sync.ts";

export interface DaemonSetSettings {
  /** For DaemonSets, and as many again for nodes that changed. */
  readonly workers: number;
}

/** Keeps a pod on every node that a DaemonSet is for. */
export const daemonSetController = defineController(
  {
    name: "daemonset-controller",
    clientName: "daemon-set-controller",
    eventSource: "daemonset-controller",
  },
  (kit, { workers }: DaemonSetSettings) => {
    const context = daemonContext(kit);
    const { daemonSets, revisions, pods, nodes, owned, history } = context;
    const queue = kit.ownerQueue({
      name: "daemonset",
      workers,
      owners: daemonSets,
      remembers: [owned],
      sync: async (sync) => syncDaemonSet(sync, context),
    });
    // One node may concern many DaemonSets.
    const changedNodes = kit.queue({
      name: "daemonset-node-updates",
      workers,
      sync: async ({ key: node }) => {
        for (const key of daemonSetsOfChangedNode(node, context)) queue.add(key);
        return {};
      },
    });
    revisions.wakes(queue, revisionRule(history));
    pods.wakes(queue, owned.rule(itsPodOwner(OWNER_OF_PODS)));
    nodes.wakes(changedNodes, nodeRule(context.nodeChanges));
    nodes.wakes(queue, lostNodeRule(context));
  },
);
