import type { RequestListener, Server } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Listener } from "./listener.ts";
import { debugControllers } from "./routes/debug-controllers.ts";
import { debugFlags } from "./routes/debug-flags.ts";
import { healthRoutes } from "./routes/health-routes.ts";
import { metricsRoutes } from "./routes/metrics-routes.ts";
import { heapSnapshotRoute, profilingRoutes } from "./routes/profiling.ts";
import { replyNotFound, replyText } from "./reply.ts";
import { zPages } from "./routes/z-pages.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import type { AccessControl } from "./authz/access-control.ts";
import type { ServerParts } from "./server-parts.ts";

/** As upstream. */
const ACCESS_LOG_LEVEL = 3;
/** The largest body that any path takes is a log level. */
const MOST_BODY_BYTES = 64 * 1024;
/** No route has a schema. By default compilers of schemas would be loaded all the same, which take more than the rest. */
const noSchemas = { buildValidator: unexpectedSchema, buildSerializer: unexpectedSchema };

/** All paths behind access control, on a listener that is made for them. */
export async function createHandler(
  parts: ServerParts,
  access: AccessControl,
  listen: (handle: RequestListener) => Listener,
): Promise<{ app: FastifyInstance; listener: Listener }> {
  // Loaded only here: a process that serves nothing pays nothing.
  const { fastify } = await import("fastify");
  let listener: Listener | undefined;
  const app: FastifyInstance = fastify<Server>({
    serverFactory: (handle) => {
      listener = listen(handle);
      // Fastify needs of it what all of Node.js' servers have.
      return listener.server as unknown as Server;
    },
    bodyLimit: MOST_BODY_BYTES,
    // Before access control and the router look at it, which must see the same path.
    rewriteUrl: ({ url = "/" }) => originForm(url),
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: noSchemas },
    // What the router cannot read never gets as far as the hooks.
    frameworkErrors: (error, _, reply) =>
      void replyText(reply, error.statusCode ?? 400, `${error.message}\n`),
  });
  if (listener === undefined) throw new Error("fastify has not asked for its server");
  addHooks(app, parts, access);
  healthRoutes(app, parts.health);
  metricsRoutes(app, parts.metrics, parts.processStartMs);
  zPages(app, parts);
  if (parts.options.debugging.profiling) {
    profilingRoutes(app, parts.clock);
    debugFlags(app, parts.verbosity);
  }
  if (parts.options.own.heapSnapshots) heapSnapshotRoute(app);
  debugControllers(app, parts.debugHandler);
  return { app, listener };
}

/** Clients of proxies write targets with scheme and host (RFC 9112, 3.2.2), which say nothing here. */
function originForm(target: string): string {
  const absolute = /^https?:\/\/[^/?#]*(.*)$/is.exec(target);
  if (absolute === null) return target;
  const [, rest = ""] = absolute;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function unexpectedSchema(): never {
  throw new Error("a route has a schema, but there is no compiler of schemas");
}

function addHooks(app: FastifyInstance, { clock, log }: ServerParts, access: AccessControl): void {
  // Taken down at the start: an HTTP/2 connection may be gone when the answer is.
  const started = new WeakMap<FastifyRequest, { readonly ms: number; readonly peer: string }>();
  app.addHook("onRequest", async (request, reply) => {
    if (log.enabled(ACCESS_LOG_LEVEL)) {
      const { remoteAddress, remotePort } = request.socket;
      started.set(request, { ms: clock.monotonicMs(), peer: `${remoteAddress}:${remotePort}` });
    }
    reply.header("cache-control", "no-cache, private");
    // What has been answered goes no further.
    if (!(await access.admit(request, reply))) return reply;
    return undefined;
  });
  app.addHook("onResponse", async (request, reply) => {
    const start = started.get(request);
    if (start === undefined) return;
    log.verbose(ACCESS_LOG_LEVEL, "HTTP", {
      verb: request.method,
      URI: request.url,
      latencyMs: clock.monotonicMs() - start.ms,
      userAgent: request.headers["user-agent"] ?? "",
      srcIP: start.peer,
      resp: reply.statusCode,
    });
  });
  // Bodies are text, whatever they are called.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_, body, done) => done(null, body));
  app.setNotFoundHandler(async (_, reply) => replyNotFound(reply));
  app.setErrorHandler(async (error, request, reply) => answerError(error, request, reply, log));
}

async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): Promise<FastifyReply> {
  const { statusCode = 500 } = error instanceof Error ? (error as Error & { statusCode?: number }) : {};
  if (error instanceof Error && statusCode < 500) return replyText(reply, statusCode, `${error.message}\n`);
  log.error(error, "A request failed", { verb: request.method, URI: request.url });
  return replyText(reply, 500, "This request failed inside the server. Its log says why.\n");
}
