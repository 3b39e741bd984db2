import type { Status, StatusCause, StatusDetails } from "../api/object.ts";
import type { Method, TransportFailure } from "./transport.ts";
import { TransportError } from "./transport.ts";

export interface ApiErrorFields {
  /** The HTTP status; 0 when no answer came. */
  readonly code: number;
  /** metav1.StatusReason; "" when the server gave none and the code implies none. */
  readonly reason: string;
  readonly method: Method;
  /** Without the query. */
  readonly path: string;
  readonly details?: StatusDetails;
  readonly retryAfterMs?: number;
  /** Why there was no (complete) answer, or none that can be read. */
  readonly failure?: TransportFailure;
  /** False when the server cannot have heard of the request. */
  readonly sent?: boolean;
  readonly cause?: unknown;
}

/**
 * Every failure of a request. The message is the server's own where it sent a Status; a body that is not a Status is
 * quoted only when it is plain text, for it may hold anything.
 */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly method: Method;
  readonly path: string;
  readonly details: StatusDetails | undefined;
  readonly causes: readonly StatusCause[];
  readonly retryAfterMs: number | undefined;
  readonly failure: TransportFailure | undefined;
  readonly sent: boolean;

  constructor(message: string, fields: ApiErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = "ApiError";
    this.code = fields.code;
    this.reason = fields.reason;
    this.method = fields.method;
    this.path = fields.path;
    this.details = fields.details;
    this.causes = fields.details?.causes ?? [];
    this.retryAfterMs = fields.retryAfterMs;
    this.failure = fields.failure;
    this.sent = fields.sent ?? fields.failure !== "refused";
  }
}

interface Asked {
  readonly method: Method;
  readonly path: string;
}

