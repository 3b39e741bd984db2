import { randomBytes } from "node:crypto";
import { bitString, boolean, integer, objectIdentifier, octetString, sequence, tagged, time } from "./der.ts";
import { encodePem } from "./pem.ts";

/** What is signed of a certificate, its parts being in DER. */
export interface CertificateContent {
  /** Of the signature. */
  readonly algorithm: Buffer;
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: Buffer;
  readonly extensions: readonly Buffer[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** The part of a certificate of version 3 (RFC 5280) that is signed. */
export function certificateContent(content: CertificateContent): Buffer {
  return sequence(
    tagged(0, integer(Buffer.of(2)), true),
    integer(serialNumber()),
    content.algorithm,
    content.issuer,
    sequence(time(content.notBeforeMs), time(content.notAfterMs)),
    content.subject,
    content.publicKey,
    tagged(3, sequence(...content.extensions), true),
  );
}

/** The whole, in PEM. */
export function signedCertificate(content: Buffer, algorithm: Buffer, signature: Buffer): string {
  return encodePem("CERTIFICATE", sequence(content, algorithm, bitString(signature)));
}

export function extension(identifier: string, value: Buffer, critical: boolean): Buffer {
  return sequence(objectIdentifier(identifier), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** Positive, and unlike any other. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
