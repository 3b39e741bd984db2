import { keyOf } from "../../pkg/api/object.ts";
import type { Change } from "../../pkg/controller/change.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { type NodeIpamContext, nodeIpamContext } from "./context.ts";
import { showRunning } from "./metrics.ts";
import { NodeRanges, sameRanges, type CachedNode } from "./node-ranges.ts";
import { type NodeIpamSettings, planRanges } from "./range-plan.ts";
import { syncNode } from "./sync.ts";
import { forgetUnseen, takeWhatIsThere } from "./sync-start.ts";

/** As upstream: no flag says otherwise. */
const WORKERS = 30;
/** Thousands of Nodes may come at once. So many writes at a time are the limit, and not so many a second. */
const RATE = { qpsFactor: 20, burstFactor: 20 };

const define = defineController(
  {
    name: "node-ipam-controller",
    clientName: "node-controller",
    eventSource: "cidrAllocator",
    clientRate: RATE,
  },
  (kit, settings: NodeIpamSettings) => {
    const context = nodeIpamContext(kit, settings, (key) => queue.add(key));
    const { nodes, waiting } = context;
    kit.task(async (signal) => showRunning(kit.env.metrics, signal));
    // Before anything is woken by a change, it is known who has what.
    nodes.hears((change) => follow(change, context));
    const queue = kit.ownerQueue({
      name: "cidrallocator_node",
      workers: WORKERS,
      owners: nodes,
      ready: async (signal) => takeWhatIsThere(context, signal),
      wakes: (change, wake) => {
        if (lacksRange(change, context)) wake(keyOf(change.object));
      },
      gone: (key) => waiting.delete(key),
      sync: async (sync) => syncNode(sync, context),
    });
  },
);

/** Gives every Node a range of Pod addresses, or one of each family. */
export function nodeIpamController(settings: NodeIpamSettings): ControllerDescriptor {
  return { ...define(settings), checkSettings: () => void new NodeRanges(planRanges(settings)) };
}

function follow(change: Change<CachedNode>, context: NodeIpamContext): void {
  const { ranges } = context;
  if (change.type === "deleted") ranges.release(change.object.metadata.uid);
  else ranges.show(change.object);
  forgetUnseen(context);
}

/** A Node without a range, and one whose range cannot be its own. What else changes about Nodes is no news here. */
function lacksRange(change: Change<CachedNode>, { ranges }: NodeIpamContext): boolean {
  if (change.type === "deleted") return false;
  const { object } = change;
  if (change.type === "updated" && !change.resync && sameRanges(change.before, object)) return false;
  return (object.spec?.podCIDRs ?? []).length === 0 || ranges.problemOf(object.metadata.uid) !== undefined;
}
