import { apiVersionOf } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { kubeletRequest, signingRequest, type WantedSigning } from "../../harness/certificate-requests.ts";
import { inArea, type Scenario, type Step, type Target } from "../scenario.ts";
import { create } from "./objects.ts";

const CLIENT = "kubernetes.io/kube-apiserver-client";
const SERVING = "kubernetes.io/kubelet-serving";
const { certificateSigningRequests } = resources;
const target = (name: string): Target => `certificateSigningRequests/${name}`;
const kind = {
  apiVersion: apiVersionOf(certificateSigningRequests),
  kind: certificateSigningRequests.kind,
};

const ask = (wanted: Partial<WantedSigning> & Pick<WantedSigning, "name">): Step =>
  create({
    ...kind,
    ...signingRequest({ signerName: CLIENT, usages: ["client auth"], commonName: "jane", ...wanted }),
  });
const kubelet = (node: string, wanted: Partial<WantedSigning> = {}): Step =>
  create({ ...kind, ...kubeletRequest(node, wanted) });

const said = (type: string): object => ({ type, status: "True", reason: "Said", message: "by people" });
const decide = (name: string, ...conditions: readonly object[]): Step => ({
  do: "patch",
  target: target(name),
  subresource: "approval",
  body: { status: { conditions } },
});
const issued = (name: string): Step => ({
  do: "until present",
  target: target(name),
  path: "status.certificate",
});
const failed = (name: string): Step => ({
  do: "until",
  target: target(name),
  holds: { "status.conditions[Failed].status": "True" },
});
/**
 * Requests for certificates, and what becomes of them. When the Go program cleans depends on whether its cache is filled
 * before its first round, so that no two runs end alike: that is not played.
 */
export const certificates: readonly Scenario[] = inArea("certificates", [
  { name: "certificate-of-a-kubelet", steps: [kubelet("a"), issued("csr-a")] },
  {
    name: "certificate-of-a-kubelet-that-nobody-recognizes",
    steps: [kubelet("a", { organizations: ["system:nodes", "system:masters"] })],
  },
  {
    name: "certificate-of-a-client",
    steps: [
      ask({ name: "web", dnsNames: ["a.example", "b.example"], organizations: ["devs"] }),
      decide("web", said("Approved")),
      issued("web"),
    ],
  },
  {
    name: "certificate-for-a-short-time",
    steps: [
      ask({ name: "web", expirationSeconds: 600 }),
      decide("web", said("Approved")),
      issued("web"),
      ask({ name: "other", expirationSeconds: 35_900 }),
      decide("other", said("Approved")),
      issued("other"),
      ask({ name: "too-long", expirationSeconds: 100_000 }),
      decide("too-long", said("Approved")),
      issued("too-long"),
    ],
  },
  {
    name: "certificate-that-is-denied",
    steps: [ask({ name: "web" }), decide("web", said("Denied"))],
  },
  {
    name: "certificate-that-its-signer-refuses",
    steps: [
      ask({ name: "web", signerName: SERVING, usages: ["server auth"] }),
      decide("web", said("Approved")),
      failed("web"),
      ask({ name: "client", usages: ["server auth"] }),
      decide("client", said("Approved")),
      failed("client"),
    ],
  },
  {
    name: "certificate-of-a-signer-of-others",
    steps: [ask({ name: "web", signerName: "example.com/any" }), decide("web", said("Approved"))],
  },
]);
