import "reflect-metadata";
import { webcrypto, X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto);

export { x509 };

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export interface IssuedCertificate {
  readonly certificate: X509Certificate;
  readonly subject: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

export interface WantedCertificate {
  /** Signs itself when left out. */
  readonly issuer?: IssuedCertificate;
  readonly subject: string;
  readonly extensions: readonly x509.Extension[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** Any certificate at all, the wrong ones above all. */
export async function issueCertificate(wanted: WantedCertificate): Promise<IssuedCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const made = await x509.X509CertificateGenerator.create({
    subject: wanted.subject,
    issuer: wanted.issuer?.subject ?? wanted.subject,
    notBefore: new Date(wanted.fromMs),
    notAfter: new Date(wanted.toMs),
    publicKey: keys.publicKey,
    signingKey: (wanted.issuer?.keys ?? keys).privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [...wanted.extensions],
  });
  return { certificate: new X509Certificate(made.toString("pem")), subject: wanted.subject, keys };
}

export async function privateKeyOf({ keys }: IssuedCertificate): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return x509.PemConverter.encode(bytes, "PRIVATE KEY");
}
