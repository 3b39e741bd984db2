import {
  BOOTSTRAP_TOKEN_KEYS,
  BOOTSTRAP_TOKEN_NAMESPACE,
  BOOTSTRAP_TOKEN_TYPE,
} from "../../pkg/api/bootstrap-token.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ConfigMap, Secret } from "../../pkg/api/types/core-v1.gen.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { CLUSTER_INFO } from "./cluster-info.ts";
import type { SignerContext } from "./context.ts";
import { clusterInfoHandler, tokenHandler } from "./handlers.ts";
import { signClusterInfo } from "./sync.ts";

const QUEUE = "bootstrap_signer_queue";
const WORKERS = 1;

/** Signs the public description of the cluster with the bootstrap tokens, for nodes that are to join it. */
export function bootstrapSignerController(): ControllerDescriptor {
  return {
    name: "bootstrap-signer-controller",
    aliases: ["bootstrapsigner"],
    enabledByDefault: false,
    requires: {},
    clientName: "bootstrap-signer",
    build,
  };
}

function build(env: Env): Controller {
  const tokens = env.informers.informer<Secret>(resources.secrets, {
    namespace: BOOTSTRAP_TOKEN_NAMESPACE,
    fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}`,
    fields: Object.values(BOOTSTRAP_TOKEN_KEYS).map((key) => `data[${key}]`),
  });
  // Whole, as it is written back.
  const configMaps = env.informers.informer<ConfigMap>(resources.configMaps, {
    namespace: CLUSTER_INFO.namespace,
    fieldSelector: `metadata.name=${CLUSTER_INFO.name}`,
  });
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const context: SignerContext = {
    configMaps: configMaps.lister,
    tokens: tokens.lister,
    client: env.client.clientFor<ConfigMap>(resources.configMaps),
    clock: env.clock,
  };
  const registrations = [
    configMaps.addHandler(clusterInfoHandler(queue)),
    tokens.addHandler(tokenHandler(queue)),
  ];
  const pool = new WorkerPool({
    queue,
    workers: WORKERS,
    sync: async ({ log, signal }) => signClusterInfo(context, log, signal),
    ready: whenSynced(env.clock, registrations),
    clock: env.clock,
    log: env.log,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}
