import type { ListenOptions } from "node:net";
import type { FastifyInstance, FastifyListenOptions } from "fastify";
import type { Clock, Timer } from "../../../pkg/clock/clock.ts";
import type { Options } from "../options/options.ts";
import { StartError } from "../../../pkg/manager/start-error.ts";
import { AccessControl } from "./authz/access-control.ts";
import { AuthenticationSources } from "./authn/authentication-sources.ts";
import type { Authorizer } from "../../../pkg/manager/access/authorizer.ts";
import { authorizeBy } from "./authz/authorization.ts";
import { CertificateSource } from "./tls/certificate-source.ts";
import { createHandler } from "./handler.ts";
import { Listener } from "./listener.ts";
import { ReviewClient } from "../../../pkg/manager/access/review-client.ts";
import type { ServerParts } from "./server-parts.ts";
import { accessMetrics } from "./server-metrics.ts";
import { isUnspecified } from "./tls/serving-certificate.ts";
import { accessReviews } from "../../../pkg/manager/access/subject-access-review.ts";

export interface RunningServer {
  readonly port: number;
  /** Takes no more connections and resolves when the requests under way have been answered, or have had their time. */
  close(): Promise<void>;
}

const DRAIN_LIMIT_MS = 5_000;

/**
 * Serves HTTPS as the flags say, until it is closed; undefined when they say not to (--secure-port=0). Throws a
 * StartError for whatever stands in the way.
 */
export async function startServer(parts: ServerParts): Promise<RunningServer | undefined> {
  const { options, clients, log } = parts;
  if (options.secureServing.securePort === 0) return undefined;
  const inner = { ...parts, log: log.child({ component: "server" }) };
  const authorize = authorizer(inner);
  const sources = await AuthenticationSources.load({
    ...inner,
    options: options.authentication,
    client: clients.authentication,
    metrics: parts.metrics.main,
  });
  try {
    return await serve(inner, sources, authorize);
  } catch (error) {
    sources.stop();
    throw error;
  }
}

function authorizer(parts: ServerParts): Authorizer {
  const { alwaysAllowPaths, authorizedTtlMs, unauthorizedTtlMs } = parts.options.authorization;
  const client = parts.clients.authorization;
  if (client === undefined) {
    parts.log.warn("No --authorization-kubeconfig: only system:masters may read what is not open to all");
    return authorizeBy(alwaysAllowPaths, undefined);
  }
  const reviews = new ReviewClient({
    ...parts,
    rest: client.rest,
    metrics: parts.metrics.main,
    purpose: "authz",
  });
  const ask = accessReviews({ client: reviews, clock: parts.clock, authorizedTtlMs, unauthorizedTtlMs });
  return authorizeBy(alwaysAllowPaths, ask);
}

async function serve(
  parts: ServerParts,
  sources: AuthenticationSources,
  authorize: Authorizer,
): Promise<RunningServer> {
  const { options, clock, features, log } = parts;
  const { secureServing } = options;
  const access = new AccessControl({
    authenticate: sources.authenticator(),
    authorize,
    metrics: accessMetrics(parts.metrics.main),
    clock,
    log,
    endStrangersConnections: features.enabled("UnauthenticatedHTTP2DOSMitigation"),
  });
  const certificates = await CertificateSource.load(secureServing, () => sources.authorities(), parts);
  const { app, listener } = await createHandler(parts, access, (handle) => {
    return new Listener(handle, {
      certificates: certificates.current(),
      http2: !secureServing.disableHttp2,
      maxStreams: secureServing.http2MaxStreams,
      onHandshakeError: (error) => log.verbose(5, "TLS handshake error", { reason: error.message }),
    });
  });
  const renew = (): void => listener.use(certificates.current());
  const port = await listen(app, secureServing);
  sources.onAuthoritiesChange(renew);
  sources.follow();
  certificates.follow(renew, parts);
  log.info("Serving securely", { address: secureServing.bindAddress, port });
  return {
    port,
    close: async () => {
      sources.stop();
      certificates.stop();
      await drain(app, listener, clock);
    },
  };
}

async function drain(app: FastifyInstance, listener: Listener, clock: Clock): Promise<void> {
  const timer: Timer = clock.setTimer(DRAIN_LIMIT_MS, () => listener.destroyConnections());
  const closed = app.close();
  listener.drain();
  await closed;
  timer.cancel();
}

async function listen(app: FastifyInstance, serving: Options["secureServing"]): Promise<number> {
  const { bindAddress, securePort: port, permitPortSharing: reusePort } = serving;
  // An unspecified address stands for both families; machines without IPv6 have the one.
  const hosts = isUnspecified(bindAddress) ? ["::", "0.0.0.0"] : [bindAddress];
  for (const host of hosts) {
    try {
      // Fastify hands on what it does not know itself.
      const options: FastifyListenOptions & ListenOptions = { port, host, reusePort };
      await app.listen(options);
      const address = app.server.address();
      return typeof address === "object" && address !== null ? address.port : port;
    } catch (error) {
      const noSuchFamily = error instanceof Error && "code" in error && error.code === "EAFNOSUPPORT";
      if (noSuchFamily && host !== hosts.at(-1)) continue;
      throw new StartError(`--bind-address, --secure-port: cannot listen on ${bindAddress}:${port}`, error);
    }
  }
  throw new StartError("--bind-address: there is no address to listen on");
}
