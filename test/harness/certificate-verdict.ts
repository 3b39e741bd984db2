import { inOneGo } from "../../pkg/api/steps.ts";
import type { KeyPair } from "../../pkg/pki/certificate-authority.ts";
import { type CertificateRequest, readRequest } from "../../pkg/pki/certificate-request.ts";
import { objectIdentifier } from "../../pkg/pki/der.ts";
import { CertificateError, elementsOf, only, SEQUENCE } from "../../pkg/pki/der-reader.ts";
import { decodePem } from "../../pkg/pki/pem.ts";
import { checkRequestSignature, inThisThread } from "../../pkg/pki/signatures.ts";
import { SigningAuthority } from "../../pkg/pki/signing-authority.ts";

const TERMS = {
  notBeforeMs: 1_900_000_000_000,
  notAfterMs: 1_900_003_600_000,
  keyUsages: [0, 2],
  extendedKeyUsages: ["1.3.6.1.5.5.7.3.2"],
};

/** What is made of a request, in the words of hack/print-certificate-verdicts.go. */
export async function verdictOf(der: Buffer, { cert, key }: KeyPair): Promise<string> {
  let request: CertificateRequest;
  try {
    request = inOneGo(readRequest(der));
  } catch (error) {
    if (error instanceof CertificateError) return "parse";
    throw error;
  }
  try {
    await checkRequestSignature(request, inThisThread);
  } catch (error) {
    if (error instanceof CertificateError) return "signature";
    throw error;
  }
  const means = {
    run: async <R>(steps: Parameters<typeof inOneGo<R>>[0]) => inOneGo(steps),
    signatures: inThisThread,
  };
  const pem = await SigningAuthority.fromPem(cert, key).sign(request, TERMS, means);
  const block = decodePem(pem);
  const [content] = elementsOf(only(block?.bytes ?? Buffer.alloc(0), SEQUENCE).content);
  return content?.raw.toString("base64") ?? "";
}

/** Whether both refuse it at the same step, or have made the same certificate of it, but for numbers and authorities. */
export function sameVerdict(one: string, other: string): boolean {
  return one === other || (one.length > 20 && other.length > 20 && partsOf(one) === partsOf(other));
}

const ISSUER_KEY = objectIdentifier("2.5.29.35").toString("hex");

function partsOf(verdict: string): string {
  const parts = elementsOf(only(Buffer.from(verdict, "base64"), SEQUENCE).content);
  const [version, , algorithm, , validity, subject, publicKey, extensions] = parts;
  const listed = elementsOf(only(extensions?.content ?? Buffer.alloc(0), SEQUENCE).content)
    .map(({ raw }) => raw.toString("hex"))
    .filter((extension) => !extension.includes(ISSUER_KEY));
  const fixed = [version, algorithm, validity, subject, publicKey].map((part) => part?.raw.toString("hex"));
  return [...fixed, ...listed].join(" ");
}
