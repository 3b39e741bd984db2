import { constants, type KeyObject, sign, verify, type VerifyKeyObjectInput } from "node:crypto";
import type { CertificateRequest, SignatureForm } from "./certificate-request.ts";
import { objectIdentifier, sequence } from "./der.ts";
import { CertificateError, ElementReader, field, INTEGER, SEQUENCE } from "./der-reader.ts";
import { type AlgorithmForm, isSoundKey, type KeyKind, readAlgorithm } from "./public-key.ts";

interface Algorithm {
  readonly kind: KeyKind;
  /** As node:crypto calls it; null where the key says it all. */
  readonly digest: "sha1" | "sha256" | "sha384" | "sha512" | null;
  /** Length of the salt, for PSS. */
  readonly salt?: number;
}

/** By their identifiers. SHA-1 counts in requests alone. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ["2a864886f70d010105", { kind: "rsa", digest: "sha1" }],
  ["2b0e03021d", { kind: "rsa", digest: "sha1" }],
  ["2a864886f70d01010b", { kind: "rsa", digest: "sha256" }],
  ["2a864886f70d01010c", { kind: "rsa", digest: "sha384" }],
  ["2a864886f70d01010d", { kind: "rsa", digest: "sha512" }],
  ["2a8648ce3d0401", { kind: "ec", digest: "sha1" }],
  ["2a8648ce3d040302", { kind: "ec", digest: "sha256" }],
  ["2a8648ce3d040303", { kind: "ec", digest: "sha384" }],
  ["2a8648ce3d040304", { kind: "ec", digest: "sha512" }],
  ["2b6570", { kind: "ed25519", digest: null }],
]);

const RSA_PSS = "2a864886f70d01010a";
const MASK_BY_HASH = "2a864886f70d010108";
/** By the identifier of the hash. */
const PSS: ReadonlyMap<string, Algorithm & { readonly salt: number }> = new Map([
  ["608648016503040201", { kind: "rsa", digest: "sha256", salt: 32 }],
  ["608648016503040202", { kind: "rsa", digest: "sha384", salt: 48 }],
  ["608648016503040203", { kind: "rsa", digest: "sha512", salt: 64 }],
]);

/** Those that count have a mask by the same hash, a salt as long as the hash, and no other trailer than that of all. */
function pssAlgorithm(parameters: Buffer): Algorithm | undefined {
  const parts = new ElementReader(new ElementReader(parameters).read(SEQUENCE).content);
  const part = (number: number): ElementReader => new ElementReader(parts.read(field(number, true)).content);
  const hash = readAlgorithm(part(0).read(SEQUENCE));
  const mask = readAlgorithm(part(1).read(SEQUENCE));
  const maskHash = readAlgorithm(new ElementReader(mask.parameters).read(SEQUENCE));
  const salt = part(2).read(INTEGER).content.toString("hex");
  const trailer = parts.isAtEnd ? "01" : part(3).read(INTEGER).content.toString("hex");
  const isPlain = (form: AlgorithmForm): boolean => ["", "0500"].includes(form.parameters.toString("hex"));
  const found = PSS.get(hash.identifier);
  const isUsual =
    mask.identifier === MASK_BY_HASH && maskHash.identifier === hash.identifier && trailer === "01";
  const counts = isUsual && isPlain(hash) && isPlain(maskHash) && parseInt(salt, 16) === found?.salt;
  return counts ? found : undefined;
}

/** Undefined for algorithms that count for nothing. upstream: crypto/x509#getSignatureAlgorithmFromAI */
export function signatureAlgorithm({
  algorithm,
  parameters,
}: Pick<SignatureForm, "algorithm" | "parameters">): Algorithm | undefined {
  if (algorithm === RSA_PSS) return orUndefined(() => pssAlgorithm(parameters));
  const found = ALGORITHMS.get(algorithm);
  return found?.kind === "ed25519" && parameters.length > 0 ? undefined : found;
}

function orUndefined<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}

/** What is checked of a signature. */
export interface SignatureCheck {
  readonly digest: string | null;
  readonly signed: Buffer;
  readonly key: VerifyKeyObjectInput;
  readonly signature: Buffer;
}

/** Where signatures are made and checked. */
export interface SignatureWork {
  sign(content: Buffer, key: KeyObject, signing: Signing): Promise<Buffer>;
  /** Rejects where it cannot even be tried. */
  verify(check: SignatureCheck): Promise<boolean>;
}

