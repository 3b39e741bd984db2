import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { signerNames } from "../../pkg/api/certificate-requests.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { CertificateSigningRequest } from "../../pkg/api/types/certificates-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { runInTurns } from "../../pkg/clock/turns.ts";
import { readPemRequest } from "../../pkg/pki/certificate-request.ts";
import { checkRequestSignature, inOtherThreads, inThisThread } from "../../pkg/pki/signatures.ts";
import { SigningAuthority } from "../../pkg/pki/signing-authority.ts";
import {
  kubeletRequest,
  requestField,
  signingRequest,
  type WantedRequest,
} from "../../test/harness/certificate-requests.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { FakeTransport } from "../../test/harness/fake-transport.ts";
import { cacheOf } from "../../test/harness/lister-of.ts";
import { authorityPair } from "../../test/harness/signing-files.ts";
import { syncOf } from "../../test/harness/sync-of.ts";
import { longestTurnMs } from "../../test/load/longest-turn.ts";
import { csrApprovingController } from "./approving/controller.ts";
import { cleanRequests } from "./cleaner/sync.ts";
import { csrSigningController } from "./signing/controller.ts";

const HOUR_MS = 3_600_000;
/** On a machine that others use. */
const MOST_MS = 150;
const { certificateSigningRequests } = resources;

let world: ControllerWorld;
afterEach(async () => world?.stop());

const approved = { type: "Approved", status: "True", reason: "Test", message: "by a test" };
const isWrite = ({ method }: { readonly method: string }): boolean => method === "PUT";

const reviewer = new FakeTransport(() => ({
  status: 201,
  body: {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: {},
    status: { allowed: true },
  },
}));

/** Calls `before` ahead of the first write of a request, and lets everybody create what reviews ask about. */
function racing(before: () => Promise<void>): (server: Transport) => Transport {
  let isFirst = true;
  return (server) => ({
    send: async (request, signal) => {
      if (request.path.endsWith("/subjectaccessreviews")) return reviewer.send(request, signal);
      if (isWrite(request) && isFirst) {
        isFirst = false;
        await before();
      }
      return server.send(request, signal);
    },
    close: async () => server.close(),
  });
}

function signers(durationMs = HOUR_MS, livesMs = 240 * HOUR_MS) {
  const { cert, key } = authorityPair({ nowMs: world.clock.nowMs(), livesMs });
  const files = { load: () => SigningAuthority.fromPem(cert, key), follow: async () => undefined };
  const all = Object.values(signerNames).map((signerName) => ({ signerName, files }));
  return csrSigningController({ durationMs, signatures: inThisThread, signers: all });
}

function keep(request: CertificateSigningRequest, uid: string, ...conditions: readonly object[]): void {
  world.keep(certificateSigningRequests, {
    ...request,
    metadata: { ...request.metadata, uid },
    spec: { ...request.spec, username: "system:node:a" },
    status: { conditions },
  } as CertificateSigningRequest);
}

async function replace(...[request, ...others]: Parameters<typeof keep>): Promise<void> {
  await world.client.clientFor(certificateSigningRequests).delete({ name: request.metadata.name ?? "" });
  keep(request, ...others);
}

const stored = async (name: string): Promise<CertificateSigningRequest> =>
  world.get<CertificateSigningRequest>(certificateSigningRequests, name);

describe("a request that has taken the name of another", () => {
  test("is given no certificate of that, approved or not", async () => {
    const asked = { name: "web", signerName: signerNames.apiServerClient, usages: ["client auth"] };
    const second = signingRequest({ ...asked, commonName: "second" });
    world = await newWorld({ transport: racing(async () => replace(second, "second", approved)) });
    keep(signingRequest({ ...asked, commonName: "first" }), "first", approved);
    await world.start(signers());
    await world.run(60_000);
    const { metadata, status } = await stored("web");
    expect(metadata.uid).toBe("second");
    const certificate = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
    expect(certificate.subject).toBe("CN=second");
  });

  test("is not approved for what that has asked", async () => {
    const masters = kubeletRequest("a", { organizations: ["system:nodes", "system:masters"] });
    world = await newWorld({ transport: racing(async () => replace(masters, "second")) });
    keep(kubeletRequest("a"), "first");
    await world.start(csrApprovingController());
    await world.run(60_000);
    const { metadata, status } = await stored("csr-a");
    expect(metadata.uid).toBe("second");
    expect(status?.conditions ?? []).toEqual([]);
  });
});

