import type { FastifyInstance } from "fastify";
import { replyNotFound } from "../reply.ts";

export interface DebugAnswer {
  readonly contentType: string;
  readonly body: string;
}

/** What a controller shows under /debug/controllers/NAME. `path` is what follows the name; undefined: not found. */
export type DebugHandler = (path: string, query: URLSearchParams) => Promise<DebugAnswer | undefined>;

/** `handlerOf` is asked at every request: controllers come and go with the leadership. */
export function debugControllers(
  app: FastifyInstance,
  handlerOf: (name: string) => DebugHandler | undefined,
): void {
  for (const path of ["/debug/controllers/:name", "/debug/controllers/:name/*"]) {
    app.all<{ Params: { name: string; "*"?: string } }>(path, async ({ params, url }, reply) => {
      const query = url.slice(url.indexOf("?") + 1 || url.length);
      const answer = await handlerOf(params.name)?.(`/${params["*"] ?? ""}`, new URLSearchParams(query));
      if (answer === undefined) return replyNotFound(reply);
      return reply.type(answer.contentType).header("x-content-type-options", "nosniff").send(answer.body);
    });
  }
}
