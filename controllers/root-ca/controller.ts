import { resources } from "../../pkg/api/resources.ts";
import type { ConfigMap, Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { CONFIG_MAP } from "./config-map.ts";
import type { PublisherContext } from "./context.ts";
import { configMapHandler, namespaceHandler } from "./handlers.ts";
import { publishRootCa } from "./sync.ts";

export interface RootCaSettings {
  /** What the API server's certificate is verified with, in PEM. Called once, when the controller is built. */
  readonly rootCa: () => string;
}

const QUEUE = "root_ca_cert_publisher";
const WORKERS = 1;
/** From a millisecond on, doubled 14 times. */
const BUCKETS = Array.from({ length: 15 }, (_, index) => 2 ** index / 1_000);

/** Puts the CA of the API server into every namespace, for the pods there. */
export function rootCaPublisherController(settings: RootCaSettings): ControllerDescriptor {
  return {
    name: "root-ca-certificate-publisher-controller",
    aliases: ["root-ca-cert-publisher"],
    enabledByDefault: true,
    requires: {},
    clientName: "root-ca-cert-publisher",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, { rootCa }: RootCaSettings): Controller {
  const namespaces = env.informers.informer<Namespace>(resources.namespaces, { fields: ["status.phase"] });
  // Whole, as they are written back; of all the ConfigMaps of a cluster it is one in each namespace.
  const configMaps = env.informers.informer<ConfigMap>(resources.configMaps, {
    fieldSelector: `metadata.name=${CONFIG_MAP}`,
  });
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const context: PublisherContext = {
    configMaps: configMaps.lister,
    client: env.client.clientFor<ConfigMap>(resources.configMaps),
    rootCa: rootCa(),
    clock: env.clock,
    syncs: env.metrics.counter({
      name: "root_ca_cert_publisher_sync_total",
      help: "Syncs of namespaces by the publisher of the root CA.",
      labels: ["code"],
      stability: "ALPHA",
    }),
    durations: env.metrics.histogram({
      name: "root_ca_cert_publisher_sync_duration_seconds",
      help: "How long syncs of namespaces by the publisher of the root CA took.",
      labels: ["code"],
      buckets: BUCKETS,
      stability: "ALPHA",
    }),
  };
  const registrations = [
    configMaps.addHandler(configMapHandler(queue)),
    namespaces.addHandler(namespaceHandler(queue)),
  ];
  const pool = new WorkerPool({
    queue,
    workers: WORKERS,
    sync: async ({ key: namespace, signal }) => publishRootCa(namespace, context, signal),
    ready: whenSynced(env.clock, registrations),
    clock: env.clock,
    log: env.log,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}
