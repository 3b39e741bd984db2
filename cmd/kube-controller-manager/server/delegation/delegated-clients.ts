import { messageOf } from "../../../../pkg/api/errors.ts";
import type { ClientBuilder } from "../../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { loadAccess } from "../../../../pkg/client/config/access.ts";
import { httpClients } from "../../../../pkg/client/http-clients.ts";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import type { Logger } from "../../../../pkg/log/logger.ts";
import type { Metrics } from "../../../../pkg/metrics/metrics.ts";
import type { Options } from "../../options/options.ts";

/** Clients of the API servers that know who is who and who may do what; absent where none is configured. */
export interface DelegatedClients {
  readonly authentication?: ClientSet;
  readonly authorization?: ClientSet;
  close(): Promise<void>;
}

export interface DelegatedClientsParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** High enough that the API server, and not this limit, decides how fast requests are answered. */
const QPS = 200;
const BURST = 400;

/** Connects nothing yet. Throws a ConfigError for a kubeconfig that cannot be used. */
export async function delegatedClients(
  options: Pick<Options, "authentication" | "authorization">,
  parts: DelegatedClientsParts,
): Promise<DelegatedClients> {
  const authentication = await builderFor(options.authentication.kubeconfig, parts);
  const authorization = await builderFor(options.authorization.kubeconfig, parts);
  return {
    ...(authentication && { authentication: authentication.client("authentication") }),
    ...(authorization && { authorization: authorization.client("authorization") }),
    close: async () => {
      await Promise.all([authentication?.close(), authorization?.close()]);
    },
  };
}

/** Without a kubeconfig: the cluster that this process runs in, if it runs in one. */
async function builderFor(
  kubeconfig: string,
  parts: DelegatedClientsParts,
): Promise<ClientBuilder | undefined> {
  const { environment: env, log } = parts;
  if (kubeconfig === "" && !env["KUBERNETES_SERVICE_HOST"]) return undefined;
  try {
    const access = await loadAccess({ kubeconfig, env });
    return httpClients({ ...parts, access, env, qps: QPS, burst: BURST });
  } catch (error) {
    if (kubeconfig !== "") throw error;
    log.warn("The cluster that this process runs in cannot be asked who may do what", {
      reason: messageOf(error),
    });
    return undefined;
  }
}
