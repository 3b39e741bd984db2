import { expect, test } from "vitest";
import {
  hasFailed,
  isApproved,
  kubeletClientProblem,
  kubeletServingProblem,
} from "./certificate-requests.ts";

// upstream: pkg/controller/certificates/certificate_controller_utils_test.go#TestIsCertificateRequestApproved
test.each<[readonly string[], boolean]>([
  [[], false],
  [["Denied"], false],
  [["Approved"], true],
  [["Approved", "Denied"], false],
])("%j is approved: %s", (types, expected) => {
  expect(isApproved(types.map((type) => ({ type, status: "" })))).toBe(expected);
});

test.each<[string, string, boolean]>([
  ["Failed", "", true],
  ["Failed", "True", true],
  ["Failed", "False", false],
  ["Approved", "True", false],
])("the condition %s %j is a failure: %s", (type, status, expected) => {
  expect(hasFailed([{ type, status }])).toBe(expected);
});

const node = {
  commonName: "system:node:a",
  organizations: ["system:nodes"],
  dnsNames: [],
  emailAddresses: [],
  ipAddresses: [],
  uris: [],
};
const CLIENT = ["client auth", "digital signature"];
const SERVER = ["server auth", "digital signature"];
const USAGES = "usages did not match [";

test.each<[object, readonly string[], string | undefined]>([
  [{}, CLIENT, undefined],
  [{}, [...CLIENT, "key encipherment"], undefined],
  [{}, [...CLIENT, ...CLIENT], undefined],
  [{ organizations: ["system:nodes", "x"] }, CLIENT, "subject organization is not system:nodes"],
  [{ dnsNames: ["a"] }, CLIENT, "DNS subjectAltNames are not allowed"],
  [{ emailAddresses: ["a@b"] }, CLIENT, "Email subjectAltNames are not allowed"],
  [{ ipAddresses: [1] }, CLIENT, "IP subjectAltNames are not allowed"],
  [{ uris: ["a:b"] }, CLIENT, "URI subjectAltNames are not allowed"],
  [{ commonName: "system:nodes:a" }, CLIENT, "subject common name does not begin with system:node:"],
  [{}, ["client auth"], `${USAGES}client auth digital signature key encipherment]`],
  [{}, SERVER, `${USAGES}client auth digital signature key encipherment]`],
])("a kubelet's client %j with %j: %s", (given, usages, expected) => {
  expect(kubeletClientProblem({ ...node, ...given }, usages)).toBe(expected);
});

test.each<[object, readonly string[], string | undefined]>([
  [{ dnsNames: ["a"] }, SERVER, undefined],
  [{ ipAddresses: [1] }, [...SERVER, "key encipherment"], undefined],
  [{ dnsNames: ["a"], organizations: [] }, SERVER, "subject organization is not system:nodes"],
  [{}, SERVER, "DNS or IP subjectAltName is required"],
  [{ dnsNames: ["a"], emailAddresses: ["a@b"] }, SERVER, "Email subjectAltNames are not allowed"],
  [{ dnsNames: ["a"], uris: ["a:b"] }, SERVER, "URI subjectAltNames are not allowed"],
  [{ dnsNames: ["a"], commonName: "a" }, SERVER, "subject common name does not begin with system:node:"],
  [{ dnsNames: ["a"] }, CLIENT, `${USAGES}digital signature key encipherment server auth]`],
])("a kubelet that serves %j with %j: %s", (given, usages, expected) => {
  expect(kubeletServingProblem({ ...node, ...given }, usages)).toBe(expected);
});
