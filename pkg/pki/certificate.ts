import { createHash, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
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
} from "./der.ts";

/** What a certificate says of its holder. Kubernetes reads the user from the common name, groups from organizations. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses, for servers. */
  readonly hosts?: readonly string[];
}

export interface CertificateFacts {
  readonly subject: Subject;
  /** The holder's key. */
  readonly publicKey: KeyObject;
  /** Who vouches; equal to the subject for an authority that vouches for itself. */
  readonly issuer: Subject;
  readonly issuerPublicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly isAuthority: boolean;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
const SERVER_AUTH = objectIdentifier("1.3.6.1.5.5.7.3.1");
const CLIENT_AUTH = objectIdentifier("1.3.6.1.5.5.7.3.2");

/** Bits of the key usage, from the highest: digitalSignature, …, keyCertSign (5), cRLSign (6). */
const SIGNS = { bits: Buffer.of(0b1000_0000), unused: 7 };
const SIGNS_CERTIFICATES = { bits: Buffer.of(0b1000_0110), unused: 1 };

/** An X.509 certificate (RFC 5280) in PEM, signed with an ECDSA key. */
export function signCertificate(facts: CertificateFacts): string {
  const content = sequence(
    tagged(0, integer(Buffer.of(2)), true),
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    distinguishedName(facts.issuer),
    sequence(time(facts.notBeforeMs), time(facts.notAfterMs)),
    distinguishedName(facts.subject),
    publicKeyInfo(facts.publicKey),
    tagged(3, sequence(...extensions(facts)), true),
  );
  const signature = sign("sha256", content, { key: facts.signingKey, dsaEncoding: "der" });
  return pem("CERTIFICATE", sequence(content, ECDSA_WITH_SHA256, bitString(signature)));
}

function extensions(facts: CertificateFacts): readonly Buffer[] {
  const { isAuthority, subject } = facts;
  const usage = isAuthority ? SIGNS_CERTIFICATES : SIGNS;
  const hosts = subject.hosts ?? [];
  const common = [
    extension("2.5.29.19", isAuthority ? sequence(boolean(true)) : sequence(), true),
    extension("2.5.29.15", bitString(usage.bits, usage.unused), true),
    extension("2.5.29.14", octetString(keyIdentifier(facts.publicKey)), false),
    extension("2.5.29.35", sequence(tagged(0, keyIdentifier(facts.issuerPublicKey), false)), false),
  ];
  if (isAuthority) return common;
  const purposes = hosts.length > 0 ? [CLIENT_AUTH, SERVER_AUTH] : [CLIENT_AUTH];
  const names =
    hosts.length > 0 ? [extension("2.5.29.17", sequence(...hosts.map(alternativeName)), false)] : [];
  return [...common, extension("2.5.29.37", sequence(...purposes), false), ...names];
}

function extension(identifier: string, value: Buffer, critical: boolean): Buffer {
  return sequence(objectIdentifier(identifier), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** Organizations first, then the common name, as kubeadm writes them. */
function distinguishedName({ organizations = [], commonName }: Subject): Buffer {
  const part = (identifier: string, text: string): Buffer =>
    set(sequence(objectIdentifier(identifier), utf8String(text)));
  return sequence(...organizations.map((name) => part("2.5.4.10", name)), part("2.5.4.3", commonName));
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 0 ? tagged(2, Buffer.from(host), false) : tagged(7, addressBytes(host), false);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = address.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1").update(publicKeyInfo(key)).digest();
}

/** Positive, and unlike any other. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
