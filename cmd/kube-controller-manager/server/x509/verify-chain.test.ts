import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  type IssuedCertificate,
  issueCertificate,
  type WantedCertificate,
  x509,
} from "../../../../test/harness/issue-certificate.ts";
import { ODD_NOW_MS, x509Of } from "../../../../test/harness/odd-certificate.ts";
import { CaBundle } from "./ca-bundle.ts";
import { certificateCases } from "./certificate-cases.test-data.ts";
import { formOf } from "../../../../pkg/pki/certificate-form.ts";
import { CertificateError } from "../../../../pkg/pki/der-reader.ts";
import { verifyClientChain } from "./verify-chain.ts";

const DAY_MS = 24 * 3_600_000;
const NOW_MS = Date.UTC(2026, 5, 1);
const issue = async (
  wanted: Omit<WantedCertificate, "fromMs" | "toMs"> & { toMs?: number },
): Promise<IssuedCertificate> =>
  issueCertificate({ fromMs: NOW_MS - DAY_MS, toMs: NOW_MS + DAY_MS, ...wanted });

const authority = (pathLength?: number): x509.Extension =>
  new x509.BasicConstraintsExtension(true, pathLength, true);
const usage = (...ids: string[]): x509.Extension => new x509.ExtendedKeyUsageExtension(ids);
const CLIENT = "1.3.6.1.5.5.7.3.2";
const SERVER = "1.3.6.1.5.5.7.3.1";
const ANY = "2.5.29.37.0";
const nameConstraints = new x509.Extension(
  "2.5.29.30",
  true,
  Buffer.from("300ca00a3008820678 2e74657374".replace(" ", ""), "hex"),
);
const unknownExtension = new x509.Extension("1.2.3.4", true, Buffer.from("0500", "hex"));

const root = await issue({ subject: "CN=root", extensions: [authority()] });
const middle = await issue({ issuer: root, subject: "CN=middle", extensions: [authority(0)] });
const lower = await issue({ issuer: middle, subject: "CN=lower", extensions: [authority()] });
const impostor = await issue({ subject: "CN=root", extensions: [authority()] });
const leaf = async (issuer: IssuedCertificate, ...extensions: x509.Extension[]): Promise<IssuedCertificate> =>
  issue({ issuer, subject: "CN=jane", extensions });

function verify(
  chain: readonly IssuedCertificate[],
  roots: readonly IssuedCertificate[] = [root],
  nowMs = NOW_MS,
): void {
  const bundle = new CaBundle(roots.map(({ certificate }) => String(certificate)).join("\n"));
  verifyClientChain(
    chain.map(({ certificate }) => certificate),
    bundle,
    nowMs,
  );
}

describe("chains that are accepted", () => {
  test("signed by a root, with no, the right, or any usage", async () => {
    verify([await leaf(root)]);
    verify([await leaf(root, usage(SERVER, CLIENT))]);
    verify([await leaf(root, usage(ANY))]);
  });

  test("over an intermediate, with others in between and in any order", async () => {
    verify([await leaf(middle, usage(CLIENT)), impostor, middle]);
  });

  test("by the second of two authorities of one name", async () => {
    verify([await leaf(root)], [impostor, root]);
  });

  test("a certificate that is in the bundle itself", async () => {
    const alone = await issue({ subject: "CN=alone", extensions: [] });
    verify([alone], [alone]);
  });

  test("under name constraints, when there is no name for them", async () => {
    const constrained = await issue({ subject: "CN=c", extensions: [authority(), nameConstraints] });
    verify([await leaf(constrained)], [constrained]);
  });
});

