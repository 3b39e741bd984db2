import { keyOf } from "../../pkg/api/object.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { namespaceContext, type NamespaceSettings } from "./context.ts";
import { syncNamespace } from "./sync.ts";

/**
 * How long a namespace that is going away is left alone: the other API servers of the cluster must learn of it first,
 * or they would still let objects be created there after its contents were deleted.
 */
const GRACE_MS = 5_000;

/** Empties namespaces that are being deleted, and lets them go. */
export const namespaceController = defineController(
  {
    name: "namespace-controller",
    // Some three requests for every resource there is, at every attempt.
    clientRate: { qpsFactor: 20, burstFactor: 100 },
  },
  (kit, settings: NamespaceSettings) => {
    const context = namespaceContext(kit, settings);
    kit.ownerQueue({
      name: "namespace",
      workers: settings.workers,
      backOff: { longestMs: 60_000 },
      owners: context.namespaces,
      wakes: ({ type, object }, wake) => {
        const isLeaving = object.metadata.deletionTimestamp !== undefined;
        if (type !== "deleted" && isLeaving) wake(keyOf(object), GRACE_MS);
      },
      gone: (key) => kit.env.log.info("The namespace has been deleted", { key }),
      sync: async (sync) => syncNamespace(sync, context),
    });
  },
);
