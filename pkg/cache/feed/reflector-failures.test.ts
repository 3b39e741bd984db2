import { expect, test } from "vitest";
import { ApiError } from "../../client/errors.ts";
import { isPassing, isTooLarge, isVersionUnavailable } from "./reflector-failures.ts";

const TOO_LARGE = "Too large resource version: 9, current: 1";

interface Refusal {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  /** Messages of the causes. */
  readonly causes?: readonly string[];
}

function refused({ code, reason = "Timeout", message = "no", causes = [] }: Refusal): ApiError {
  const details = { causes: causes.map((text) => ({ message: text })) };
  return new ApiError(message, { code, reason, method: "GET", path: "/", details });
}

test.each<[string, Refusal, boolean]>([
  ["says so", { code: 504, message: TOO_LARGE }, true],
  ["says so beside other causes", { code: 504, message: TOO_LARGE, causes: ["etcd is slow"] }, true],
  ["says so in a cause", { code: 504, causes: [TOO_LARGE] }, true],
  ["says so in one of several causes", { code: 504, causes: ["etcd is slow", TOO_LARGE] }, true],
  ["says nothing of it", { code: 504, causes: ["etcd is slow"] }, false],
  [
    "gives up for another reason, in these words",
    { code: 500, reason: "InternalError", message: TOO_LARGE },
    false,
  ],
])("a version is ahead of a server that %s", (_, refusal, expected) => {
  expect(isTooLarge(refused(refusal))).toBe(expected);
  expect(isVersionUnavailable(refused(refusal))).toBe(expected);
});

test.each<[string, unknown, boolean]>([
  ["a version that is ahead", refused({ code: 504, message: TOO_LARGE }), false],
  ["a timeout", refused({ code: 504 }), true],
  ["too many requests", refused({ code: 429, reason: "TooManyRequests" }), true],
  ["a server that goes", refused({ code: 503, reason: "ServiceUnavailable" }), true],
  ["the first code above an internal error", refused({ code: 501, reason: "" }), true],
  ["an internal error", refused({ code: 500, reason: "InternalError" }), false],
  ["a version that is gone", refused({ code: 410, reason: "Expired" }), false],
  [
    "no connection",
    new ApiError("no", { code: 0, reason: "", method: "GET", path: "/", failure: "refused" }),
    true,
  ],
  ["a mistake in the program", new TypeError("no"), false],
])("%s may pass: %#", (_, error, expected) => {
  expect(isPassing(error)).toBe(expected);
});
