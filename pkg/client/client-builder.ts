import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { ClientSet } from "./client-set.ts";
import { clientSet } from "./client-set.ts";
import type { DiscoveryStore } from "./discovery.ts";
import type { RateLimiter } from "./limiter.ts";
import { tokenBucket } from "./limiter.ts";
import { RestMetrics } from "./rest-metrics.ts";
import { RestClient } from "./rest.ts";
import type { Transport } from "./transport.ts";
import { WarningLog } from "./warnings.ts";

export interface ClientOptions {
  /** Multiples of the configured rate, for controllers that make many requests. */
  readonly qpsFactor?: number;
  readonly burstFactor?: number;
  /** Instead of a limiter of its own. */
  readonly limiter?: RateLimiter;
  readonly timeoutMs?: number;
  /** Shares no connection with other clients: leader election must not wait behind anything. */
  readonly ownConnection?: boolean;
  /** Where every client has an identity of its own: not this one. */
  readonly asConfiguredUser?: boolean;
}

/** Makes the clients of the controllers. */
export interface ClientBuilder {
  client(name: string, options?: ClientOptions): ClientSet;
  close(): Promise<void>;
}

/** Which transport serves whom: one for all, or one for each name with an identity of its own. */
export interface Transports {
  forClient(name: string, ownConnection: boolean): Transport;
  /** What tells the clients apart in the API server's logs and flow control. */
  userAgentSuffix(name: string): string;
  close(): Promise<void>;
}

export interface ClientBuilderOptions {
  readonly transports: Transports;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The API server's host and port, for metrics. */
  readonly host: string;
  readonly userAgent: string;
  /** Requests a second; 0 is the usual, and below 0 there is no limit. */
  readonly qps: number;
  /** Requests at once after a rest; 0 is the usual. */
  readonly burst: number;
  /** Whether limiters take turns between namespaces. */
  readonly fair?: boolean;
  /** Where what the server offers is kept; in memory alone when left out. */
  readonly discoveryStore?: DiscoveryStore | undefined;
}

/** What 0 stands for, whatever it was multiplied by. upstream: client-go/rest/config.go#RESTClientForConfigAndClient */
const USUAL_QPS = 5;
const USUAL_BURST = 10;

export function clientBuilder(options: ClientBuilderOptions): ClientBuilder {
  const { transports, clock, log, metrics, qps, burst, fair = true, discoveryStore } = options;
  const restMetrics = new RestMetrics(metrics, options.host);
  const warnings = new WarningLog(log);
  return {
    client: (name, { qpsFactor = 1, burstFactor = 1, limiter, timeoutMs, ownConnection = false } = {}) =>
      clientSet(
        new RestClient({
          transport: transports.forClient(name, ownConnection),
          clock,
          limiter:
            limiter ??
            tokenBucket({
              clock,
              qps: qps * qpsFactor || USUAL_QPS,
              burst: burst * burstFactor || USUAL_BURST,
              fair,
            }),
          metrics: restMetrics,
          warnings,
          userAgent: `${options.userAgent}/${transports.userAgentSuffix(name)}`,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        }),
        discoveryStore,
      ),
    close: async () => transports.close(),
  };
}

/** Everybody is the same user, over one transport: for a server in this process, which has no connections. */
export function sharedTransports(transport: Transport): Transports {
  return {
    forClient: () => transport,
    userAgentSuffix: (name) => name,
    close: async () => transport.close(),
  };
}