describe("chains that are refused", () => {
  test.each<[string, () => Promise<readonly IssuedCertificate[]>, string]>([
    ["unknown authority", async () => [await leaf(impostor)], "it is signed by an unknown authority"],
    ["missing intermediate", async () => [await leaf(middle)], "it is signed by an unknown authority"],
    ["for servers", async () => [await leaf(root, usage(SERVER))], "it is not meant for clients"],
    [
      "an intermediate for servers",
      async () => {
        const server = await issue({
          issuer: root,
          subject: "CN=s",
          extensions: [authority(), usage(SERVER)],
        });
        return [await leaf(server), server];
      },
      "it is not meant for clients",
    ],
    [
      "signed by one who is no authority",
      async () => {
        const user = await issue({ issuer: root, subject: "CN=user", extensions: [] });
        return [await leaf(user), user];
      },
      "unknown authority",
    ],
    ["too many authorities", async () => [await leaf(lower), lower, middle], "more authorities in the chain"],
    ["an unknown critical extension", async () => [await leaf(root, unknownExtension)], "not understood"],
    [
      "names under name constraints",
      async () => {
        const constrained = await issue({
          issuer: root,
          subject: "CN=c",
          extensions: [authority(), nameConstraints],
        });
        const names = new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "a.test" }]);
        return [await leaf(constrained, names), constrained];
      },
      "name constraints",
    ],
    ["no certificate", async () => [], "there is no certificate"],
  ])("%s", async (_, chain, message) => {
    const presented = await chain();
    expect(() => verify(presented)).toThrow(message);
  });

  test("a leaf out of its time, on either side", async () => {
    const jane = await leaf(root);
    expect(() => verify([jane], [root], NOW_MS + 2 * DAY_MS)).toThrow("a certificate expired at 2026-06-02T");
    expect(() => verify([jane], [root], NOW_MS - 2 * DAY_MS)).toThrow("not valid before 2026-05-31T");
  });

  test("an authority out of its time", async () => {
    const old = await issue({ subject: "CN=old", extensions: [authority()], toMs: NOW_MS - 1_000 });
    const jane = await leaf(old);
    expect(() => verify([jane], [old])).toThrow(
      /certificate .* of CN=jane: it is .* unknown authority: a certificate expired/,
    );
  });

  test("a bundle without a certificate is none", () => {
    expect(() => new CaBundle("")).toThrow("there is no certificate in PEM form");
    expect(() => new CaBundle("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")).toThrow();
  });
});

test("extensions are read with their criticality", async () => {
  const { certificate } = await leaf(root, unknownExtension, usage(CLIENT));
  expect(formOf(certificate).extensions.map(({ id, critical }) => [id, critical])).toEqual([
    ["2a0304", true],
    ["551d25", false],
  ]);
});

describe("Go's verdicts", () => {
  test.each(certificateCases)("Go $go it: $name", ({ chain, roots, go, stricter }) => {
    const bundle = new CaBundle(roots.map((root) => String(x509Of(root))).join("\n"));
    const judge = (): void => verifyClientChain(chain.map(x509Of), bundle, ODD_NOW_MS);
    if (go === "accepts" && stricter !== true) judge();
    else expect(judge).toThrow(CertificateError);
  });

  test("no certificate is accepted of which any byte was changed", () => {
    const [good] = certificateCases;
    const [leaf] = good?.chain ?? [];
    if (good === undefined || leaf === undefined) throw new Error("there is no case");
    const bundle = new CaBundle(good.roots.map((root) => String(x509Of(root))).join("\n"));
    for (let at = 0; at < leaf.der.length; at++) {
      for (const change of [0x01, 0x20, 0x80, 0xff]) {
        const der = Buffer.from(leaf.der);
        der.writeUInt8(der.readUInt8(at) ^ change, at);
        let changed: X509Certificate;
        try {
          changed = new X509Certificate(der);
        } catch {
          // Nor does OpenSSL read it.
          continue;
        }
        expect(() => verifyClientChain([changed], bundle, ODD_NOW_MS), `byte ${at}`).toThrow(
          CertificateError,
        );
      }
    }
  });

  test("only what is listed is stricter here", () => {
    expect(certificateCases.filter(({ stricter }) => stricter).map(({ name }) => name)).toEqual([
      "an authority that asks for policies, which are there",
      "a permitted mail address",
      "a permitted URI",
    ]);
  });
});
