import type { FastifyInstance } from "fastify";
import type { HealthChecks, HealthEndpoint } from "../../../../pkg/manager/health/health.ts";
import { queryValues, replyNotFound, replyText } from "../reply.ts";

const ENDPOINTS: readonly HealthEndpoint[] = ["healthz", "livez", "readyz"];

/** Upstream serves /healthz alone; /livez, /readyz and single checks answer here too. */
export function healthRoutes(app: FastifyInstance, checks: HealthChecks): void {
  for (const endpoint of ENDPOINTS) {
    app.all(`/${endpoint}`, async ({ query }, reply) => {
      const verbose = queryValues(query, "verbose").length > 0;
      const answer = checks.answer(endpoint, { verbose, excluded: queryValues(query, "exclude") });
      return replyText(reply, answer.status, answer.text);
    });
    app.all<{ Params: { name: string } }>(`/${endpoint}/:name`, async ({ params }, reply) => {
      const answer = checks.answerOne(endpoint, params.name);
      return answer === undefined ? replyNotFound(reply) : replyText(reply, answer.status, answer.text);
    });
  }
}
