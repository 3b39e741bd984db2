import { defineController, type WorkerSettings } from "../../pkg/controller/kit.ts";
import { deploymentContext } from "./context.ts";
import { itsDeployment, podRule } from "./handlers.ts";
import { syncDeployment } from "./sync.ts";

/** Drives the ReplicaSets of Deployments: rollouts, scaling, undoing, and how far they have come. */
export const deploymentController = defineController(
  { name: "deployment-controller", eventSource: "deployment-controller" },
  (kit, { workers }: WorkerSettings) => {
    const context = deploymentContext(kit);
    const { deployments, replicaSets, pods, owned } = context;
    const queue = kit.ownerQueue({
      name: "deployment",
      workers,
      maxRetries: 15,
      owners: deployments,
      sync: async (sync) => syncDeployment(sync, context),
    });
    replicaSets.wakes(queue, owned.rule(itsDeployment));
    pods.wakes(queue, podRule(context));
  },
);
