import {
  BOOTSTRAP_TOKEN_KEYS,
  BOOTSTRAP_TOKEN_NAMESPACE,
  BOOTSTRAP_TOKEN_TYPE,
} from "../../pkg/api/bootstrap-token.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Secret } from "../../pkg/api/types/core-v1.gen.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { CleanerContext } from "./context.ts";
import { tokenHandler } from "./handlers.ts";
import { cleanUpToken } from "./sync.ts";

const QUEUE = "token_cleaner";
const WORKERS = 1;

/** Deletes bootstrap tokens whose time is over. */
export function tokenCleanerController(): ControllerDescriptor {
  return {
    name: "token-cleaner-controller",
    aliases: ["tokencleaner"],
    enabledByDefault: false,
    requires: {},
    clientName: "token-cleaner",
    build,
  };
}

function build(env: Env): Controller {
  const tokens = env.informers.informer<Secret>(resources.secrets, {
    namespace: BOOTSTRAP_TOKEN_NAMESPACE,
    fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}`,
    fields: [`data[${BOOTSTRAP_TOKEN_KEYS.expiration}]`],
  });
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const context: CleanerContext = {
    tokens: tokens.lister,
    client: env.client.clientFor<Secret>(resources.secrets),
    clock: env.clock,
  };
  const pool = new WorkerPool({
    queue,
    workers: WORKERS,
    sync: async ({ key, log, signal }) => cleanUpToken(key, context, log, signal),
    ready: whenSynced(env.clock, [tokens.addHandler(tokenHandler(queue))]),
    clock: env.clock,
    log: env.log,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}
