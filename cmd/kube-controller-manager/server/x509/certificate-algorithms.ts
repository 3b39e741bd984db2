import type { KeyObject, X509Certificate } from "node:crypto";
import { type CertificateForm, formOf } from "../../../../pkg/pki/certificate-form.ts";
import type { KeyKind } from "../../../../pkg/pki/public-key.ts";
import { signatureAlgorithm } from "../../../../pkg/pki/signatures.ts";
import { BIT_STRING, elementsOf, only, SEQUENCE } from "../../../../pkg/pki/der-reader.ts";

const LEAST_RSA_BITS = 1_024;
/** Of a client's key, so that it cannot keep the process busy. upstream: crypto/tls#maxRSAKeySize */
const MOST_RSA_BITS = 8_192;
const CURVES: ReadonlySet<string> = new Set(["secp224r1", "prime256v1", "secp384r1", "secp521r1"]);

/** The kind of a key that counts; undefined for a weak one and for whatever Go does not take. */
export function keyKind(certificate: X509Certificate): KeyKind | undefined {
  const { keyInfo } = formOf(certificate);
  const key = publicKeyOf(certificate);
  const details = key?.asymmetricKeyDetails;
  const type = key?.asymmetricKeyType;
  if (type === "rsa") {
    const { modulusLength = 0, publicExponent = 0n } = details ?? {};
    const soundExponent = publicExponent > 1n && publicExponent % 2n === 1n && publicExponent < 2n ** 31n;
    return modulusLength >= LEAST_RSA_BITS && soundExponent ? "rsa" : undefined;
  }
  if (type === "ec") {
    return CURVES.has(details?.namedCurve ?? "") && isUncompressed(keyInfo) ? "ec" : undefined;
  }
  return type === "ed25519" ? type : undefined;
}

/** Whether a client may prove itself by this key. */
export function isClientKey(certificate: X509Certificate): boolean {
  const kind = keyKind(certificate);
  if (kind !== "rsa") return kind !== undefined;
  return (certificate.publicKey.asymmetricKeyDetails?.modulusLength ?? 0) <= MOST_RSA_BITS;
}

/** Whether the key of `issuer` has signed it, in a way that counts. */
export function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  const kind = signatureKind(formOf(certificate));
  if (kind === undefined || kind !== keyKind(issuer)) return false;
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    // OpenSSL refuses to try: a signature that cannot be checked is none.
    return false;
  }
}

/** MD5, SHA-1 and all that is seldom do not count. */
function signatureKind({
  signatureAlgorithm: algorithm,
  signatureParameters: parameters,
}: CertificateForm): KeyKind | undefined {
  const found = signatureAlgorithm({ algorithm, parameters });
  return found?.digest === "sha1" ? undefined : found?.kind;
}

function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    // OpenSSL does not know what kind of key this is.
    return undefined;
  }
}

/** The point of a key of a curve is written with both its coordinates. */
function isUncompressed(keyInfo: Buffer): boolean {
  const point = elementsOf(only(keyInfo, SEQUENCE).content).find(({ tag }) => tag === BIT_STRING);
  return point?.content[1] === 0x04;
}