describe("an answer that was lost", () => {
  test.each([
    ["an error", { kind: "status", when: "after", error: internal("late") }],
    ["nothing", { kind: "disconnect", when: "after" }],
  ] as const)("after the certificate was written: %s, and it is written once", async (_, action) => {
    world = await newWorld();
    const target = { verb: "update", resource: "certificatesigningrequests" } as const;
    world.server.parts.faults.add({ target, action, times: 1 });
    await world.start(signers());
    keep(
      signingRequest({ name: "web", signerName: signerNames.apiServerClient, usages: ["client auth"] }),
      "u",
      approved,
    );
    await world.run(1_000);
    const first = (await stored("web")).status?.certificate;
    expect(first).toBeDefined();
    await world.run(60_000);
    expect((await stored("web")).status?.certificate).toBe(first);
  });
});

describe("extreme values", () => {
  test("the longest time that can be asked for is no longer than the signer's, beyond 2050 too", async () => {
    world = await newWorld();
    const century = 100 * 365 * 24 * HOUR_MS;
    const nowMs = world.clock.nowMs();
    await world.start(signers(2 * century, century));
    const signerName = signerNames.apiServerClient;
    const asked = { signerName, usages: ["client auth"], expirationSeconds: 2 ** 31 - 1 };
    keep(signingRequest({ name: "web", ...asked }), "u", approved);
    const { expirationSeconds: _, ...unlimited } = asked;
    keep(signingRequest({ name: "other", ...unlimited }), "o", approved);
    const askedMs = world.clock.nowMs();
    await world.run(1_000);
    const endMs = async (name: string): Promise<number> => {
      const { status } = await stored(name);
      const certificate = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
      return certificate.validToDate.getTime();
    };
    expect(await endMs("web")).toBe(askedMs + (2 ** 31 - 1 - 300) * 1_000);
    expect(await endMs("other")).toBe(nowMs + century);
  });

  const many = (length: number): readonly string[] => Array.from({ length }, (_, index) => `n${index}`);
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  test.each<[string, WantedRequest]>([
    ["names", { dnsNames: many(60_000), key }],
    ["organizations", { organizations: many(40_000), key }],
    ["a long one", { commonName: "x".repeat(1_000_000), key }],
  ])("a request of a megabyte (%s) is read, checked and signed in many turns", async (_, wanted) => {
    const { cert, key: keyPem } = authorityPair({ nowMs: realClock.nowMs() });
    const authority = SigningAuthority.fromPem(cert, keyPem);
    const text = Buffer.from(requestField(wanted), "base64").toString("latin1");
    const nowMs = realClock.nowMs();
    const terms = { notBeforeMs: nowMs, notAfterMs: nowMs + HOUR_MS, keyUsages: [0], extendedKeyUsages: [] };
    let signed = "";
    const longestMs = await longestTurnMs(async () => {
      const request = await runInTurns(realClock, readPemRequest(text));
      await checkRequestSignature(request, inOtherThreads);
      signed = await authority.sign(request, terms, {
        run: async (steps) => runInTurns(realClock, steps),
        signatures: inOtherThreads,
      });
    });
    expect(signed.length).toBeGreaterThan(500_000);
    expect(longestMs).toBeLessThan(MOST_MS);
  });
});

test("others have their turns while twenty thousand requests are looked through", async () => {
  const nowMs = realClock.nowMs();
  const certificate = Buffer.from(authorityPair({ nowMs }).cert).toString("base64");
  const conditions = [{ ...approved, lastUpdateTime: formatTime(nowMs) }];
  const requests = Array.from({ length: 20_000 }, (_, index) => ({
    metadata: { name: `web-${index}`, creationTimestamp: formatTime(nowMs) },
    status: { conditions, certificate },
  }));
  const client = { delete: async () => Promise.reject(new Error("none is to go")) };
  const context = { requests: cacheOf(certificateSigningRequests, requests), client, clock: realClock };
  const longestMs = await longestTurnMs(async () =>
    cleanRequests(syncOf("rounds"), context as unknown as Parameters<typeof cleanRequests>[1]),
  );
  expect(longestMs).toBeLessThan(MOST_MS);
});
