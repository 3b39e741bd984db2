import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { signerNames, type SignerName } from "../../../pkg/api/certificate-requests.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";
import { internal } from "../../../pkg/apiserver/server/status-error.ts";
import { type Logger, silentLogger } from "../../../pkg/log/logger.ts";
import { inThisThread } from "../../../pkg/pki/signatures.ts";
import { SigningAuthority } from "../../../pkg/pki/signing-authority.ts";
import {
  kubeletRequest,
  requestDer,
  signingRequest,
  type WantedSigning,
} from "../../../test/harness/certificate-requests.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { authorityPair, type AuthorityKey } from "../../../test/harness/signing-files.ts";
import { encodePem } from "../../../pkg/pki/pem.ts";
import type { AuthorityFiles } from "./context.ts";
import { csrSigningController } from "./controller.ts";

const HOUR_MS = 3_600_000;
const SIGNED = "update certificatesigningrequests/status web";
const all: readonly SignerName[] = Object.values(signerNames);

let world: ControllerWorld;
let errors: string[] = [];
const log: Logger = {
  ...silentLogger,
  error: (error) => void errors.push(String(error)),
  child: () => log,
};
beforeEach(async () => {
  errors = [];
  world = await newWorld({ log });
});
afterEach(async () => world.stop());

interface Started {
  readonly durationMs?: number;
  readonly signers?: readonly SignerName[];
  readonly key?: AuthorityKey;
  readonly livesMs?: number;
}

/** Starts the signers with one authority, and gives its certificate and what replaces it. */
async function start(
  how: Started = {},
): Promise<{ ca: X509Certificate; rotate(cert: string, key: string): void }> {
  const { durationMs = HOUR_MS, signers = all, key = "p256", livesMs = 240 * HOUR_MS } = how;
  const { cert, key: keyPem } = authorityPair({ nowMs: world.clock.nowMs(), key, livesMs });
  let follower: (authority: SigningAuthority) => void = () => undefined;
  const files: AuthorityFiles = {
    load: () => SigningAuthority.fromPem(cert, keyPem),
    follow: async (apply) => void (follower = apply),
  };
  await world.start(
    csrSigningController({
      durationMs,
      signatures: inThisThread,
      signers: signers.map((signerName) => ({ signerName, files })),
    }),
  );
  return {
    ca: new X509Certificate(cert),
    rotate: (nextCert, nextKey) => follower(SigningAuthority.fromPem(nextCert, nextKey)),
  };
}

const approved = { type: "Approved", status: "True", reason: "Test" };

async function ask(
  wanted: Partial<WantedSigning> & Pick<WantedSigning, "signerName">,
  conditions: readonly { type: string; status: string; reason: string }[] = [approved],
): Promise<void> {
  await put(signingRequest({ name: "web", usages: ["client auth"], ...wanted }), conditions);
}

/** As an API server keeps what an older one has taken: past all rules. */
async function put(
  request: CertificateSigningRequest,
  conditions: readonly { type: string; status: string; reason: string }[],
): Promise<void> {
  world.keep(resources.certificateSigningRequests, { ...request, status: { conditions } });
  await world.run(1_000);
}

const linesOf = (): readonly string[] => world.takeWrites().map(lineOf);
async function stored(name = "web"): Promise<CertificateSigningRequest> {
  return world.get<CertificateSigningRequest>(resources.certificateSigningRequests, name);
}
async function issued(name = "web"): Promise<X509Certificate> {
  const { status } = await stored(name);
  return new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
}

const node: Partial<WantedSigning> = { commonName: "system:node:a", organizations: ["system:nodes"] };
const CLIENT = ["client auth", "digital signature", "key encipherment"];
const SERVING = ["server auth", "digital signature", "key encipherment"];

