import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";

/** Signs claims into tokens (JWS, compact); the header tells with which key. */
export interface TokenSigner {
  readonly keyId: string;
  /** Synchronous, so that nothing happens in between: libraries sign in another thread, at a time of its own. */
  sign(claims: Readonly<Record<string, unknown>>): string;
}

export class SigningKeyError extends Error {
  readonly code = "InvalidSigningKey";
  constructor(message: string) {
    super(message);
    this.name = "SigningKeyError";
  }
}

interface Algorithm {
  readonly name: string;
  readonly digest: string;
}

const RSA: Algorithm = { name: "RS256", digest: "sha256" };
const ECDSA: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: "ES256", digest: "sha256" },
  secp384r1: { name: "ES384", digest: "sha384" },
  secp521r1: { name: "ES512", digest: "sha512" },
};

/** Throws a SigningKeyError for keys that API servers take no tokens of. */
export function tokenSigner(privateKey: KeyObject): TokenSigner {
  const { name, digest } = algorithmOf(privateKey);
  const keyId = keyIdOf(createPublicKey(privateKey));
  const header = base64url(JSON.stringify({ alg: name, kid: keyId }));
  return {
    keyId,
    sign: (claims) => {
      const content = `${header}.${base64url(JSON.stringify(claims))}`;
      // The encoding is that of JWS for ECDSA, and without meaning for RSA.
      const signature = sign(digest, Buffer.from(content), { key: privateKey, dsaEncoding: "ieee-p1363" });
      return `${content}.${signature.toString("base64url")}`;
    },
  };
}

/** By this id API servers find the public key. It must never change: tokens would lose their key. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): Algorithm {
  if (type === "rsa") return RSA;
  if (type !== "ec")
    throw new SigningKeyError(`a key of type ${type ?? "secret"} cannot sign: RSA or ECDSA is needed`);
  const algorithm = ECDSA[details?.namedCurve ?? ""];
  if (algorithm !== undefined) return algorithm;
  throw new SigningKeyError(
    `the curve ${details?.namedCurve ?? ""} cannot be used: P-256, P-384 or P-521 is needed`,
  );
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
