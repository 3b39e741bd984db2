import { createHash, type KeyObject, sign } from "node:crypto";
import { isIP } from "node:net";
import { certificateContent, extension, signedCertificate } from "./certificate-content.ts";
import {
  bitString,
  boolean,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  utf8String,
} from "./der.ts";
import { signingWith } from "./signatures.ts";

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

const SERVER_AUTH = objectIdentifier("1.3.6.1.5.5.7.3.1");
const CLIENT_AUTH = objectIdentifier("1.3.6.1.5.5.7.3.2");

/** Bits of the key usage, from the highest: digitalSignature, …, keyCertSign (5), cRLSign (6). */
const SIGNS = { bits: Buffer.of(0b1000_0000), unused: 7 };
const SIGNS_CERTIFICATES = { bits: Buffer.of(0b1000_0110), unused: 1 };

/** An X.509 certificate (RFC 5280) in PEM. */
export function signCertificate(facts: CertificateFacts): string {
  const { signingKey } = facts;
  const { algorithm, digest } = signingWith(signingKey);
  const content = certificateContent({
    algorithm,
    issuer: distinguishedName(facts.issuer),
    subject: distinguishedName(facts.subject),
    publicKey: publicKeyInfo(facts.publicKey),
    extensions: extensions(facts),
    notBeforeMs: facts.notBeforeMs,
    notAfterMs: facts.notAfterMs,
  });
  return signedCertificate(
    content,
    algorithm,
    sign(digest, content, { key: signingKey, dsaEncoding: "der" }),
  );
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
