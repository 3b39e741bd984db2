import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { ClientBuilder, Transports } from "./client-builder.ts";
import { clientBuilder } from "./client-builder.ts";
import { ExecMetrics } from "./config/exec-metrics.ts";
import { ExecPlugin } from "./config/exec-plugin.ts";
import { repeatsHeaders } from "./config/headers.ts";
import type { Access } from "./config/identity-source.ts";
import { proxyFromEnvironment } from "./config/proxy-env.ts";
import { http2FromEnvironment } from "./config/http2-env.ts";
import { ReloadingIdentity } from "./config/reloading-identity.ts";
import { HttpTransport } from "./http/http-transport.ts";
import type { Identity } from "./http/identity.ts";
import { type DiscoveryCacheOptions, DiscoveryFile } from "./discovery-file.ts";
import { ServiceAccountIdentity } from "./service-account-identity.ts";
import type { Transport } from "./transport.ts";
import { TransportMetrics } from "./transport-metrics.ts";

export interface HttpClientsOptions {
  readonly access: Access;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly qps: number;
  readonly burst: number;
  readonly fair?: boolean;
  /** Keeps what the server offers in a file, for programs that do not run long; in memory alone when left out. */
  readonly discoveryCache?: DiscoveryCacheOptions | undefined;
  /** Put around every transport: tests record what goes through. */
  readonly wrap?: (transport: Transport) => Transport;
}

/** Clients of a real API server, as the configured user. */
export function httpClients(options: HttpClientsOptions): ClientBuilder {
  const metrics = new TransportMetrics(options.metrics);
  return clientsOfUser(options, identityOf(options, metrics), metrics, transportsTo(options));
}

/**
 * Clients of a real API server, each as the service account of its name in `namespace`; the configured user issues
 * the tokens (--use-service-account-credentials).
 */
export function serviceAccountClients(options: HttpClientsOptions, namespace: string): ClientBuilder {
  const { clock, log } = options;
  const metrics = new TransportMetrics(options.metrics);
  const transportAs = transportsTo(options);
  const user = identityOf(options, metrics);
  // Tokens are got outside any wrapping: they are needed to read as well as to write.
  const { wrap: _, ...unwrapped } = options;
  const issuers = clientsOfUser(unwrapped, user, metrics, transportAs);
  const issuer = issuers.client("token-issuer");
  const builder = builderOver(
    options,
    httpTransports(metrics, {
      share: (name) => name,
      make: (name) =>
        transportAs(new ServiceAccountIdentity({ namespace, name, issuer, base: user, clock, log })),
      userAgentSuffix: (name) => `system:serviceaccount:${namespace}:${name}`,
    }),
  );
  const users = clientsOfUser(options, user, metrics, transportAs);
  return {
    client: (name, clientOptions) =>
      (clientOptions?.asConfiguredUser === true ? users : builder).client(name, clientOptions),
    close: async () => {
      await Promise.all([builder.close(), users.close(), issuers.close()]);
    },
  };
}

function clientsOfUser(
  options: HttpClientsOptions,
  user: Identity,
  metrics: TransportMetrics,
  transportAs: TransportAs,
): ClientBuilder {
  const plan: TransportPlan = {
    share: () => "everybody",
    make: () => transportAs(user),
    userAgentSuffix: (name) => name,
  };
  return builderOver(options, httpTransports(metrics, plan));
}

function builderOver(options: HttpClientsOptions, transports: Transports): ClientBuilder {
  const { wrap = (transport: Transport) => transport, discoveryCache, clock, log, access } = options;
  const { server } = access;
  return clientBuilder({
    ...options,
    discoveryStore: discoveryCache && new DiscoveryFile({ ...discoveryCache, server, clock, log }),
    transports: {
      ...transports,
      forClient: (name, ownConnection) => wrap(transports.forClient(name, ownConnection)),
    },
    host: server.host,
  });
}

interface TransportPlan {
  /** Clients with equal keys share a transport. */
  share(name: string): string;
  make(name: string): HttpTransport;
  userAgentSuffix(name: string): string;
}

function httpTransports(metrics: TransportMetrics, plan: TransportPlan): Transports {
  const shared = new Map<string, HttpTransport>();
  const all: HttpTransport[] = [];
  const make = (name: string): HttpTransport => {
    const transport = plan.make(name);
    all.push(transport);
    metrics.made();
    return transport;
  };
  return {
    forClient: (name, ownConnection) => {
      if (ownConnection) return make(name);
      const key = plan.share(name);
      const existing = shared.get(key);
      if (existing !== undefined) metrics.shared();
      const transport = existing ?? make(name);
      shared.set(key, transport);
      return transport;
    },
    userAgentSuffix: (name) => plan.userAgentSuffix(name),
    close: async () => {
      const closing = all.splice(0);
      metrics.closed(closing.length);
      await Promise.all(closing.map(async (transport) => transport.close()));
    },
  };
}

function identityOf(options: HttpClientsOptions, transportMetrics: TransportMetrics): Identity {
  const { access, env, clock, log, metrics } = options;
  const execMetrics = new ExecMetrics(metrics, clock);
  const { exec, token, basic, cert } = access.identity;
  // Credentials that are configured go before those that a plugin would have to be asked for.
  const wantsPlugin = token === undefined && basic === undefined && cert === undefined;
  const plugin =
    exec !== undefined && wantsPlugin
      ? new ExecPlugin(exec, { env, clock, log, metrics: execMetrics })
      : undefined;
  return new ReloadingIdentity({ source: access.identity, plugin, clock, log, metrics: transportMetrics });
}

type TransportAs = (identity: Identity) => HttpTransport;

/** Transports to the one API server, as the environment wants them. */
function transportsTo({ access, env, clock, log }: HttpClientsOptions): TransportAs {
  const proxy = access.proxy ?? proxyFromEnvironment(access.server, env);
  const { http1Only, patience } = http2FromEnvironment(env, log);
  return (identity) =>
    new HttpTransport({
      server: access.server,
      identity,
      clock,
      patience,
      http1Only: http1Only || repeatsHeaders(access.identity),
      ...(proxy === undefined ? {} : { proxy }),
    });
}
