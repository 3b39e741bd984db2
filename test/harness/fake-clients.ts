import { type ClientBuilder, clientBuilder, sharedTransports } from "../../pkg/client/client-builder.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";

/** Clients over a transport of the test's own, as fast as it is. */
export function fakeClients(transport: Transport, clock: Clock): ClientBuilder {
  return clientBuilder({
    transports: sharedTransports(transport),
    clock,
    log: silentLogger,
    metrics: noMetrics,
    host: "fake",
    userAgent: "test",
    qps: -1,
    burst: 1,
  });
}
