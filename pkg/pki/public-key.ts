import { createPublicKey, type KeyObject } from "node:crypto";
import { checkInteger } from "./asn1-values.ts";
import { bitString, integer, sequence } from "./der.ts";
import {
  CertificateError,
  checkObjectIdentifier,
  type Element,
  ElementReader,
  INTEGER,
  malformed,
  OBJECT_IDENTIFIER,
  SEQUENCE,
} from "./der-reader.ts";

export type KeyKind = "rsa" | "ec" | "ed25519";

/** A key as it is written into certificates: in the one form that Go has for it. */
export interface PublicKeyInfo {
  readonly kind: KeyKind;
  readonly info: Buffer;
  readonly key: KeyObject;
}

export interface AlgorithmForm {
  /** In hexadecimal. */
  readonly identifier: string;
  readonly parameters: Buffer;
}

/** Of an algorithm and what is said of it. */
export function readAlgorithm({ content }: Element): AlgorithmForm {
  const reader = new ElementReader(content);
  const { content: bytes } = reader.read(OBJECT_IDENTIFIER);
  checkObjectIdentifier(bytes);
  const parameters = reader.isAtEnd ? Buffer.alloc(0) : reader.next().raw;
  return { identifier: bytes.toString("hex"), parameters };
}

const RSA = "2a864886f70d010101";
const EC = "2a8648ce3d0201";
const ED25519 = "2b6570";
const NULL = Buffer.from("0500", "hex");

/** Lengths of a coordinate, by the identifier of the curve: P-224, P-256, P-384, P-521. */
const CURVES: ReadonlyMap<string, number> = new Map([
  ["2b81040021", 28],
  ["2a8648ce3d030107", 32],
  ["2b81040022", 48],
  ["2b81040023", 66],
]);

/** Undefined for keys of other kinds. upstream: crypto/x509/parser.go#parsePublicKey */
export function readPublicKey(algorithm: AlgorithmForm, bits: Buffer): PublicKeyInfo | undefined {
  switch (algorithm.identifier) {
    case RSA:
      return readRsa(algorithm, bits);
    case EC:
      return readEc(algorithm, bits);
    case ED25519:
      if (algorithm.parameters.length > 0 || bits.length !== 32) throw malformed();
      return keyOf("ed25519", sequence(sequence(identifier(ED25519)), bitString(bits)));
    default:
      return undefined;
  }
}

function readRsa({ parameters }: AlgorithmForm, bits: Buffer): PublicKeyInfo {
  if (!parameters.equals(NULL)) throw new CertificateError("an RSA key has no parameters, not even NULL");
  const numbers = new ElementReader(new ElementReader(bits).read(SEQUENCE).content);
  const [modulus, exponent] = [numbers.read(INTEGER).content, numbers.read(INTEGER).content];
  checkInteger(modulus, modulus.length);
  checkInteger(exponent, 8);
  for (const number of [modulus, exponent]) {
    if ((number[0] ?? 0) >= 0x80 || number.every((byte) => byte === 0))
      throw new CertificateError("a number of an RSA key is not positive");
  }
  const key = sequence(integer(modulus), integer(exponent));
  return keyOf("rsa", sequence(sequence(identifier(RSA), NULL), bitString(key)));
}

function readEc({ parameters }: AlgorithmForm, bits: Buffer): PublicKeyInfo {
  const curve = new ElementReader(parameters).read(OBJECT_IDENTIFIER);
  checkObjectIdentifier(curve.content);
  const size = CURVES.get(curve.content.toString("hex"));
  if (size === undefined) throw new CertificateError("unsupported elliptic curve");
  if (bits[0] !== 4 || bits.length !== 1 + 2 * size) throw malformed();
  return keyOf("ec", sequence(sequence(identifier(EC), curve.raw), bitString(bits)));
}

function identifier(hex: string): Buffer {
  const content = Buffer.from(hex, "hex");
  return Buffer.concat([Buffer.of(OBJECT_IDENTIFIER, content.length), content]);
}

function keyOf(kind: KeyKind, info: Buffer): PublicKeyInfo {
  try {
    return { kind, info, key: createPublicKey({ key: info, format: "der", type: "spki" }) };
  } catch (error) {
    throw new CertificateError("a public key cannot be used", error);
  }
}

const LEAST_RSA_BITS = 1_024;
/** OpenSSL does not look at longer ones. */
const MOST_RSA_BITS = 16_384;

/** Whether signatures by a key count: RSA keys may be too weak, or such that checking them takes forever. */
export function isSoundKey(key: KeyObject): boolean {
  if (key.asymmetricKeyType !== "rsa") return true;
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  const isSound = publicExponent > 1n && publicExponent % 2n === 1n && publicExponent < 2n ** 31n;
  return modulusLength >= LEAST_RSA_BITS && modulusLength <= MOST_RSA_BITS && isSound;
}
