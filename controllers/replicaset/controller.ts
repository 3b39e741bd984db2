import { resources } from "../../pkg/api/resources.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { replicaContext, type Twin } from "./context.ts";
import { podRule } from "./handlers.ts";
import { syncReplicas } from "./sync.ts";

export interface ReplicaSettings {
  readonly workers: number;
}

/** Keeps as many pods of a ReplicaSet as it asks for. */
export function replicaSetController(settings: ReplicaSettings): ControllerDescriptor {
  return describe(settings, {
    name: "replicaset-controller",
    clientName: "replicaset-controller",
    queueName: "replicaset",
    resource: resources.replicaSets,
    countsTerminating: true,
    countsSkips: true,
  });
}

/** The same for ReplicationControllers. */
export function replicationController(settings: ReplicaSettings): ControllerDescriptor {
  return describe(settings, {
    name: "replicationcontroller-controller",
    clientName: "replication-controller",
    queueName: "replicationmanager",
    resource: resources.replicationControllers,
    countsTerminating: false,
    countsSkips: false,
  });
}

function describe(settings: ReplicaSettings, twin: Twin): ControllerDescriptor {
  return {
    name: twin.name,
    clientName: twin.clientName,
    eventSource: twin.clientName,
    build: wired((kit) => setUp(kit, settings, twin)),
  };
}

function setUp(kit: Kit, { workers }: ReplicaSettings, twin: Twin): void {
  const context = replicaContext(kit, twin);
  const { owners, pods, owned, consistency } = context;
  const queue = kit.ownerQueue({
    name: twin.queueName,
    workers,
    owners,
    consistency,
    remembers: [owned],
    sync: async (sync) => syncReplicas(sync, context),
  });
  pods.wakes(queue, podRule(owners, owned, kit.env.log));
}
