import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { daemonContext } from "./context.ts";
import { lostNodeRule, nodeRule, podRule, revisionRule } from "./handlers.ts";
import { daemonSetsOfChangedNode } from "./sync-node.ts";
import { syncDaemonSet } from "./sync.ts";

export interface DaemonSetSettings {
  /** For DaemonSets, and as many again for nodes that changed. */
  readonly workers: number;
}

/** Keeps a pod on every node that a DaemonSet is for. */
export function daemonSetController(settings: DaemonSetSettings): ControllerDescriptor {
  return {
    name: "daemonset-controller",
    clientName: "daemon-set-controller",
    eventSource: "daemonset-controller",
    build: wired((kit) => setUp(kit, settings)),
  };
}

function setUp(kit: Kit, { workers }: DaemonSetSettings): void {
  const context = daemonContext(kit);
  const { daemonSets, revisions, pods, nodes, owned, consistency } = context;
  const queue = kit.ownerQueue({
    name: "daemonset",
    workers,
    owners: daemonSets,
    consistency,
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
  revisions.wakes(queue, revisionRule(daemonSets));
  pods.wakes(queue, podRule(daemonSets, owned));
  nodes.wakes(changedNodes, nodeRule(context.nodeChanges));
  nodes.wakes(queue, lostNodeRule(context));
}
