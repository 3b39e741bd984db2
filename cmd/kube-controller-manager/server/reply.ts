import type { FastifyReply } from "fastify";
import type { Status } from "../../../pkg/api/object.ts";

export const PLAIN_TEXT = "text/plain; charset=utf-8";
export const NO_SNIFF = ["x-content-type-options", "nosniff"] as const;

export async function replyText(reply: FastifyReply, status: number, text: string): Promise<FastifyReply> {
  return reply
    .code(status)
    .type(PLAIN_TEXT)
    .header(...NO_SNIFF)
    .send(text);
}

/** Indented, for people read it; as bytes, for fastify would add a character set to the type. */
export async function replyJson(
  reply: FastifyReply,
  status: number,
  value: unknown,
  type = "application/json",
): Promise<FastifyReply> {
  return reply
    .code(status)
    .header("content-type", type)
    .send(Buffer.from(JSON.stringify(value, null, 2)));
}

/** A metav1.Status that says why a request came to nothing. */
export async function replyFailure(
  reply: FastifyReply,
  failure: Pick<Status, "message" | "reason" | "details"> & { readonly code: number },
): Promise<FastifyReply> {
  const { message, reason, details, code } = failure;
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
  return replyJson(reply, code, status);
}

export async function replyNotFound(reply: FastifyReply): Promise<FastifyReply> {
  return replyText(reply, 404, "404 page not found\n");
}

/** The values of a parameter of the query; those of `?name` are [""]. */
export function queryValues(query: unknown, name: string): readonly string[] {
  const value = (query as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return value === undefined ? [] : [value].flat();
}
