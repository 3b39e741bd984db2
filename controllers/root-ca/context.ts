import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { doublingBuckets } from "../../pkg/metrics/buckets.ts";
import { CONFIG_MAP } from "./config-map.ts";

export interface RootCaSettings {
  /** What the API server's certificate is verified with, in PEM. Called once, when the controller is built. */
  readonly rootCa: () => string;
}

/** All that a sync of a namespace works with. */
export type PublisherContext = ReturnType<typeof publisherContext>;

export function publisherContext(kit: Kit, { rootCa }: RootCaSettings) {
  const { client, clock, metrics } = kit.env;
  return {
    namespaces: kit.reads(resources.namespaces, { fields: ["status.phase"] }),
    /** Whole, as they are written back; of all the ConfigMaps of a cluster it is one in each namespace. */
    configMaps: kit.reads(resources.configMaps, { fieldSelector: `metadata.name=${CONFIG_MAP}` }),
    client: client.clientFor(resources.configMaps),
    rootCa: rootCa(),
    clock,
    syncs: metrics.counter({
      name: "root_ca_cert_publisher_sync_total",
      help: "Syncs of namespaces by the publisher of the root CA.",
      labels: ["code"],
      stability: "ALPHA",
    }),
    durations: metrics.histogram({
      name: "root_ca_cert_publisher_sync_duration_seconds",
      help: "How long syncs of namespaces by the publisher of the root CA took.",
      labels: ["code"],
      buckets: doublingBuckets(0.001, 15),
      stability: "ALPHA",
    }),
  };
}