/** The error of a Status that came as an answer or as the ERROR event of a watch. */
export function errorOfStatus(
  status: Status,
  asked: Asked,
  httpCode = 0,
  headerRetryAfterMs?: number,
): ApiError {
  const code = status.code ?? httpCode;
  const retryAfterMs = retryAfterOf(status) ?? headerRetryAfterMs;
  return new ApiError(status.message ?? `the server answered with status ${code}`, {
    ...asked,
    code,
    reason: status.reason ?? "",
    ...(status.details === undefined ? {} : { details: status.details }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function retryAfterOf(status: Status): number | undefined {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined && seconds > 0) return seconds * 1_000;
  return status.reason === "ServerTimeout" ? 0 : undefined;
}

const QUOTED_CHARACTERS = 512;

/** The error of an answer without a Status: a proxy's page, an old server, a truncated body. */
export function errorOfAnswer(code: number, text: string, asked: Asked, retryAfterMs?: number): ApiError {
  const quoted = redact(text.trim()).slice(0, QUOTED_CHARACTERS);
  const detail = quoted === "" ? "" : `: ${quoted}`;
  return new ApiError(`${asked.method} ${asked.path} was answered with status ${code}${detail}`, {
    ...asked,
    code,
    reason: reasonOfCode(code, asked.method),
    details: { causes: [{ reason: "UnexpectedServerResponse", message: quoted }] },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Credentials that a proxy may echo are blotted out. */
function redact(text: string): string {
  return text.replaceAll(/\b(bearer|basic|token)[\s:="]+[\w.~+/=-]+/gi, "$1 [redacted]");
}

function reasonOfCode(code: number, method: Method): string {
  if (code === 409) return method === "POST" ? "AlreadyExists" : "Conflict";
  return REASON_OF_CODE.get(code) ?? (code >= 500 ? "InternalError" : "");
}

const REASON_OF_CODE: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [406, "NotAcceptable"],
  [415, "UnsupportedMediaType"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);

/** Failures of the transport become ApiErrors; everything else (an abort's reason, a bug) is passed on as it is. */
export function errorOfFailure(failure: unknown, asked: Asked): unknown {
  if (!(failure instanceof TransportError)) return failure;
  return new ApiError(`${asked.method} ${asked.path}: ${failure.message}`, {
    ...asked,
    code: 0,
    reason: failure.code === "timeout" ? "Timeout" : "",
    failure: failure.code,
    sent: failure.sent,
    cause: failure,
  });
}

/** The code counts only where the reason is none that this client knows: a reason is more exact. */
function is(error: unknown, reason: string, code?: number): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.reason === reason || (error.code === code && !KNOWN_REASONS.has(error.reason));
}

/** Of the two places in the API server that hold a deletion to its preconditions. */
const UNMET_PRECONDITION = /Precondition failed: |the (?:UID|ResourceVersion) in the precondition /;

const KNOWN_REASONS: ReadonlySet<string> = new Set([
  ...REASON_OF_CODE.values(),
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Expired",
  "ServerTimeout",
  "StoreReadError",
  "RequestEntityTooLarge",
  "InternalError",
]);

export const isNotFound = (error: unknown): boolean => is(error, "NotFound", 404);
export const isAlreadyExists = (error: unknown): boolean => is(error, "AlreadyExists");
export const isConflict = (error: unknown): boolean => is(error, "Conflict", 409);
/**
 * Another object has the name, or it has changed since: what a deletion with a precondition is answered with. Other
 * conflicts, such as a webhook's, leave the object where it is and say nothing about it.
 */
export const isUnmetPrecondition = (error: unknown): boolean =>
  isConflict(error) && error instanceof Error && UNMET_PRECONDITION.test(error.message);
export const isInvalid = (error: unknown): boolean => is(error, "Invalid", 422);
export const isGone = (error: unknown): boolean => is(error, "Gone", 410);
export const isResourceExpired = (error: unknown): boolean => is(error, "Expired");
export const isForbidden = (error: unknown): boolean => is(error, "Forbidden", 403);
export const isUnauthorized = (error: unknown): boolean => is(error, "Unauthorized", 401);
export const isMethodNotSupported = (error: unknown): boolean => is(error, "MethodNotAllowed", 405);
export const isUnsupportedMediaType = (error: unknown): boolean => is(error, "UnsupportedMediaType", 415);
export const isTimeout = (error: unknown): boolean => is(error, "Timeout", 504);
export const isServerTimeout = (error: unknown): boolean => is(error, "ServerTimeout");
export const isServiceUnavailable = (error: unknown): boolean => is(error, "ServiceUnavailable", 503);
export const isInternalError = (error: unknown): boolean => is(error, "InternalError", 500);
export const isTooManyRequests = (error: unknown): boolean =>
  error instanceof ApiError && (error.reason === "TooManyRequests" || error.code === 429);
/** No (complete) answer came: the request may or may not have had its effect. */
export const isConnectionError = (error: unknown): boolean =>
  error instanceof ApiError && error.failure !== undefined && error.failure !== "malformed";

/**
 * The server could not be asked (nobody listens, connecting takes too long, no credentials to ask with), be it that
 * other errors name this one as their cause or among theirs.
 */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof ApiError)
    return error.failure !== undefined && error.failure !== "closed" && !error.sent;
  if (error instanceof AggregateError && error.errors.some(isUnreachable)) return true;
  return error instanceof Error && isUnreachable(error.cause);
}

/** The server cannot have heard of it: nobody was reached, or this process may not write now. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof Error && "sent" in error && error.sent === false;
}

/** The version asked for is too old for the server: list anew. */
export const isExpired = (error: unknown): boolean => isResourceExpired(error) || isGone(error);

/** The version asked for is one that the server has not reached yet. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  return hasCause(error, "ResourceVersionTooLarge");
}

export function hasCause(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.causes.some((cause) => cause.reason === reason);
}

/** The namespace of a create is being deleted: creating there again is hopeless. */
export const isNamespaceTerminating = (error: unknown): boolean => hasCause(error, "NamespaceTerminating");

/** The label of metrics that count by answers. A request without an answer counts as a failure of the server. */
export function statusCodeOf(error: unknown): string {
  return error instanceof ApiError && error.code !== 0 ? String(error.code) : "500";
}
