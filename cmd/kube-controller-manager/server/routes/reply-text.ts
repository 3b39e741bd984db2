import type { FastifyReply } from "fastify";

export const PLAIN_TEXT = "text/plain; charset=utf-8";

export async function replyText(reply: FastifyReply, status: number, text: string): Promise<FastifyReply> {
  return reply.code(status).type(PLAIN_TEXT).header("x-content-type-options", "nosniff").send(text);
}

export async function replyNotFound(reply: FastifyReply): Promise<FastifyReply> {
  return replyText(reply, 404, "404 page not found\n");
}

/** The values of a parameter of the query; those of `?name` are [""]. */
export function queryValues(query: unknown, name: string): readonly string[] {
  const value = (query as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return value === undefined ? [] : [value].flat();
}
