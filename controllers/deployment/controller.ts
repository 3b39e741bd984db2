import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { deploymentContext } from "./context.ts";
import { podRule, replicaSetRule } from "./handlers.ts";
import { syncDeployment } from "./sync.ts";

export interface DeploymentSettings {
  readonly workers: number;
}

/** Failures in a row after which a Deployment is left alone until it changes. */
const MAX_RETRIES = 15;

/** Drives the ReplicaSets of Deployments: rollouts, scaling, undoing, and how far they have come. */
export function deploymentController(settings: DeploymentSettings): ControllerDescriptor {
  return {
    name: "deployment-controller",
    clientName: "deployment-controller",
    eventSource: "deployment-controller",
    build: wired((kit) => setUp(kit, settings)),
  };
}

function setUp(kit: Kit, { workers }: DeploymentSettings): void {
  const context = deploymentContext(kit);
  const queue = kit.ownerQueue({
    name: "deployment",
    workers,
    maxRetries: MAX_RETRIES,
    owners: context.deployments,
    consistency: context.consistency,
    sync: async (sync) => syncDeployment(sync, context),
  });
  context.replicaSets.wakes(queue, replicaSetRule(context.deployments));
  context.pods.wakes(queue, podRule(context));
}
