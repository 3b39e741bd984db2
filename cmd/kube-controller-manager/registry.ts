import { deploymentController } from "../../controllers/deployment/controller.ts";
import { namespaceController } from "../../controllers/namespace/controller.ts";
import { podGarbageCollectorController } from "../../controllers/podgc/controller.ts";
import { replicaSetController, replicationController } from "../../controllers/replicaset/controller.ts";
import { ttlAfterFinishedController } from "../../controllers/ttlafterfinished/controller.ts";
import type { ControllerDescriptor } from "../../pkg/reconcile/env.ts";
import type { Options } from "./options/options.ts";

/** The controllers that are built, a line each, with their settings. Their names are in known-controllers.ts. */
export function registry(options: Options): readonly ControllerDescriptor[] {
  return [
    deploymentController({ workers: options.deployment.concurrentSyncs }),
    replicaSetController({ workers: options.replicaset.concurrentSyncs }),
    replicationController({ workers: options.replicationcontroller.concurrentSyncs }),
    namespaceController({
      workers: options.namespace.concurrentSyncs,
      syncPeriodMs: options.namespace.syncPeriodMs,
    }),
    podGarbageCollectorController({ threshold: options.podGarbageCollector.terminatedPodThreshold }),
    ttlAfterFinishedController({ workers: options.ttlAfterFinished.concurrentSyncs }),
  ];
}
