import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ExposedMetrics, MetricsRegistries } from "../../../../pkg/metrics/registry.ts";
import { replyText } from "../reply.ts";

/** Off the main thread. */
const compress = promisify(gzip);

export function metricsRoutes(
  app: FastifyInstance,
  metrics: Pick<MetricsRegistries, "main" | "slis">,
  processStartMs: number,
): void {
  const expose = async (source: ExposedMetrics, request: FastifyRequest, reply: FastifyReply) => {
    const text = await source.expose();
    reply.type(source.contentType).header("process-start-time-unix", Math.floor(processStartMs / 1_000));
    if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return reply.send(text);
    return reply.header("content-encoding", "gzip").send(await compress(text));
  };
  app.all("/metrics", async (request, reply) => expose(metrics.main, request, reply));
  app.all("/metrics/slis", async (request, reply) => {
    if (request.method !== "DELETE") return expose(metrics.slis, request, reply);
    metrics.slis.reset();
    return replyText(reply, 200, "metrics reset\n");
  });
}