// upstream: pkg/controller/certificates/signer/signer_test.go#TestHandle
describe("a signer", () => {
  test.each<[string, Partial<WantedSigning> & Pick<WantedSigning, "signerName">]>([
    ["clients", { signerName: signerNames.apiServerClient, usages: CLIENT }],
    ["clients without encipherment", { signerName: signerNames.apiServerClient, usages: CLIENT.slice(0, 2) }],
    ["kubelets", { ...node, signerName: signerNames.kubeletClient, usages: CLIENT }],
    [
      "kubelets without encipherment",
      { ...node, signerName: signerNames.kubeletClient, usages: CLIENT.slice(0, 2) },
    ],
    ["anything, of old", { signerName: signerNames.legacyUnknown, usages: [] }],
    [
      "kubelets that serve",
      { ...node, dnsNames: ["a.example"], signerName: signerNames.kubeletServing, usages: SERVING },
    ],
    [
      "kubelets that serve without encipherment",
      {
        ...node,
        ipAddresses: ["10.0.0.1"],
        signerName: signerNames.kubeletServing,
        usages: SERVING.slice(0, 2),
      },
    ],
  ])("signs for %s", async (_, wanted) => {
    const { ca } = await start();
    await ask(wanted);
    expect(linesOf()).toEqual([SIGNED]);
    const certificate = await issued();
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.ca).toBe(false);
  });

  test.each<[string, Partial<WantedSigning> & Pick<WantedSigning, "signerName">, string]>([
    [
      "another usage of clients",
      { signerName: signerNames.apiServerClient, usages: ["server auth", ...CLIENT] },
      "invalid usage for client certificate: server auth",
    ],
    [
      "clients that are none",
      { signerName: signerNames.apiServerClient, usages: ["digital signature"] },
      "missing required usage for client certificate: client auth",
    ],
    [
      "a kubelet that has a host name",
      { ...node, dnsNames: ["a"], signerName: signerNames.kubeletClient, usages: CLIENT },
      "DNS subjectAltNames are not allowed",
    ],
    [
      "a kubelet that serves nowhere",
      { ...node, signerName: signerNames.kubeletServing, usages: SERVING },
      "DNS or IP subjectAltName is required",
    ],
  ])("says why it does not sign for %s", async (_, wanted, message) => {
    await start();
    await ask(wanted);
    const [write, ...others] = world.takeWrites();
    expect([write && lineOf(write), others]).toEqual([SIGNED, []]);
    const { status } = await stored();
    expect(status?.certificate).toBeUndefined();
    expect(status?.conditions?.[0]).toMatchObject(approved);
    expect(status?.conditions?.[1]).toMatchObject({
      type: "Failed",
      status: "True",
      reason: "SignerValidationFailure",
      message,
    });
    // The server would give it one of its own.
    expect(JSON.stringify(write?.body)).toMatch(/"lastUpdateTime":"[^"]*Z"/);
  });

  const serving = { ...node, dnsNames: ["a"], signerName: signerNames.kubeletServing, usages: SERVING };
  const failed = { type: "Failed", status: "True", reason: "Test" };
  const denied = { type: "Denied", status: "True", reason: "Test" };
  test.each<[string, Partial<WantedSigning> & Pick<WantedSigning, "signerName">, readonly (typeof failed)[]]>(
    [
      ["what has failed", serving, [approved, failed]],
      ["what is denied", serving, [denied]],
      ["what is approved and denied", serving, [approved, denied]],
      ["what nobody has approved", serving, []],
      ["an unknown signer", { ...serving, signerName: "kubernetes.io/not-recognised" }, [approved]],
      ["the signer of another", { ...serving, signerName: "example.com/sample-name" }, [approved]],
      [
        "a signer that is like none",
        { ...serving, signerName: "kubernetes.io/not-a-real-signer" },
        [approved],
      ],
    ],
  )("leaves %s alone", async (_, wanted, conditions) => {
    await start();
    await ask(wanted, conditions);
    expect(linesOf()).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("leaves alone what has a certificate, and what its own files are not for", async () => {
    await start({ signers: [signerNames.kubeletClient] });
    await ask({ signerName: signerNames.apiServerClient, usages: CLIENT });
    expect(linesOf()).toEqual([]);
    await put(kubeletRequest("b"), [approved]);
    expect(linesOf()).toEqual(["update certificatesigningrequests/status csr-b"]);
    const before = await stored("csr-b");
    await world.update(resources.certificateSigningRequests, "csr-b", (request) => ({
      ...request,
      metadata: { ...request.metadata, labels: { a: "b" } },
    }));
    await world.run(1_000);
    expect(linesOf()).toEqual([]);
    expect((await stored("csr-b")).status).toEqual(before.status);
  });
});

describe("a certificate", () => {
  // upstream: pkg/controller/certificates/signer/signer_test.go#TestSigner
  test.each<AuthorityKey>(["p256", "p384", "rsa", "ed25519"])(
    "by a key of %s has what was asked for, and no more",
    async (key) => {
      const { ca } = await start({ key, signers: [signerNames.legacyUnknown] });
      const keys = generateKeyPairSync("ed25519");
      await ask({
        commonName: "system:node:k-a-node-s36b",
        organizations: ["system:nodes"],
        dnsNames: ["a.example"],
        ipAddresses: ["10.0.0.1"],
        emailAddresses: ["a@b"],
        uris: ["spiffe://a/b"],
        key: keys,
        signerName: signerNames.legacyUnknown,
        usages: ["signing", "key encipherment", "server auth", "client auth"],
        expirationSeconds: 3 * 3_600,
      });
      const certificate = await issued();
      expect(certificate.verify(ca.publicKey)).toBe(true);
      expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:k-a-node-s36b");
      expect(certificate.subjectAltName).toBe(
        "DNS:a.example, email:a@b, IP Address:10.0.0.1, URI:spiffe://a/b",
      );
      expect(certificate.publicKey.equals(keys.publicKey)).toBe(true);
      expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
      const nowMs = world.clock.nowMs();
      expect(Math.abs(certificate.validFromDate.getTime() - nowMs + 300_000)).toBeLessThan(5_000);
      expect(Math.abs(certificate.validToDate.getTime() - nowMs - HOUR_MS)).toBeLessThan(5_000);
    },
  );

  test("lives as long as was asked for, and as the flag lets it", async () => {
    await start({ durationMs: 24 * HOUR_MS });
    const usages = ["client auth"];
    const lifeOf = async (name: string): Promise<number> => {
      const certificate = await issued(name);
      return certificate.validToDate.getTime() - certificate.validFromDate.getTime();
    };
    await ask({ name: "short", signerName: signerNames.apiServerClient, usages, expirationSeconds: 600 });
    await ask({
      name: "long",
      signerName: signerNames.apiServerClient,
      usages,
      expirationSeconds: 3_000_000,
    });
    await ask({ name: "usual", signerName: signerNames.apiServerClient, usages });
    expect(await lifeOf("short")).toBe(900_000);
    expect(await lifeOf("long")).toBe(24 * HOUR_MS);
    expect(await lifeOf("usual")).toBe(24 * HOUR_MS);
  });

  test("is signed by the authority that the files hold by then", async () => {
    const { rotate, ca } = await start();
    const next = authorityPair({ nowMs: world.clock.nowMs(), commonName: "next" });
    await ask({ name: "first", signerName: signerNames.apiServerClient });
    rotate(next.cert, next.key);
    await ask({ name: "second", signerName: signerNames.apiServerClient });
    await put(kubeletRequest("c"), [approved]);
    expect((await issued("first")).checkIssued(ca)).toBe(true);
    for (const name of ["second", "csr-c"])
      expect((await issued(name)).checkIssued(new X509Certificate(next.cert))).toBe(true);
  });
});

describe("what cannot be signed", () => {
  const signerName = signerNames.apiServerClient;
  const text = (pem: string): string => Buffer.from(pem).toString("base64");

  test.each<[string, string, string]>([
    ["no PEM", text("garbage"), "unable to parse csr"],
    ["another block", text(encodePem("CERTIFICATE", requestDer({}))), "unable to parse csr"],
    ["no DER", text(encodePem("CERTIFICATE REQUEST", Buffer.from("junk"))), "unable to parse csr"],
    [
      "a signature of another",
      text(encodePem("CERTIFICATE REQUEST", requestDer({ broken: true }))),
      "unable to verify certificate request signature",
    ],
  ])("%s is left alone after one try", async (_, request, message) => {
    await start();
    await put({ metadata: { name: "web" }, spec: { request, signerName, usages: ["client auth"] } }, [
      approved,
    ]);
    await world.run(600_000);
    expect(linesOf()).toEqual([]);
    expect(errors.join("\n")).toContain(message);
    expect(errors).toHaveLength(1);
  });

  test("is tried again where the authority has expired, and signed when there is another", async () => {
    const { rotate } = await start({ livesMs: 1_000 });
    await world.run(10_000);
    await ask({ signerName });
    expect(errors[0]).toContain("refusing to sign a certificate that expired in the past");
    const next = authorityPair({ nowMs: world.clock.nowMs() });
    rotate(next.cert, next.key);
    await world.run(60_000);
    await world.run(1_000);
    expect(linesOf()).toEqual([SIGNED]);
  });

  test("is tried again after a refused write, with delays that grow from 200 ms", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "update", resource: "certificatesigningrequests" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await start();
    await ask({ signerName });
    const tries = linesOf().length;
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThan(5);
    repair();
    await world.run(10_000);
    await world.run(1_000);
    expect((await stored()).status?.certificate).toBeDefined();
  });
});

test("an authority that cannot be read stops the program before it starts", () => {
  const files: AuthorityFiles = {
    load: () => {
      throw new Error("no such file");
    },
    follow: async () => undefined,
  };
  const { checkSettings } = csrSigningController({
    durationMs: HOUR_MS,
    signatures: inThisThread,
    signers: [{ signerName: signerNames.kubeletClient, files }],
  });
  expect(checkSettings).toThrow("no such file");
});
