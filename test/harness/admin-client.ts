import { realClock } from "../../pkg/clock/real.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import { httpClients } from "../../pkg/client/http-clients.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";

/** Clients of whoever the kubeconfig names, without any rate limit. */
export async function clientsOf(kubeconfig: string): Promise<ClientBuilder> {
  return httpClients({
    access: await loadAccess({ kubeconfig, master: "", env: {} }),
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    env: {},
    userAgent: "test",
    qps: -1,
    burst: 1,
  });
}
