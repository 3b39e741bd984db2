import { expect, test } from "vitest";
import { ApiError, errorOfAnswer } from "./errors.ts";
import { goMessageOf } from "./go-message.ts";

const asked = { method: "GET", path: "/apis/metrics.k8s.io/v1beta1/pods" } as const;
const what = { group: "metrics.k8s.io", plural: "pods" };

// upstream: apimachinery/pkg/api/errors/errors.go#NewGenericServerResponse
test.each([
  [400, "x", "the server rejected our request for an unknown reason"],
  [401, "x", "the server has asked for the client to provide credentials"],
  [404, "404 page not found", "the server could not find the requested resource"],
  [405, "x", "the server does not allow this method on the requested resource"],
  [406, "only JSON", "only JSON"],
  [406, "", "the server was unable to respond with a content type that the client supports"],
  [409, "x", "the server reported a conflict"],
  [415, "only JSON", "only JSON"],
  [415, "", "unknown"],
  [422, "x", "the server rejected our request due to an error in our request"],
  [429, "x", "the server has received too many requests and has asked us to try again later"],
  [500, "oh no", 'an error on the server ("oh no") has prevented the request from succeeding'],
  [502, "", 'an error on the server ("unknown") has prevented the request from succeeding'],
  [503, "service unavailable", "the server is currently unable to handle the request"],
  [
    504,
    "x",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
  [403, "no", "no"],
  [418, "tea", "the server responded with the status code 418 but did not return more information"],
])("an answer of %d without a Status is told as client-go tells it", (code, text, expected) => {
  expect(goMessageOf(errorOfAnswer(code, text, asked), what)).toBe(`${expected} (get pods.metrics.k8s.io)`);
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
