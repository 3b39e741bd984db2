import { resources } from "../../pkg/api/resources.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { defineController, type WorkerSettings } from "../../pkg/controller/kit.ts";
import { itsPodOwner } from "../../pkg/controller/pod-rule.ts";
import { replicaContext, type Twin } from "./context.ts";
import { OWNER_OF_PODS } from "./replica-owner.ts";
import { syncReplicas } from "./sync.ts";

/** Keeps as many pods of a ReplicaSet as it asks for. */
export const replicaSetController = defineTwin({
  name: "replicaset-controller",
  clientName: "replicaset-controller",
  queueName: "replicaset",
  resource: resources.replicaSets,
  countsTerminating: true,
  countsSkips: true,
});

/** The same for ReplicationControllers. */
export const replicationController = defineTwin({
  name: "replicationcontroller-controller",
  clientName: "replication-controller",
  queueName: "replicationmanager",
  resource: resources.replicationControllers,
  countsTerminating: false,
  countsSkips: false,
});

function defineTwin(twin: Twin): (settings: WorkerSettings) => ControllerDescriptor {
  const { name, clientName, queueName } = twin;
  return defineController(
    { name, clientName, eventSource: clientName },
    (kit, { workers }: WorkerSettings) => {
      const context = replicaContext(kit, twin);
      const { owners, pods, owned } = context;
      const queue = kit.ownerQueue({
        name: queueName,
        workers,
        owners,
        remembers: [owned],
        sync: async (sync) => syncReplicas(sync, context),
      });
      pods.wakes(queue, owned.rule(itsPodOwner(OWNER_OF_PODS)));
    },
  );
}
