import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { POD_CONTROLLER_INDEX, podControllerIndex } from "../../pkg/controller/pod-index.ts";
import {
  REPLICA_SET_CONTROLLER_INDEX,
  replicaSetControllerIndex,
} from "../../pkg/controller/replica-set-index.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { DeploymentContext } from "./context.ts";
import { deploymentHandler, podHandler, replicaSetHandler } from "./handlers.ts";
import { syncDeployment } from "./sync.ts";

export interface DeploymentSettings {
  readonly workers: number;
}

/** Failures in a row after which a Deployment is left alone until it changes. */
const MAX_RETRIES = 15;
const QUEUE = "deployment";

/** Drives the ReplicaSets of Deployments: rollouts, scaling, undoing, and how far they have come. */
export function deploymentController(settings: DeploymentSettings): ControllerDescriptor {
  return {
    name: "deployment-controller",
    aliases: ["deployment"],
    enabledByDefault: true,
    requires: {},
    clientName: "deployment-controller",
    eventSource: "deployment-controller",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: DeploymentSettings): Controller {
  const deployments = env.informers.informer<Deployment>(resources.deployments);
  const replicaSets = env.informers.informer<ReplicaSet>(resources.replicaSets);
  const pods = env.informers.informer<Pod>(resources.pods, { fields: ["status.phase"] });
  pods.addIndex(POD_CONTROLLER_INDEX, podControllerIndex);
  replicaSets.addIndex(REPLICA_SET_CONTROLLER_INDEX, replicaSetControllerIndex);
  const context: DeploymentContext = {
    deployments: deployments.lister,
    replicaSets: replicaSets.lister,
    pods: pods.lister,
    deploymentClient: env.client.clientFor<Deployment>(resources.deployments),
    replicaSetClient: env.client.clientFor<ReplicaSet>(resources.replicaSets),
    events: env.events,
    consistency: new ConsistencyStore({
      clock: env.clock,
      log: env.log,
      caches: [
        { resource: resources.deployments, cache: deployments },
        { resource: resources.replicaSets, cache: replicaSets },
      ],
    }),
    countsTerminating: env.features.enabled("DeploymentReplicaSetTerminatingReplicas"),
    clock: env.clock,
  };
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const registrations = [
    deployments.addHandler(deploymentHandler(queue)),
    replicaSets.addHandler(replicaSetHandler(context, queue)),
    pods.addHandler(podHandler(context, queue)),
  ];
  const pool = new WorkerPool({
    queue,
    workers: settings.workers,
    sync: async ({ key, log, signal }) => syncDeployment(key, context, log, signal),
    ready: whenSynced(env.clock, registrations),
    clock: env.clock,
    log: env.log,
    maxRetries: MAX_RETRIES,
    gate: context.consistency,
  });
  return { run: async (signal) => pool.run(signal), health: () => ({ pools: { [QUEUE]: pool.liveness() } }) };
}
