import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { ClientBuilder, Transports } from "./client-builder.ts";
import { clientBuilder, sharedTransports } from "./client-builder.ts";
import { ExecPlugin } from "./config/exec-plugin.ts";
import { repeatsHeaders } from "./config/headers.ts";
import type { Access } from "./config/identity-source.ts";
import { proxyFromEnvironment } from "./config/proxy-env.ts";
import { ReloadingIdentity } from "./config/reloading-identity.ts";
import { HttpTransport } from "./http/http-transport.ts";
import type { Identity } from "./http/identity.ts";
import { ServiceAccountIdentity } from "./service-account-identity.ts";
import type { Transport } from "./transport.ts";

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
  /** Put around the transport of every client: a fence, for programs that may write only while they lead. */
  readonly wrap?: (transport: Transport) => Transport;
}

/** Clients of a real API server, as the configured user. */
export function httpClients(options: HttpClientsOptions): ClientBuilder {
  const identity = identityOf(options);
  const transport = (): HttpTransport => httpTransport(options, identity);
  return builderOver(options, sharedTransports(transport(), transport));
}

/**
 * Clients of a real API server, each as the service account of its name in `namespace`; the configured user issues
 * the tokens (--use-service-account-credentials).
 */
export function serviceAccountClients(options: HttpClientsOptions, namespace: string): ClientBuilder {
  const { clock, log } = options;
  // Tokens are got outside any wrapping: they are needed to read as well as to write.
  const { wrap: _, ...unwrapped } = options;
  const issuers = httpClients(unwrapped);
  const issuer = issuers.client("token-issuer");
  const base = identityOf(options);
  const transports = perNameTransports(namespace, (name) => {
    const identity = new ServiceAccountIdentity({ namespace, name, issuer, base, clock, log });
    return httpTransport(options, identity);
  });
  const builder = builderOver(options, transports);
  return {
    ...builder,
    close: async () => {
      await Promise.all([builder.close(), issuers.close()]);
    },
  };
}

function perNameTransports(namespace: string, make: (name: string) => HttpTransport): Transports {
  const shared = new Map<string, HttpTransport>();
  const all = new Set<HttpTransport>();
  const remember = (transport: HttpTransport): HttpTransport => {
    all.add(transport);
    return transport;
  };
  return {
    forClient: (name, ownConnection) => {
      if (ownConnection) return remember(make(name));
      const transport = shared.get(name) ?? remember(make(name));
      shared.set(name, transport);
      return transport;
    },
    userAgentSuffix: (name) => `system:serviceaccount:${namespace}:${name}`,
    close: async () => {
      await Promise.all([...all].map(async (transport) => transport.close()));
    },
  };
}

function builderOver(options: HttpClientsOptions, transports: Transports): ClientBuilder {
  const { wrap } = options;
  const wrapped: Transports =
    wrap === undefined
      ? transports
      : {
          ...transports,
          forClient: (name, ownConnection) => wrap(transports.forClient(name, ownConnection)),
        };
  return clientBuilder({ ...options, transports: wrapped, host: options.access.server.host });
}

function identityOf({ access, env, clock, log, metrics }: HttpClientsOptions): Identity {
  const source = access.identity;
  // Credentials that are configured go before those that a plugin would have to be asked for.
  const wantsPlugin = source.token === undefined && source.basic === undefined && source.cert === undefined;
  const plugin =
    source.exec !== undefined && wantsPlugin ? new ExecPlugin(source.exec, env, clock, metrics) : undefined;
  return new ReloadingIdentity(source, plugin, clock, log);
}

function httpTransport({ access, env, clock }: HttpClientsOptions, identity: Identity): HttpTransport {
  const proxy = access.proxy ?? proxyFromEnvironment(access.server, env);
  return new HttpTransport({
    server: access.server,
    identity,
    clock,
    http1Only: repeatsHeaders(access.identity),
    ...(proxy === undefined ? {} : { proxy }),
  });
}
