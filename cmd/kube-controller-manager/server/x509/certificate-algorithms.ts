import type { KeyObject, X509Certificate } from "node:crypto";
import { type CertificateForm, formOf } from "./certificate-form.ts";
import { BIT_STRING, elementsOf, only, SEQUENCE } from "./der-reader.ts";

type KeyKind = "rsa" | "ec" | "ed25519";

/** Signatures of certificates that count, by their identifiers. MD5, SHA-1 and all that is seldom do not. */
const SIGNATURES: Readonly<Record<string, KeyKind>> = {
  "2a864886f70d01010b": "rsa", // SHA-256
  "2a864886f70d01010c": "rsa", // SHA-384
  "2a864886f70d01010d": "rsa", // SHA-512
  "2a8648ce3d040302": "ec", // SHA-256
  "2a8648ce3d040303": "ec", // SHA-384
  "2a8648ce3d040304": "ec", // SHA-512
  "2b6570": "ed25519",
};

const RSA_PSS = "2a864886f70d01010a";
/** Hash, mask by the same hash, and a salt as long as the hash: by the identifier of the hash, and the salt's length. */
const PSS_PARAMETERS: ReadonlySet<string> = new Set(
  (
    [
      ["0609608648016503040201", 0x20],
      ["0609608648016503040202", 0x30],
      ["0609608648016503040203", 0x40],
    ] as const
  ).flatMap(([hash, salt]) =>
    // The parameters of a hash are empty, or left out.
    ["0500", ""].flatMap((hashParameters) =>
      ["0500", ""].map((maskParameters) => pssParameters(hash + hashParameters, hash + maskParameters, salt)),
    ),
  ),
);

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

function signatureKind({ signatureAlgorithm, signatureParameters }: CertificateForm): KeyKind | undefined {
  if (signatureAlgorithm === RSA_PSS) {
    return PSS_PARAMETERS.has(signatureParameters.toString("hex")) ? "rsa" : undefined;
  }
  const kind = SIGNATURES[signatureAlgorithm];
  return kind === "ed25519" && signatureParameters.length > 0 ? undefined : kind;
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

/** The DER of parameters (RFC 4055), in hexadecimal; the trailer has its default and is left out. */
function pssParameters(hash: string, maskHash: string, saltBytes: number): string {
  const element = (tag: string, content: string): string =>
    tag + (content.length / 2).toString(16).padStart(2, "0") + content;
  const mask = element("30", `06092a864886f70d010108${element("30", maskHash)}`);
  const salt = element("a2", element("02", saltBytes.toString(16)));
  return element("30", element("a0", element("30", hash)) + element("a1", mask) + salt);
}