/** In other threads of the process: a large RSA key takes tens of milliseconds. */
export const inOtherThreads: SignatureWork = {
  sign: async (content, key, { digest }) =>
    new Promise((resolve, reject) => {
      sign(digest, content, { key, dsaEncoding: "der" }, (error, signature) =>
        error === null ? resolve(signature) : reject(error),
      );
    }),
  verify: async ({ digest, signed, key, signature }) =>
    new Promise((resolve, reject) => {
      verify(digest, signed, key, signature, (error, isGood) =>
        error === null ? resolve(isGood) : reject(error),
      );
    }),
};

/** At once, for who has a clock of its own. */
export const inThisThread: SignatureWork = {
  sign: async (content, key, { digest }) => sign(digest, content, { key, dsaEncoding: "der" }),
  verify: async (check) => isGoodNow(check),
};

/** Throws a CertificateError unless the holder of the key has signed the request: before that it says nothing. */
export async function checkRequestSignature(
  request: CertificateRequest,
  { verify: isGood }: Pick<SignatureWork, "verify">,
): Promise<void> {
  const check = wantedCheck(request);
  let good: boolean;
  try {
    good = await isGood(check);
  } catch (error) {
    throw new CertificateError("the signature of the request cannot be checked", error);
  }
  if (!good) throw wrongSignature();
}

/** The same for who cannot wait. */
export function checkRequestSignatureNow(request: CertificateRequest): void {
  const check = wantedCheck(request);
  let good: boolean;
  try {
    good = isGoodNow(check);
  } catch (error) {
    throw new CertificateError("the signature of the request cannot be checked", error);
  }
  if (!good) throw wrongSignature();
}

function isGoodNow({ digest, signed, key, signature }: SignatureCheck): boolean {
  return verify(digest, signed, key, signature);
}

function wrongSignature(): CertificateError {
  return new CertificateError("the signature of the request is wrong");
}

function wantedCheck({ form, publicKey }: CertificateRequest): SignatureCheck {
  const algorithm = signatureAlgorithm(form);
  if (algorithm === undefined || publicKey?.kind !== algorithm.kind)
    throw new CertificateError("the request is signed by an algorithm that does not count");
  if (!isSoundKey(publicKey.key)) throw new CertificateError("the key of the request is too weak, or no key");
  const { digest, salt } = algorithm;
  const padding = salt === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: salt };
  const key = { key: publicKey.key, dsaEncoding: "der" as const, ...padding };
  return { digest, key, signed: form.signed, signature: form.signature };
}

/** How something is signed with a key. */
export interface Signing {
  readonly digest: string | null;
  /** The DER of the identifier and its parameters. */
  readonly algorithm: Buffer;
}

const NULL = Buffer.from("0500", "hex");
const EC_SIGNING: Readonly<Record<string, Signing>> = {
  secp224r1: ecSigning("sha256", "1.2.840.10045.4.3.2"),
  prime256v1: ecSigning("sha256", "1.2.840.10045.4.3.2"),
  secp384r1: ecSigning("sha384", "1.2.840.10045.4.3.3"),
  secp521r1: ecSigning("sha512", "1.2.840.10045.4.3.4"),
};

function ecSigning(digest: string, identifier: string): Signing {
  return { digest, algorithm: sequence(objectIdentifier(identifier)) };
}

/** What Go signs with, for this key. Throws for one that it does not sign with. upstream: crypto/x509#signingParamsForKey */
export function signingWith(key: KeyObject): Signing {
  const { asymmetricKeyType, asymmetricKeyDetails } = key;
  if (asymmetricKeyType === "rsa")
    return { digest: "sha256", algorithm: sequence(objectIdentifier("1.2.840.113549.1.1.11"), NULL) };
  if (asymmetricKeyType === "ed25519")
    return { digest: null, algorithm: sequence(objectIdentifier("1.3.101.112")) };
  const ec = asymmetricKeyType === "ec" ? EC_SIGNING[asymmetricKeyDetails?.namedCurve ?? ""] : undefined;
  if (ec === undefined)
    throw new CertificateError("certificates are signed with RSA, ECDSA and Ed25519 keys only");
  return ec;
}
