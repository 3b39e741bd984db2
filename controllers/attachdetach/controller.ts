import { defineController } from "../../pkg/controller/kit.ts";
import { attachDetachContext, type AttachDetachSettings } from "./context.ts";
import {
  attachmentRule,
  claimRule,
  driverRule,
  nodeRule,
  podRule,
  reportRule,
  volumeRule,
} from "./handlers.ts";
import { countVolumes } from "./sync-metrics.ts";
import { syncNode } from "./sync-node.ts";
import { syncClaim, syncDriver } from "./sync-pods.ts";
import { takeWhatIsThere } from "./sync-start.ts";
import { syncVolume } from "./sync-volume.ts";

/** Nobody waits for a driver meanwhile: these are requests that are under way at a time. */
const VOLUME_WORKERS = 20;
const NODE_WORKERS = 10;

/** Has volumes attached to the nodes whose pods need them, and detached from the others. */
export const attachDetachController = defineController(
  {
    name: "persistentvolume-attach-detach-controller",
    clientName: "attachdetach-controller",
    eventSource: "attachdetach-controller",
  },
  (kit, settings: AttachDetachSettings) => {
    const context = attachDetachContext(kit, settings, {
      volume: (key) => volumeQueue.add(key),
      node: (name) => nodeQueue.add(name),
      claim: (key) => claimQueue.add(key),
    });
    let start: Promise<void> | undefined;
    const ready = async (signal: AbortSignal): Promise<void> => {
      start ??= takeWhatIsThere(context, signal);
      return start;
    };
    const volumeQueue = kit.queue({
      name: "attachdetach_volumes",
      unmeasured: true,
      workers: VOLUME_WORKERS,
      ready,
      sync: async (sync) => syncVolume(sync, context),
    });
    const nodeQueue = kit.queue({
      name: "attachdetach_nodes",
      unmeasured: true,
      workers: NODE_WORKERS,
      ready,
      sync: async (sync) => syncNode(sync, context),
    });
    const claimQueue = kit.queue({
      name: "pvcs",
      workers: 1,
      ready,
      sync: async (sync) => syncClaim(sync, context),
    });
    const driverQueue = kit.queue({
      name: "attachdetach_drivers",
      unmeasured: true,
      workers: 1,
      ready,
      sync: async (sync) => syncDriver(sync, context),
    });
    context.pods.wakes(volumeQueue, podRule(context));
    context.nodes.wakes(volumeQueue, nodeRule(context));
    context.nodes.wakes(nodeQueue, reportRule(context));
    context.claims.wakes(claimQueue, claimRule);
    context.volumes.wakes(claimQueue, volumeRule);
    context.drivers.wakes(driverQueue, driverRule);
    context.attachments.wakes(volumeQueue, attachmentRule(context));
    kit.env.metrics.onCollect(async () => countVolumes(context));
  },
);
