import { keyOf } from "../../pkg/api/object.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { bucketLimiter, exponentialLimiter, maxOfLimiter } from "../../pkg/workqueue/rate-limiter.ts";
import { namespaceContext, type NamespaceSettings } from "./context.ts";
import { syncNamespace } from "./sync.ts";

const LONGEST_RETRY_MS = 60_000;
/**
 * How long a namespace that is going away is left alone: the other API servers of the cluster must learn of it first,
 * or they would still let objects be created there after its contents were deleted.
 */
const GRACE_MS = 5_000;

/** Empties namespaces that are being deleted, and lets them go. */
export function namespaceController(settings: NamespaceSettings): ControllerDescriptor {
  return {
    name: "namespace-controller",
    clientName: "namespace-controller",
    // Some three requests for every resource there is, at every attempt.
    clientRate: { qpsFactor: 20, burstFactor: 100 },
    build: wired((kit) => setUp(kit, settings)),
  };
}

function setUp(kit: Kit, settings: NamespaceSettings): void {
  const context = namespaceContext(kit, settings);
  const { clock, log } = kit.env;
  kit.ownerQueue({
    name: "namespace",
    workers: settings.workers,
    rateLimiter: maxOfLimiter(exponentialLimiter(5, LONGEST_RETRY_MS), bucketLimiter(clock, 10, 100)),
    owners: context.namespaces,
    wakes: ({ type, object }, wake) => {
      const isLeaving = object.metadata.deletionTimestamp !== undefined;
      if (type !== "deleted" && isLeaving) wake(keyOf(object), GRACE_MS);
    },
    gone: (key) => log.info("The namespace has been deleted", { key }),
    sync: async (sync) => syncNamespace(sync, context),
  });
}
