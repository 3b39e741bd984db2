import {
  createPublicKey,
  constants,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from "node:crypto";
import {
  bitString,
  boolean,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from "../../pkg/pki/der.ts";

/** Kinds of keys, good and bad. Those of "rsa-8200" have no private half. */
export type OddKey =
  | "ec"
  | "p224"
  | "p384"
  | "p521"
  | "secp256k1"
  | "ed25519"
  | "ed448"
  | "rsa"
  | "rsa-512"
  | "rsa-768"
  | "rsa-1023"
  | "rsa-1024"
  | "rsa-8192"
  | "rsa-8200"
  | "rsa-even-exponent"
  | "rsa-pss"
  | "dsa";

export interface Signature {
  /** As node:crypto calls it; undefined where the key says it all. */
  readonly digest?: string;
  /** The DER of the identifier and its parameters. */
  readonly algorithm: Buffer;
  /** Length of the salt, for PSS. */
  readonly salt?: number;
}

const NULL = Buffer.from("0500", "hex");
const rsa = (digest: string, id: string): Signature => ({
  digest,
  algorithm: sequence(objectIdentifier(id), NULL),
});
const ec = (digest: string, id: string): Signature => ({ digest, algorithm: sequence(objectIdentifier(id)) });

function pss(digest: string, hashId: string, salt: number, maskHashId = hashId): Signature {
  const hash = (id: string): Buffer => sequence(objectIdentifier(id), NULL);
  const parameters = sequence(
    tagged(0, hash(hashId), true),
    tagged(1, sequence(objectIdentifier("1.2.840.113549.1.1.8"), hash(maskHashId)), true),
    tagged(2, integer(Buffer.of(salt)), true),
  );
  return { digest, salt, algorithm: sequence(objectIdentifier("1.2.840.113549.1.1.10"), parameters) };
}

const SHA256 = "2.16.840.1.101.3.4.2.1";
const SHA384 = "2.16.840.1.101.3.4.2.2";

export const signatures = {
  "rsa-sha256": rsa("sha256", "1.2.840.113549.1.1.11"),
  "rsa-sha384": rsa("sha384", "1.2.840.113549.1.1.12"),
  "rsa-sha512": rsa("sha512", "1.2.840.113549.1.1.13"),
  "rsa-sha224": rsa("sha224", "1.2.840.113549.1.1.14"),
  "rsa-sha1": rsa("sha1", "1.2.840.113549.1.1.5"),
  "rsa-md5": rsa("md5", "1.2.840.113549.1.1.4"),
  "ec-sha256": ec("sha256", "1.2.840.10045.4.3.2"),
  "ec-sha384": ec("sha384", "1.2.840.10045.4.3.3"),
  "ec-sha512": ec("sha512", "1.2.840.10045.4.3.4"),
  "ec-sha224": ec("sha224", "1.2.840.10045.4.3.1"),
  "ec-sha1": ec("sha1", "1.2.840.10045.4.1"),
  "dsa-sha256": ec("sha256", "2.16.840.1.101.3.4.3.2"),
  ed25519: { algorithm: sequence(objectIdentifier("1.3.101.112")) },
  ed448: { algorithm: sequence(objectIdentifier("1.3.101.113")) },
  "pss-sha256": pss("sha256", SHA256, 32),
  "pss-sha384": pss("sha384", SHA384, 48),
  "pss-short-salt": pss("sha256", SHA256, 20),
  "pss-sha1": pss("sha1", "1.3.14.3.2.26", 20),
} satisfies Record<string, Signature>;

export type SignatureName = keyof typeof signatures;

export interface OddExtension {
  readonly id: string;
  readonly critical?: boolean;
  readonly value: Buffer;
}

export interface Odd {
  readonly subject: string;
  /** Names are written as UTF-8 unless this is set. */
  readonly printable?: boolean;
  readonly key: OddKey;
  readonly der: Buffer;
}

export interface WantedOdd {
  readonly subject: string;
  /** Signs itself when left out. */
  readonly issuer?: Odd;
  readonly key?: OddKey;
  readonly signature?: SignatureName;
  /** Said in the signed part, instead of the algorithm that it is signed with. */
  readonly innerSignature?: SignatureName;
  readonly extensions?: readonly OddExtension[];
  readonly version?: 1 | 2 | 3 | 4;
  readonly serial?: Buffer;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly printable?: boolean;
  /** Spoils the signature. */
  readonly broken?: boolean;
}

export const ODD_NOW_MS = Date.UTC(2026, 5, 1);
const DAY_MS = 24 * 3_600_000;

/** A certificate that may be wrong in any way, its signature apart. */
export function oddCertificate(wanted: WantedOdd): Odd {
  const { subject, issuer, key = "ec", version = 3, printable = false } = wanted;
  const signingKey = issuer?.key ?? key;
  const name = wanted.signature ?? usualSignature(signingKey);
  const signature: Signature = signatures[name];
  const inner: Signature = signatures[wanted.innerSignature ?? name];
  const extensions = (wanted.extensions ?? []).map(({ id, critical = false, value }) =>
    sequence(objectIdentifier(id), ...(critical ? [boolean(true)] : []), octetString(value)),
  );
  const content = sequence(
    ...(version === 1 ? [] : [tagged(0, integer(Buffer.of(version - 1)), true)]),
    wanted.serial ?? integer(Buffer.of(7)),
    inner.algorithm,
    distinguishedName(issuer?.subject ?? subject, issuer?.printable ?? printable),
    sequence(time(wanted.fromMs ?? ODD_NOW_MS - DAY_MS), time(wanted.toMs ?? ODD_NOW_MS + DAY_MS)),
    distinguishedName(subject, printable),
    publicKeyInfo(key),
    ...(extensions.length === 0 ? [] : [tagged(3, sequence(...extensions), true)]),
  );
  const signed = signatureOf(content, signingKey, signature);
  if (wanted.broken === true) signed.writeUInt8(signed.readUInt8(signed.length - 1) ^ 1, signed.length - 1);
  return { subject, printable, key, der: sequence(content, signature.algorithm, bitString(signed)) };
}

export function x509Of({ der }: Odd): X509Certificate {
  return new X509Certificate(der);
}

function usualSignature(key: OddKey): SignatureName {
  if (key.startsWith("rsa")) return key === "rsa-pss" ? "pss-sha256" : "rsa-sha256";
  if (key === "ed25519" || key === "ed448") return key;
  return key === "dsa" ? "dsa-sha256" : "ec-sha256";
}

function signatureOf(content: Buffer, key: OddKey, { digest, salt }: Signature): Buffer {
  const privateKey = keysOf(key).privateKey;
  if (privateKey === undefined) throw new Error(`${key} cannot sign`);
  const padding = salt === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: salt };
  return sign(digest, content, { key: privateKey, dsaEncoding: "der", ...padding });
}

function distinguishedName(text: string, printable: boolean): Buffer {
  const parts = text.split(",").map((part) => part.split("=") as [type: string, value: string]);
  const ids: Readonly<Record<string, string>> = { CN: "2.5.4.3", O: "2.5.4.10" };
  return sequence(
    ...parts.map(([type, value]) => {
      const string = printable
        ? Buffer.concat([Buffer.of(0x13, value.length), Buffer.from(value)])
        : utf8String(value);
      return set(sequence(objectIdentifier(ids[type] ?? ""), string));
    }),
  );
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject | undefined;
}

const made = new Map<OddKey, Keys>();

/** One pair of each kind for all. */
function keysOf(kind: OddKey): Keys {
  const known = made.get(kind) ?? generate(kind);
  made.set(kind, known);
  return known;
}

const CURVES: Readonly<Record<string, string>> = {
  ec: "P-256",
  p224: "secp224r1",
  p384: "P-384",
  p521: "P-521",
  secp256k1: "secp256k1",
};

function generate(kind: OddKey): Keys {
  const namedCurve = CURVES[kind];
  if (namedCurve !== undefined) return generateKeyPairSync("ec", { namedCurve });
  if (kind === "ed25519") return generateKeyPairSync("ed25519");
  if (kind === "ed448") return generateKeyPairSync("ed448");
  if (kind === "dsa") return generateKeyPairSync("dsa", { modulusLength: 1_024, divisorLength: 160 });
  if (kind === "rsa-pss") return generateKeyPairSync("rsa-pss", { modulusLength: 2_048 });
  if (kind === "rsa-8192") return publicOnly(8_192, 65_537);
  if (kind === "rsa-8200") return publicOnly(8_200, 65_537);
  if (kind === "rsa-even-exponent") return publicOnly(2_048, 65_536);
  return generateKeyPairSync("rsa", { modulusLength: Number(/\d+/.exec(kind)?.[0] ?? 2_048) });
}

/** Keys that would take long to find: who only shows one needs no private half. */
function publicOnly(bits: number, exponent: number): Keys {
  const n = Buffer.alloc(bits / 8, 0xb7).toString("base64url");
  const e = Buffer.from(exponent.toString(16).padStart(6, "0"), "hex").toString("base64url");
  return { publicKey: createPublicKey({ key: { kty: "RSA", n, e }, format: "jwk" }), privateKey: undefined };
}

function publicKeyInfo(kind: OddKey): Buffer {
  return keysOf(kind).publicKey.export({ type: "spki", format: "der" });
}
