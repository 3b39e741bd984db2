import { X509Certificate } from "node:crypto";
import { basicConstraintsOf, formOf } from "./certificate-form.ts";
import { CertificateError, SEQUENCE, ElementReader } from "./der-reader.ts";
import { allPemBlocks } from "./pem.ts";

export interface ParsedCertificate {
  readonly certificate: X509Certificate;
  readonly isAuthority: boolean;
}

/** Throws a CertificateError for what is no certificate, or more than one. */
export function parseCertificate(der: Buffer): ParsedCertificate {
  const [only, ...others] = parseCertificates(der);
  if (only === undefined || others.length > 0) throw new CertificateError("there is not one certificate");
  return only;
}

/** One after another. */
export function parseCertificates(der: Buffer): readonly ParsedCertificate[] {
  const reader = new ElementReader(der);
  const found: ParsedCertificate[] = [];
  while (!reader.isAtEnd) found.push(parseOne(reader.read(SEQUENCE).raw));
  return found;
}

function parseOne(der: Buffer): ParsedCertificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(der);
  } catch (error) {
    throw new CertificateError("a certificate cannot be read", error);
  }
  return { certificate, isAuthority: basicConstraintsOf(formOf(certificate))?.isAuthority === true };
}

/** What is wrong with certificates in PEM, in base64; undefined when nothing is. upstream: validateCertificate */
export function certificatesProblem(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const blocks = allPemBlocks(Buffer.from(base64, "base64").toString("latin1"));
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== "CERTIFICATE")
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return "no PEM block headers are permitted";
    try {
      if (parseCertificates(bytes).length === 0)
        return "found CERTIFICATE PEM block containing 0 certificates";
    } catch (error) {
      if (error instanceof CertificateError) return error.message;
      throw error;
    }
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}
