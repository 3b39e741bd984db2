import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import type { Access } from "../../pkg/client/config/identity-source.ts";
import {
  httpClients,
  type HttpClientsOptions,
  serviceAccountClients,
} from "../../pkg/client/http-clients.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";
import type { Options } from "./options/options.ts";
import { userAgent } from "./version.ts";

export interface Clients {
  /** What all of them connect with. */
  readonly access: Access;
  /** The configured user: for the election, and to read. */
  readonly root: ClientBuilder;
  /** What controllers get their clients from, as themselves if so configured. For one term of a leader. */
  ofControllers(): ClientBuilder;
}

const NAMESPACE = "kube-system";
/** Connects nothing yet. Throws a ConfigError for a kubeconfig that cannot be used. */
export async function createClients(
  options: Options,
  environment: Readonly<Record<string, string | undefined>>,
  parts: { readonly clock: Clock; readonly log: Logger; readonly metrics: Metrics },
): Promise<Clients> {
  const { kubeconfig, master } = options.misc;
  const { kubeApiQps, kubeApiBurst, useServiceAccountCredentials } = options.generic;
  const access = await loadAccess({ kubeconfig, master, env: environment });
  const shared: HttpClientsOptions = {
    ...parts,
    access,
    env: environment,
    userAgent: userAgent(),
    qps: kubeApiQps,
    burst: kubeApiBurst,
    fair: options.own.fairQueues,
  };
  return {
    access,
    root: httpClients(shared),
    ofControllers: () =>
      useServiceAccountCredentials ? serviceAccountClients(shared, NAMESPACE) : httpClients(shared),
  };
}
