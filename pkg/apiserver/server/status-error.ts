import type { ListMeta, Status, StatusCause, StatusDetails } from "../../api/object.ts";
import { groupResource } from "../../api/resource.ts";
import type { FieldError } from "../kinds/kind.ts";

/** A request that ends in a Status other than success. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  readonly status: Status;

  constructor(code: number, reason: string | undefined, message: string, extra: StatusExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = "StatusError";
    this.code = code;
    this.reason = reason;
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: extra.metadata ?? {},
      status: "Failure",
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(extra.details === undefined ? {} : { details: extra.details }),
      code,
    };
  }
}

interface StatusExtra {
  readonly metadata?: ListMeta;
  readonly details?: StatusDetails;
  /** For the log: the client is not told. */
  readonly cause?: unknown;
}

/** What messages name: the resource as users know it. */
export interface Named {
  readonly group: string;
  readonly plural: string;
}

export interface NamedKind {
  readonly group: string;
  readonly kind: string;
}

/** upstream: events of both groups are those of the older one in storage and registry. */
export function asOlder<T extends NamedKind>(of: T): T {
  return of.kind === "Event" ? { ...of, group: "" } : of;
}

function detailsOf(name: string, group: string, kind: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(kind === "" ? {} : { kind }),
  };
}

function resourceDetails(resource: Named, name: string): StatusDetails {
  return detailsOf(name, resource.group, resource.plural);
}

export function notFound(resource: Named, name: string): StatusError {
  const message = `${groupResource(resource)} ${JSON.stringify(name)} not found`;
  return new StatusError(404, "NotFound", message, { details: resourceDetails(resource, name) });
}

export function noSuchResource(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {
    details: {},
  });
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    { details: {} },
  );
}

export function alreadyExists(resource: Named, name: string): StatusError {
  const message = `${groupResource(resource)} ${JSON.stringify(name)} already exists`;
  return new StatusError(409, "AlreadyExists", message, { details: resourceDetails(resource, name) });
}

/** No free name was found for a generateName. */
export function generateNameConflict(resource: Named, name: string): StatusError {
  const message =
    `${groupResource(resource)} ${JSON.stringify(name)} already exists, the server was not able to generate a unique ` +
    "name for the object";
  return new StatusError(409, "AlreadyExists", message, {
    details: { ...resourceDetails(resource, name), retryAfterSeconds: 1 },
  });
}

export const modifiedMessage =
  "the object has been modified; please apply your changes to the latest version and try again";

export function conflict(resource: Named, name: string, why: string = modifiedMessage): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResource(resource)} ${JSON.stringify(name)}: ${why}`;
  return new StatusError(409, "Conflict", message, { details: resourceDetails(resource, name) });
}

/** As `conflict`, for the checks that know the kind rather than the resource. */
export function kindConflict(of: NamedKind, name: string, why: string): StatusError {
  const what = of.group === "" ? of.kind : `${of.kind}.${of.group}`;
  const message = `Operation cannot be fulfilled on ${what} ${JSON.stringify(name)}: ${why}`;
  return new StatusError(409, "Conflict", message, { details: detailsOf(name, of.group, of.kind) });
}

export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return new StatusError(409, "Conflict", message, { details: { causes } });
}

export function invalid(of: NamedKind, name: string, errors: readonly FieldError[]): StatusError {
  const what = of.group === "" ? of.kind : `${of.kind}.${of.group}`;
  const lines = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const list = lines.length === 1 ? (lines[0] ?? "") : `[${lines.join(", ")}]`;
  const causes = errors.map(({ type, message, field }) => ({ reason: type, message, field }));
  return new StatusError(422, "Invalid", `${what} ${JSON.stringify(name)} is invalid: ${list}`, {
    details: { ...detailsOf(name, of.group, of.kind), causes },
  });
}

/** Upstream answers a patch that does not fit the document without saying why. */
export function unprocessablePatch(): StatusError {
  return new StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {
    details: {},
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

/** Errors that upstream returns as plain Go errors become this: no reason, code 500. */
export function internal(message: string, cause?: unknown): StatusError {
  return new StatusError(500, undefined, message, { cause });
}

/** Errors that upstream knows to be its own. */
export function internalError(message: string, cause?: unknown): StatusError {
  const causes = [{ message }];
  return new StatusError(500, "InternalError", `Internal error occurred: ${message}`, {
    details: { causes },
    cause,
  });
}

export function unsupportedMediaType(message: string): StatusError {
  return new StatusError(415, "UnsupportedMediaType", message);
}

export function notAcceptable(types: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`;
  return new StatusError(406, "NotAcceptable", message, { details: {} });
}

export function noYamlWatch(): StatusError {
  const types = "application/json;stream=watch";
  return new StatusError(406, "NotAcceptable", `only the following media types are accepted: ${types}`);
}

export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError(
    410,
    "Expired",
    message,
    continueToken === undefined ? {} : { metadata: { continue: continueToken } },
  );
}

export function tooLargeVersion(asked: number, current: number, retryAfterSeconds = 1): StatusError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  const details = retryAfterSeconds === 0 ? { causes } : { causes, retryAfterSeconds };
  return new StatusError(504, "Timeout", message, { details });
}

export function forbidden(resource: Named, name: string, why: string): StatusError {
  const message =
    name === ""
      ? `${groupResource(resource)} is forbidden: ${why}`
      : `${groupResource(resource)} ${JSON.stringify(name)} is forbidden: ${why}`;
  return new StatusError(403, "Forbidden", message, { details: resourceDetails(resource, name) });
}

export function unauthorized(): StatusError {
  return new StatusError(401, "Unauthorized", "Unauthorized");
}

export function tooManyRequests(
  message: string,
  retryAfterSeconds: number,
  causes: readonly StatusCause[],
): StatusError {
  const details = {
    ...(causes.length === 0 ? {} : { causes }),
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  };
  return new StatusError(429, "TooManyRequests", message, { details });
}

export function serviceUnavailable(message: string): StatusError {
  return new StatusError(503, "ServiceUnavailable", message);
}
