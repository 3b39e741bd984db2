import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { realClock } from "../clock/real.ts";
import { bitString, integer, objectIdentifier, octetString, time } from "./der.ts";
import { CertificateAuthority } from "./certificate-authority.ts";

test("a server certificate chains to the authority and names its hosts", async () => {
  const authority = await CertificateAuthority.create("test-ca", realClock);
  const hosts = ["localhost", "*.example.test", "127.0.0.1", "::1", "2001:db8::a:1"];
  const pair = await authority.issue({ commonName: "kube-apiserver", hosts });
  const certificate = new X509Certificate(pair.cert);
  const ca = new X509Certificate(authority.cert);
  expect(certificate.verify(ca.publicKey)).toBe(true);
  expect(certificate.checkIssued(ca)).toBe(true);
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.checkHost("a.example.test")).toBe("*.example.test");
  for (const address of hosts.slice(2)) expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.checkIP("127.0.0.2")).toBeUndefined();
  expect(certificate.checkPrivateKey(createPrivateKey(pair.key))).toBe(true);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"]);
  expect(certificate.ca).toBe(false);
});

test("a client certificate carries the user and every group, and serves nobody", async () => {
  const authority = await CertificateAuthority.create("test-ca", realClock);
  const pair = await authority.issue({ commonName: "ädmin", organizations: ["system:masters", "devs"] });
  const certificate = new X509Certificate(pair.cert);
  expect(certificate.subject).toBe("O=system:masters\nO=devs\nCN=ädmin");
  expect(certificate.issuer).toBe("CN=test-ca");
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(certificate.subjectAltName).toBeUndefined();
});

test("the authority vouches for itself, and can be taken up again from its files", async () => {
  const first = await CertificateAuthority.create("test-ca", realClock);
  const ca = new X509Certificate(first.cert);
  expect(ca.ca).toBe(true);
  expect(ca.verify(ca.publicKey)).toBe(true);
  const again = CertificateAuthority.load({ cert: first.cert, key: first.key }, realClock);
  const certificate = new X509Certificate((await again.issue({ commonName: "x" })).cert);
  expect(certificate.verify(ca.publicKey)).toBe(true);
  expect(certificate.checkIssued(ca)).toBe(true);
});

test("no two certificates have one serial number, and all are valid from yesterday for a year", async () => {
  const authority = await CertificateAuthority.create("test-ca", realClock);
  const pairs = await Promise.all(
    Array.from({ length: 50 }, async () => authority.issue({ commonName: "x" })),
  );
  const certificates = pairs.map((pair) => new X509Certificate(pair.cert));
  expect(new Set(certificates.map(({ serialNumber }) => serialNumber)).size).toBe(50);
  for (const { validFromDate, validToDate } of certificates) {
    expect(realClock.nowMs() - validFromDate.getTime()).toBeGreaterThan(23 * 3_600_000);
    expect(validToDate.getTime() - realClock.nowMs()).toBeGreaterThan(364 * 24 * 3_600_000);
  }
});

test.each<[string, KeyPairLike, string]>([
  ["no certificate", { cert: "x", key: "y" }, "PEM"],
  ["a certificate that is no authority's", "leaf", "no certificate authority's"],
  ["the key of another", "mixed", "not that of the certificate"],
])("%s cannot be loaded as an authority", async (_, what, message) => {
  const authority = await CertificateAuthority.create("test-ca", realClock);
  const leaf = await authority.issue({ commonName: "x" });
  const pair = what === "leaf" ? leaf : what === "mixed" ? { cert: authority.cert, key: leaf.key } : what;
  expect(() => CertificateAuthority.load(pair, realClock)).toThrow(message);
});

type KeyPairLike = { readonly cert: string; readonly key: string } | "leaf" | "mixed";

test.each<[string, Buffer, string]>([
  ["a small number", integer(Buffer.of(5)), "020105"],
  ["a number with the first bit set", integer(Buffer.of(0xff)), "020200ff"],
  ["an identifier with a large part", objectIdentifier("1.2.840.10045.4.3.2"), "06082a8648ce3d040302"],
  ["200 bytes", octetString(Buffer.alloc(200)).subarray(0, 3), "0481c8"],
  ["70,000 bytes", octetString(Buffer.alloc(70_000)).subarray(0, 5), "0483011170"],
  ["bits", bitString(Buffer.of(0b1000_0110), 1), "03020186"],
  ["a time before 2050", time(Date.UTC(2049, 11, 31, 23, 59, 59)), `170d${hex("491231235959Z")}`],
  ["a time after it", time(Date.UTC(2050, 0, 1)), `180f${hex("20500101000000Z")}`],
])("%s in DER", (_, element, expected) => {
  expect(element.toString("hex")).toBe(expected);
});

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}
