import { describe, expect, test } from "vitest";
import { signerNames } from "../../../pkg/api/certificate-requests.ts";
import { inOneGo } from "../../../pkg/api/steps.ts";
import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";
import { type CertificateRequest, readRequest } from "../../../pkg/pki/certificate-request.ts";
import { requestDer } from "../../../test/harness/certificate-requests.ts";
import { isNodeClient, isSelfNodeClient, isUndecided } from "./recognizers.ts";

interface Asked {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly username?: string;
  readonly usages?: readonly string[];
  readonly signerName?: string;
}

function asked(
  given: Asked,
  usages: readonly string[],
): readonly [CertificateSigningRequest["spec"], CertificateRequest] {
  const { commonName = "system:node:foo", organizations = ["system:nodes"] } = given;
  const spec = {
    request: "",
    signerName: given.signerName ?? signerNames.kubeletClient,
    username: given.username ?? "system:node:foo",
    usages: given.usages ?? usages,
  };
  return [spec, inOneGo(readRequest(requestDer({ commonName, organizations })))];
}

const WITHOUT = ["digital signature", "client auth"];
const WITH = ["key encipherment", ...WITHOUT];

// upstream: pkg/controller/certificates/approver/sarapprove_test.go#TestRecognizers
describe.each([
  ["with encipherment", WITH],
  ["without encipherment", WITHOUT],
])("a request %s", (_, usages) => {
  test("of a node for itself is one of a node", () => {
    const [spec, request] = asked({}, usages);
    expect([isNodeClient(spec, request), isSelfNodeClient(spec, request)]).toEqual([true, true]);
  });

  test.each<[string, Asked]>([
    ["for a user", { commonName: "mike" }],
    ["of no organization", { organizations: [] }],
    ["of another organization", { organizations: ["system:master"] }],
    ["of two organizations", { organizations: ["system:nodes", "devs"] }],
    ["for a server, too", { usages: [...usages, "server auth"] }],
    ["to another signer", { signerName: "example.com/not-correct" }],
    ["to the signer of servers", { signerName: signerNames.kubeletServing }],
  ])("%s is none of a node", (__, given) => {
    const [spec, request] = asked(given, usages);
    expect([isNodeClient(spec, request), isSelfNodeClient(spec, request)]).toEqual([false, false]);
  });

  test.each<[string, Asked]>([
    ["by somebody else", { username: "joe" }],
    ["for another node", { commonName: "system:node:bar" }],
  ])("%s is not one for itself", (__, given) => {
    const [spec, request] = asked(given, usages);
    expect([isNodeClient(spec, request), isSelfNodeClient(spec, request)]).toEqual([true, false]);
  });
});

// upstream: pkg/controller/certificates/certificate_controller_utils_test.go#TestIsCertificateRequestApproved, and what
// the approver leaves alone.
test.each<[string, Partial<NonNullable<CertificateSigningRequest["status"]>>, boolean]>([
  ["nobody", {}, true],
  ["one who has approved", { conditions: [{ type: "Approved", status: "True" }] }, false],
  ["one who has denied", { conditions: [{ type: "Denied", status: "True" }] }, false],
  ["one who has not approved", { conditions: [{ type: "Approved", status: "False" }] }, false],
  ["one who has failed", { conditions: [{ type: "Failed", status: "True" }] }, true],
  ["one who has signed", { certificate: "eA==" }, false],
])("a request on which %s has decided is open: %j is %s", (_, status, open) => {
  const spec = { request: "", signerName: signerNames.kubeletClient };
  expect(isUndecided({ spec, status })).toBe(open);
});
