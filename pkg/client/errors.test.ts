import { describe, expect, test } from "vitest";
import {
  ApiError,
  errorOfFailure,
  isAlreadyExists,
  isConflict,
  isConnectionError,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotFound,
  isResourceExpired,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnreachable,
} from "./errors.ts";
import { TransportError, type TransportFailure } from "./transport.ts";

const asked = { method: "GET", path: "/x" } as const;
const error = (code: number, reason: string): ApiError => new ApiError("m", { ...asked, code, reason });

describe("a predicate holds for its reason, and for its code where the reason says nothing", () => {
  test.each<[string, (error: unknown) => boolean, string, number | undefined]>([
    ["isNotFound", isNotFound, "NotFound", 404],
    ["isAlreadyExists", isAlreadyExists, "AlreadyExists", undefined],
    ["isConflict", isConflict, "Conflict", 409],
    ["isInvalid", isInvalid, "Invalid", 422],
    ["isGone", isGone, "Gone", 410],
    ["isResourceExpired", isResourceExpired, "Expired", undefined],
    ["isForbidden", isForbidden, "Forbidden", 403],
    ["isUnauthorized", isUnauthorized, "Unauthorized", 401],
    ["isMethodNotSupported", isMethodNotSupported, "MethodNotAllowed", 405],
    ["isTimeout", isTimeout, "Timeout", 504],
    ["isServerTimeout", isServerTimeout, "ServerTimeout", undefined],
    ["isServiceUnavailable", isServiceUnavailable, "ServiceUnavailable", 503],
    ["isInternalError", isInternalError, "InternalError", 500],
    ["isTooManyRequests", isTooManyRequests, "TooManyRequests", 429],
  ])("%s", (_, predicate, reason, code) => {
    expect(predicate(error(0, reason))).toBe(true);
    if (code !== undefined) {
      expect(predicate(error(code, ""))).toBe(true);
      expect(predicate(error(code, "SomethingNew"))).toBe(true);
      // upstream: only a 429 counts whatever its reason.
      expect(predicate(error(code, "StoreReadError"))).toBe(code === 429);
    }
    expect(predicate(error(418, ""))).toBe(false);
    expect(predicate(new Error(reason))).toBe(false);
    expect(predicate(undefined)).toBe(false);
  });
});

test("a 409 of another reason is no conflict, and of none no AlreadyExists", () => {
  expect(isConflict(error(409, "AlreadyExists"))).toBe(false);
  expect(isAlreadyExists(error(409, ""))).toBe(false);
});

test("both names of a version that is too old are `expired`", () => {
  expect(
    [error(410, "Expired"), error(410, "Gone"), error(410, ""), error(404, "NotFound")].map(isExpired),
  ).toEqual([true, true, true, false]);
});

test("causes tell a namespace that is being deleted", () => {
  const causes = [{ reason: "NamespaceTerminating", field: "metadata.namespace" }];
  const terminating = new ApiError("m", { ...asked, code: 403, reason: "Forbidden", details: { causes } });
  expect([isForbidden(terminating), isNamespaceTerminating(terminating)]).toEqual([true, true]);
  expect(isNamespaceTerminating(error(403, "Forbidden"))).toBe(false);
});

test("failures of the transport become ApiErrors; other failures stay what they are", () => {
  const lost = errorOfFailure(new TransportError("lost", "gone", true), asked);
  expect(lost).toMatchObject({ code: 0, failure: "lost", message: "GET /x: gone" });
  expect([isConnectionError(lost), isTimeout(lost)]).toEqual([true, false]);
  expect(isTimeout(errorOfFailure(new TransportError("timeout", "slow", true), asked))).toBe(true);
  const bug = new TypeError("bug");
  expect(errorOfFailure(bug, asked)).toBe(bug);
});

describe("that the server cannot be reached is told", () => {
  const because = (failure: TransportFailure, sent: boolean): unknown =>
    errorOfFailure(new TransportError(failure, "m", sent), asked);
  const wrapped = new Error("m", { cause: because("refused", false) });

  test.each<[string, unknown, boolean]>([
    ["by a connection that is refused", because("refused", false), true],
    ["by a connection that takes too long", because("timeout", false), true],
    ["by a connection that cannot be trusted", because("tls", false), true],
    ["by one that breaks before anything is sent", because("lost", false), true],
    ["by credentials that cannot be had", because("credentials", false), true],
    ["by the cause of another error", wrapped, true],
    ["by one of several errors", new AggregateError([new Error("m"), wrapped]), true],
    ["not by a connection that breaks", because("lost", true), false],
    ["not by a request that takes too long", because("timeout", true), false],
    ["not by an answer that cannot be read", because("malformed", true), false],
    ["not by a client that is closed", because("closed", false), false],
    ["not by an answer", error(503, "ServiceUnavailable"), false],
    ["not by anything else", new Error("refused"), false],
    ["not by what is no error", "refused", false],
  ])("%s", (_name, failure, expected) => {
    expect(isUnreachable(failure)).toBe(expected);
  });
});
