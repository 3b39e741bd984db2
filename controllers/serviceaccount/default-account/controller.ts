import { resources } from "../../../pkg/api/resources.ts";
import type { Namespace, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { whenSynced } from "../../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../../pkg/controller/env.ts";
import { WorkerPool } from "../../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../../pkg/workqueue/work-queue.ts";
import type { AccountContext } from "./context.ts";
import { accountHandler, namespaceHandler } from "./handlers.ts";
import { ensureDefaultAccount } from "./sync.ts";

const QUEUE = "serviceaccount";
const WORKERS = 1;

/** Gives every active namespace the service account `default`. */
export function serviceAccountController(): ControllerDescriptor {
  return {
    name: "serviceaccount-controller",
    aliases: ["serviceaccount"],
    enabledByDefault: true,
    requires: {},
    clientName: "service-account-controller",
    build,
  };
}

function build(env: Env): Controller {
  const namespaces = env.informers.informer<Namespace>(resources.namespaces, { fields: ["status.phase"] });
  const accounts = env.informers.informer<ServiceAccount>(resources.serviceAccounts, { fields: [] });
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const context: AccountContext = {
    namespaces: namespaces.lister,
    accounts: accounts.lister,
    client: env.client.clientFor<ServiceAccount>(resources.serviceAccounts),
  };
  const registrations = [
    accounts.addHandler(accountHandler(queue), { resyncMs: 0 }),
    namespaces.addHandler(namespaceHandler(queue), { resyncMs: 0 }),
  ];
  const pool = new WorkerPool({
    queue,
    workers: WORKERS,
    sync: async ({ key: namespace, signal }) => ensureDefaultAccount(namespace, context, signal),
    ready: whenSynced(env.clock, registrations),
    clock: env.clock,
    log: env.log,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}
