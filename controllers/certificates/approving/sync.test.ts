import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";
import { conflict, internal } from "../../../pkg/apiserver/server/status-error.ts";
import { type Logger, silentLogger } from "../../../pkg/log/logger.ts";
import { kubeletRequest, type WantedSigning } from "../../../test/harness/certificate-requests.ts";
import { FakeTransport } from "../../../test/harness/fake-transport.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { csrApprovingController } from "./controller.ts";

const APPROVE = "update certificatesigningrequests/approval csr-a";

let world: ControllerWorld;
let errors: string[] = [];
/** What reviews allow, by the subresource. */
let allowed: readonly string[] = [];
let reviews: { readonly resourceAttributes: { readonly subresource: string } }[] = [];
const log: Logger = { ...silentLogger, error: (error) => void errors.push(String(error)), child: () => log };

const reviewer = new FakeTransport(({ body }) => {
  const { spec } = JSON.parse(JSON.stringify(body)) as { spec: (typeof reviews)[number] };
  reviews.push(spec);
  const status = { allowed: allowed.includes(spec.resourceAttributes.subresource) };
  return {
    status: 201,
    body: { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: {}, spec, status },
  };
});

beforeEach(async () => {
  errors = [];
  reviews = [];
  allowed = ["nodeclient", "selfnodeclient"];
  world = await newWorld({
    log,
    transport: (server) => ({
      send: async (request, signal) =>
        (request.path.endsWith("/subjectaccessreviews") ? reviewer : server).send(request, signal),
      close: async () => server.close(),
    }),
  });
});
afterEach(async () => world.stop());

/** Reviews are no writes. */
const linesOf = (): readonly string[] =>
  world
    .takeWrites()
    .map(lineOf)
    .filter((line) => line !== "create subjectaccessreviews");

async function ask(
  wanted: Partial<WantedSigning> = {},
  conditions: readonly { type: string; status: string }[] = [],
): Promise<void> {
  const { spec, ...request } = kubeletRequest("a", wanted);
  const requester = { username: "system:node:a", uid: "u", groups: ["system:nodes"], extra: { a: ["b"] } };
  world.keep(resources.certificateSigningRequests, {
    ...request,
    spec: { ...spec, ...requester },
    status: { conditions },
  });
  await world.run(1_000);
}

const subresources = (): readonly string[] =>
  reviews.map(({ resourceAttributes }) => resourceAttributes.subresource);

// upstream: pkg/controller/certificates/approver/sarapprove_test.go#TestHandle
describe("a request", () => {
  test("of a node for itself is approved when the one who made it may make such requests", async () => {
    await world.start(csrApprovingController());
    await ask();
    expect(linesOf()).toEqual([APPROVE]);
    expect(reviews).toEqual([
      {
        user: "system:node:a",
        uid: "u",
        groups: ["system:nodes"],
        extra: { a: ["b"] },
        resourceAttributes: {
          group: "certificates.k8s.io",
          version: "*",
          resource: "certificatesigningrequests",
          subresource: "selfnodeclient",
          verb: "create",
        },
      },
    ]);
    const { status } = await world.get<CertificateSigningRequest>(
      resources.certificateSigningRequests,
      "csr-a",
    );
    expect(status?.conditions).toMatchObject([
      {
        type: "Approved",
        status: "True",
        reason: "AutoApproved",
        message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
      },
    ]);
  });

  test("is approved as that of a node in general where it may not be made for itself", async () => {
    allowed = ["nodeclient"];
    await world.start(csrApprovingController());
    await ask();
    expect(linesOf()).toEqual([APPROVE]);
    expect(subresources()).toEqual(["selfnodeclient", "nodeclient"]);
    const { status } = await world.get<CertificateSigningRequest>(
      resources.certificateSigningRequests,
      "csr-a",
    );
    expect(status?.conditions?.[0]?.message).toBe(
      "Auto approving kubelet client certificate after SubjectAccessReview.",
    );
  });

  test("for another node is never approved as one for itself", async () => {
    allowed = ["selfnodeclient"];
    await world.start(csrApprovingController());
    await ask({ commonName: "system:node:b" });
    expect(linesOf()).toEqual([]);
    expect(new Set(subresources())).toEqual(new Set(["nodeclient"]));
  });

  test("that may not be made waits, with delays that grow, for the permission", async () => {
    allowed = [];
    await world.start(csrApprovingController());
    await ask();
    const tries = reviews.length;
    expect(tries).toBeGreaterThan(2);
    expect(tries).toBeLessThan(10);
    expect(errors).toEqual([]);
    allowed = ["selfnodeclient"];
    await world.run(60_000);
    expect(linesOf()).toEqual([APPROVE]);
  });

  const serving = {
    signerName: "kubernetes.io/kubelet-serving",
    usages: ["digital signature", "server auth"],
  };
  test.each<[string, Partial<WantedSigning>, readonly { type: string; status: string }[]]>([
    ["that is none of a node", { organizations: ["devs"] }, []],
    ["of a kubelet that serves", { ...serving, dnsNames: ["a"] }, []],
    ["of a client", { signerName: "kubernetes.io/kube-apiserver-client" }, []],
    ["that is denied", {}, [{ type: "Denied", status: "True" }]],
    ["that is approved", {}, [{ type: "Approved", status: "True" }]],
  ])("%s is left alone, and nobody is asked about it", async (_, wanted, conditions) => {
    await world.start(csrApprovingController());
    await ask(wanted, conditions);
    expect(linesOf()).toEqual([]);
    expect(reviews).toEqual([]);
  });

  test("that cannot be read is left alone after one try", async () => {
    await world.start(csrApprovingController());
    const request = kubeletRequest("a");
    world.keep(resources.certificateSigningRequests, {
      ...request,
      spec: { ...request.spec, request: Buffer.from("junk").toString("base64") },
    });
    await world.run(600_000);
    expect(reviews).toEqual([]);
    expect(errors).toEqual(['PermanentError: unable to parse csr "csr-a"']);
  });

  test.each([
    ["refused", internal("down")],
    ["answered with a conflict", conflict(resources.certificateSigningRequests, "csr-a", "it has changed")],
  ])("whose approval is %s is approved later, and keeps what others have said of it", async (_, error) => {
    world.server.parts.faults.add({
      target: { verb: "update", resource: "certificatesigningrequests" },
      action: { kind: "status", when: "before", error },
      times: 1,
    });
    await world.start(csrApprovingController());
    await ask({}, [{ type: "Remarked", status: "True" }]);
    await world.run(10_000);
    expect(linesOf()).toEqual([APPROVE, APPROVE]);
    const { status } = await world.get<CertificateSigningRequest>(
      resources.certificateSigningRequests,
      "csr-a",
    );
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Remarked", "Approved"]);
  });
});
