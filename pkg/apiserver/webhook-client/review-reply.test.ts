import { expect, test } from "vitest";
import { requireReview } from "./review-reply.ts";

const expected = { group: "admission.k8s.io", version: "v1", kind: "AdmissionReview" };

function replied(body: string, status = 200): unknown {
  return requireReview({ status, contentType: "application/json", body }, expected);
}

test.each([
  ["with its kind", { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: {} }],
  ["without its kind", { apiVersion: "admission.k8s.io/v1", response: {} }],
  ["without its version", { kind: "AdmissionReview", response: {} }],
  ["without either", { response: {} }],
])("a review %s is taken", (_, review) => {
  expect(replied(JSON.stringify(review))).toEqual(review);
  expect(replied(JSON.stringify(review), 206)).toEqual(review);
});

const notConverted = (what: string): string =>
  `converting (${what}) to (v1.AdmissionReview): unknown conversion`;
const notRegistered = (kind: string, version: string): string =>
  `no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`;

test.each([
  ["admission.k8s.io/v1beta1", "AdmissionReview", notConverted("v1beta1.AdmissionReview")],
  ["v1", "Status", notConverted("v1.Status")],
  ["admission.k8s.io/v2", "AdmissionReview", notRegistered("AdmissionReview", "admission.k8s.io/v2")],
  ["example.com/v1", "AdmissionReview", notRegistered("AdmissionReview", "example.com/v1")],
  ["admission.k8s.io/v1", "Review", notRegistered("Review", "admission.k8s.io/v1")],
  ["v1beta1", "Status", notRegistered("Status", "v1beta1")],
  ["v1", "AdmissionReview", notRegistered("AdmissionReview", "v1")],
])("%s of kind %s is none", (apiVersion, kind, message) => {
  const reply = JSON.stringify({ apiVersion, kind });
  expect(() => replied(reply)).toThrow(`failed to call webhook: ${message}`);
});

test.each([
  ["nothing", "", "0-length response with status code: 200 and content type: application/json"],
  [
    "no JSON",
    "yes",
    "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value",
  ],
  [
    "no object",
    "[]",
    "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value",
  ],
])("%s is none", (_, body, message) => {
  expect(() => replied(body)).toThrow(`failed to call webhook: ${message}`);
});

test.each([
  [199, "the server responded with the status code 199 but did not return more information"],
  [207, "the server responded with the status code 207 but did not return more information"],
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [403, "no way"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [409, "the server reported a conflict"],
  [418, "the server responded with the status code 418 but did not return more information"],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [500, 'an error on the server ("no way") has prevented the request from succeeding'],
  [503, "the server is currently unable to handle the request"],
  [
    504,
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
])("%i is told in the words of Go's client", (status, message) => {
  expect(() => replied(" no way\n", status)).toThrow(`failed to call webhook: ${message}`);
});

test.each([
  ["its own words", { apiVersion: "v1", kind: "Status", message: "full" }, "full"],
  [
    "not those of another version",
    { apiVersion: "v2", kind: "Status", message: "full" },
    "the server reported a conflict",
  ],
  [
    "not those of another kind",
    { apiVersion: "v1", kind: "State", message: "full" },
    "the server reported a conflict",
  ],
])("of a webhook that refuses: %s", (_, body, message) => {
  expect(() => replied(JSON.stringify(body), 409)).toThrow(`failed to call webhook: ${message}`);
});
