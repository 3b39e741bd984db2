import type { Method } from "./transport.ts";
import { TransportError } from "./transport.ts";

/** Attempts after the first. */
export const MAX_RETRIES = 10;
const LOST_CONNECTION_RETRY_MS = 1_000;

/** What the server's Retry-After header asks for; dates, which no API server sends, count as absent. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"];
  return value !== undefined && /^\d+$/.test(value) ? Number(value) * 1_000 : undefined;
}

/** How long to wait before asking again; undefined when this answer is final. */
export function retryDelayOfAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
): number | undefined {
  return status === 429 || status >= 500 ? retryAfterMs(headers) : undefined;
}

/**
 * A lost connection is worth another try when nothing can happen twice. A refused one is not: the server is down,
 * and callers that go on trying have a back-off of their own.
 */
export function retryDelayOfFailure(failure: unknown, method: Method, retries: number): number | undefined {
  if (!(failure instanceof TransportError) || failure.code !== "lost") return undefined;
  if (!failure.sent) return retries === 0 ? 0 : LOST_CONNECTION_RETRY_MS;
  const harmless = method === "GET" || method === "HEAD" || method === "OPTIONS";
  return harmless ? LOST_CONNECTION_RETRY_MS : undefined;
}
