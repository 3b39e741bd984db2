import { expect, test } from "vitest";
import { ApiError, errorOfAnswer } from "./errors.ts";
import { goMessageOf } from "./go-message.ts";

const asked = { method: "GET", path: "/apis/metrics.k8s.io/v1beta1/pods" } as const;
const what = { group: "metrics.k8s.io", plural: "pods" };

test.each([
  [404, "404 page not found", "the server could not find the requested resource (get pods.metrics.k8s.io)"],
  [
    503,
    "service unavailable",
    "the server is currently unable to handle the request (get pods.metrics.k8s.io)",
  ],
  [
    500,
    "oh no",
    'an error on the server ("oh no") has prevented the request from succeeding (get pods.metrics.k8s.io)',
  ],
  [
    502,
    "",
    'an error on the server ("unknown") has prevented the request from succeeding (get pods.metrics.k8s.io)',
  ],
  [403, "no", "no (get pods.metrics.k8s.io)"],
  [
    418,
    "tea",
    "the server responded with the status code 418 but did not return more information (get pods.metrics.k8s.io)",
  ],
])("an answer of %d without a Status is told as client-go tells it", (code, text, expected) => {
  expect(goMessageOf(errorOfAnswer(code, text, asked), what)).toBe(expected);
});

test("the name and the verb of what was asked are told", () => {
  const error = errorOfAnswer(404, "", asked);
  expect(goMessageOf(error, { group: "apps", plural: "deployments", verb: "put", name: "web" })).toBe(
    "the server could not find the requested resource (put deployments.apps web)",
  );
});

test("what the server says itself is told as it is", () => {
  const error = new ApiError("not you", { ...asked, code: 403, reason: "Forbidden" });
  expect(goMessageOf(error, what)).toBe("not you");
  expect(goMessageOf(new Error("something else"), what)).toBe("something else");
});
