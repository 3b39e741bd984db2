import { X509Certificate } from "node:crypto";
import { decodePem } from "./pem.ts";

/** When the first certificate of a text in PEM, which is in base64, expires; undefined when there is none to be read. */
export function firstCertificateExpiryMs(base64: string): number | undefined {
  const block = decodePem(Buffer.from(base64, "base64").toString("latin1"));
  if (block === undefined) return undefined;
  try {
    return new X509Certificate(block.bytes).validToDate.getTime();
  } catch {
    // OpenSSL finds no certificate in it.
    return undefined;
  }
}
