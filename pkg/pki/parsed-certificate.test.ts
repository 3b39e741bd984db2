import { expect, test } from "vitest";
import { requestDer } from "../../test/harness/certificate-requests.ts";
import { inOneGo } from "../api/steps.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { CertificateAuthority } from "./certificate-authority.ts";
import { firstCertificateExpiryMs } from "./certificate-expiry.ts";
import { readRequest } from "./certificate-request.ts";
import { integer, sequence } from "./der.ts";
import { CertificateError } from "./der-reader.ts";
import { certificatesProblem, parseCertificates } from "./parsed-certificate.ts";
import { encodePem } from "./pem.ts";
import { checkRequestSignature } from "./signatures.ts";

/** Well-formed, and no certificate. */
const other = sequence(integer(Buffer.from([7])));
const inBase64 = (text: string): string => Buffer.from(text).toString("base64");

test("what is well-formed and no certificate is a problem of the certificate, not of the program", () => {
  expect(() => parseCertificates(other)).toThrow(CertificateError);
  expect(certificatesProblem(inBase64(encodePem("CERTIFICATE", other)))).toBe("a certificate cannot be read");
});

test("a certificate has its expiry; what is none has none", async () => {
  const { cert } = await CertificateAuthority.create("test", new VirtualClock());
  expect(firstCertificateExpiryMs(inBase64(cert))).toBeGreaterThan(0);
  expect(firstCertificateExpiryMs(inBase64(encodePem("CERTIFICATE", other)))).toBeUndefined();
  expect(firstCertificateExpiryMs(inBase64("torn"))).toBeUndefined();
});

test("a signature that cannot be checked is not a good one", async () => {
  const request = inOneGo(readRequest(requestDer({ commonName: "a" })));
  const cause = new Error("no such curve");
  const checked = checkRequestSignature(request, { verify: async () => Promise.reject(cause) });
  await expect(checked).rejects.toBeInstanceOf(CertificateError);
  await expect(checked).rejects.toMatchObject({ cause });
  await expect(checkRequestSignature(request, { verify: async () => false })).rejects.toBeInstanceOf(
    CertificateError,
  );
});
