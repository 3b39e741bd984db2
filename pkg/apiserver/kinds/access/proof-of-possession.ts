import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";

export interface Proof {
  /** A public key (SubjectPublicKeyInfo). */
  readonly key: Buffer;
  readonly proof: Buffer;
  readonly signed: Buffer;
}

export interface ProofProblem {
  readonly field: "pkixPublicKey" | "proofOfPossession";
  readonly detail: string;
}

/** Why somebody does not show that they have the private half of a key. upstream: validateDeprecatedPKIXPublicKey */
export function hasSoundProof({ key: der, proof, signed }: Proof): ProofProblem | undefined {
  const refused = (detail: string): ProofProblem => ({ field: "pkixPublicKey", detail });
  const key = keyOf(der);
  if (key === undefined) return refused("must be a valid PKIX-serialized public key");
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  if (type !== "ed25519" && type !== "ec" && type !== "rsa")
    return refused("unknown public key type; supported types are Ed25519, ECDSA, and RSA");
  if (type === "ec" && !["prime256v1", "secp384r1", "secp521r1"].includes(details.namedCurve ?? ""))
    return refused("elliptic public keys must use curve P256 or P384");
  if (type === "rsa" && ![3_072, 4_096].includes(details.modulusLength ?? 0))
    return refused("RSA keys must have modulus size 3072 or 4096");
  const padding =
    type === "rsa"
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
      : {};
  const digest = type === "ed25519" ? null : "sha256";
  if (verify(digest, signed, { key, dsaEncoding: "der", ...padding }, proof)) return undefined;
  return { field: "proofOfPossession", detail: "could not verify proof-of-possession signature" };
}

export function keyOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    // OpenSSL does not know such keys.
    return undefined;
  }
}
