import { expect, test } from "vitest";
import { realClock } from "../../../../pkg/clock/real.ts";
import { CertificateAuthority } from "../../../../pkg/pki/certificate-authority.ts";
import { certificateFor, certificatesByName } from "./named-certificates.ts";

const authority = await CertificateAuthority.create("names-ca", realClock);

async function certificate(commonName: string, hosts: readonly string[]): Promise<Buffer> {
  const pair = await authority.issue({ commonName, hosts });
  return Buffer.from(pair.cert);
}

const wild = await certificate("wild", ["*.example.test"]);
const exact = await certificate("exact.example.test", ["127.0.0.1", "other.test"]);
const byName = certificatesByName([
  { cert: wild, names: [], value: "wild" },
  { cert: exact, names: [], value: "exact" },
  { cert: wild, names: ["Given.Test", "*.given.test"], value: "given" },
  { cert: wild, names: ["given.test", "other.test"], value: "given later" },
]);

test.each([
  ["a.example.test", "wild"],
  ["A.Example.Test.", "wild"],
  ["a.b.example.test", undefined],
  ["exact.example.test", "exact"],
  ["other.test", "given later"],
  ["given.test", "given"],
  ["x.given.test", "given"],
  ["127.0.0.1", undefined],
  ["unknown.test", undefined],
])("%s is served with %s", (name, expected) => {
  expect(certificateFor(byName, name)).toBe(expected);
});
