import { resources } from "../../pkg/api/resources.ts";
import type { ClusterRole } from "../../pkg/api/types/rbac-v1.gen.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { roleHandler } from "./handlers.ts";
import { syncRole } from "./sync.ts";

const QUEUE = "ClusterRoleAggregator";
const WORKERS = 5;

/** Keeps the rules of aggregated cluster roles equal to the union of those that they select. */
export function clusterRoleAggregationController(): ControllerDescriptor {
  return {
    name: "clusterrole-aggregation-controller",
    aliases: ["clusterrole-aggregation"],
    enabledByDefault: true,
    requires: {},
    clientName: "clusterrole-aggregation-controller",
    build,
  };
}

function build(env: Env): Controller {
  const roles = env.informers.informer<ClusterRole>(resources.clusterRoles, {
    fields: ["aggregationRule", "rules"],
  });
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const consistency = new ConsistencyStore({
    clock: env.clock,
    log: env.log,
    caches: [{ resource: resources.clusterRoles, cache: roles }],
  });
  const context = {
    consistency,
    roles: roles.lister,
    client: env.client.clientFor<ClusterRole>(resources.clusterRoles),
  };
  const registration = roles.addHandler(roleHandler(roles.lister, queue));
  const pool = new WorkerPool({
    queue,
    workers: WORKERS,
    sync: async ({ key: name, signal }) => syncRole(name, context, signal),
    gate: consistency,
    ready: whenSynced(env.clock, [registration]),
    clock: env.clock,
    log: env.log,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}
