import { expect, test } from "vitest";
import { signerNames } from "../../../pkg/api/certificate-requests.ts";
import { isToBeSigned } from "./permitted.ts";

const approved = { type: "Approved", status: "True" };

test.each<[string, string, object, boolean]>([
  ["approved", signerNames.kubeletClient, { conditions: [approved] }, true],
  ["approved, to another signer", signerNames.kubeletServing, { conditions: [approved] }, false],
  ["not approved", signerNames.kubeletClient, {}, false],
  ["signed", signerNames.kubeletClient, { conditions: [approved], certificate: "eA==" }, false],
  [
    "approved and failed",
    signerNames.kubeletClient,
    { conditions: [approved, { type: "Failed", status: "True" }] },
    false,
  ],
])("a request that is %s is for the signer of kubelets or not", (_, signerName, status, expected) => {
  expect(isToBeSigned({ spec: { request: "", signerName }, status }, signerNames.kubeletClient)).toBe(
    expected,
  );
});
