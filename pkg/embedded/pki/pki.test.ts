import { X509Certificate, createPrivateKey } from "node:crypto";
import { expect, test } from "vitest";
import { realClock } from "../../clock/real.ts";
import { CertificateAuthority } from "./pki.ts";

test("a server certificate chains to the authority and names its hosts", async () => {
  const authority = await CertificateAuthority.create("test-ca", realClock);
  const pair = await authority.issue({
    commonName: "kube-apiserver",
    hosts: ["localhost", "127.0.0.1", "::1"],
  });
  const certificate = new X509Certificate(pair.cert);
  expect(certificate.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certificate.checkPrivateKey(createPrivateKey(pair.key))).toBe(true);
});

test("a client certificate carries the user and every group", async () => {
  const authority = await CertificateAuthority.create("test-ca", realClock);
  const pair = await authority.issue({ commonName: "admin", organizations: ["system:masters", "devs"] });
  expect(new X509Certificate(pair.cert).subject).toBe("O=system:masters\nO=devs\nCN=admin");
});
