import { resources } from "../../pkg/api/resources.ts";
import type { Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { bucketLimiter, exponentialLimiter, maxOfLimiter } from "../../pkg/workqueue/rate-limiter.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { NamespaceContext } from "./context.ts";
import { namespaceHandler } from "./handlers.ts";
import { syncNamespace } from "./sync.ts";

export interface NamespaceSettings {
  readonly workers: number;
  /** How often every namespace is looked at again. */
  readonly syncPeriodMs: number;
}

const QUEUE = "namespace";
const LONGEST_RETRY_MS = 60_000;

/** Empties namespaces that are being deleted, and lets them go. */
export function namespaceController(settings: NamespaceSettings): ControllerDescriptor {
  return {
    name: "namespace-controller",
    aliases: ["namespace"],
    enabledByDefault: true,
    requires: {},
    clientName: "namespace-controller",
    // Some three requests for every resource there is, at every attempt.
    clientRate: { qpsFactor: 20, burstFactor: 100 },
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: NamespaceSettings): Controller {
  const { client, clock, log, metrics } = env;
  const namespaces = env.informers.informer<Namespace>(resources.namespaces, { fields: [] });
  const rateLimiter = maxOfLimiter<string>(
    exponentialLimiter(5, LONGEST_RETRY_MS),
    bucketLimiter(clock, 10, 100),
  );
  const queue = createWorkQueue<string>({ clock, metrics, name: QUEUE, rateLimiter });
  namespaces.addHandler(namespaceHandler(queue), { resyncMs: settings.syncPeriodMs });
  const context: NamespaceContext = {
    namespaces: namespaces.lister,
    namespaceClient: client.clientFor<Namespace>(resources.namespaces),
    client,
    clock,
  };
  const pool = new WorkerPool<string>({
    queue,
    workers: settings.workers,
    sync: async ({ key: name, log, signal }) => syncNamespace(name, context, log, signal),
    ready: whenSynced(clock, [namespaces]),
    clock,
    log,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}
