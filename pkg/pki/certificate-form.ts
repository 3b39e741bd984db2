import type { X509Certificate } from "node:crypto";
import {
  BIT_STRING,
  BOOLEAN,
  CertificateError,
  type Element,
  elementsOf,
  field,
  INTEGER,
  malformed,
  OBJECT_IDENTIFIER,
  OCTET_STRING,
  only,
  SEQUENCE,
} from "./der-reader.ts";

export interface Extension {
  /** The bytes of the object identifier, in hexadecimal. */
  readonly id: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

/** What node:crypto does not tell of a certificate. Names and keys are compared by their bytes, as Go does. */
export interface CertificateForm {
  /** 1 to 3. */
  readonly version: number;
  /** The identifier of the algorithm that it is signed with, in hexadecimal, and all that is said of it. */
  readonly signatureAlgorithm: string;
  readonly signatureParameters: Buffer;
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly keyInfo: Buffer;
  readonly extensions: readonly Extension[];
}

/** Identifiers of extensions, as their bytes in hexadecimal. */
export const extensionIds = {
  subjectKeyIdentifier: "551d0e",
  keyUsage: "551d0f",
  subjectAlternativeName: "551d11",
  basicConstraints: "551d13",
  nameConstraints: "551d1e",
  distributionPoints: "551d1f",
  policies: "551d20",
  policyMappings: "551d21",
  policyConstraints: "551d24",
  extendedKeyUsage: "551d25",
  inhibitAnyPolicy: "551d36",
} as const;

const known = new WeakMap<X509Certificate, CertificateForm>();

/** Throws a CertificateError for what Go would not read as a certificate. upstream: crypto/x509/parser.go */
export function formOf(certificate: X509Certificate): CertificateForm {
  const form = known.get(certificate) ?? read(certificate.raw);
  known.set(certificate, form);
  return form;
}

export function extensionOf({ extensions }: CertificateForm, id: string): Extension | undefined {
  return extensions.find((extension) => extension.id === id);
}

function read(raw: Buffer): CertificateForm {
  const [signed, outerAlgorithm] = elementsOf(only(raw, SEQUENCE).content);
  if (signed?.tag !== SEQUENCE || outerAlgorithm === undefined) throw malformed();
  const fields = elementsOf(signed.content);
  const versionField = fields[0]?.tag === field(0, true) ? fields[0] : undefined;
  const [serial, algorithm, issuer, , subject, keyInfo, ...rest] = versionField ? fields.slice(1) : fields;
  if (serial?.tag !== INTEGER || !algorithm || !issuer || !subject || !keyInfo) throw malformed();
  const version = versionField === undefined ? 1 : versionOf(versionField);
  if ((serial.content[0] ?? 0x80) >= 0x80) throw new CertificateError("a serial number is negative");
  if (!algorithm.raw.equals(outerAlgorithm.raw)) {
    throw new CertificateError("a certificate names two algorithms of its signature");
  }
  const [identifier, ...parameters] = elementsOf(algorithm.content);
  if (identifier?.tag !== OBJECT_IDENTIFIER) throw malformed();
  const extensions = version === 3 ? rest.find(({ tag }) => tag === field(3, true)) : undefined;
  return {
    version,
    signatureAlgorithm: identifier.content.toString("hex"),
    signatureParameters: Buffer.concat(parameters.map((parameter) => parameter.raw)),
    issuer: issuer.raw,
    subject: subject.raw,
    keyInfo: keyInfo.raw,
    extensions: extensions === undefined ? [] : readExtensions(extensions),
  };
}

function versionOf({ content }: Element): number {
  const number = only(content, INTEGER).content;
  const version = 1 + (number[0] ?? 0);
  if (number.length !== 1 || version > 3) throw malformed();
  return version;
}

function readExtensions({ content }: Element): readonly Extension[] {
  const extensions = elementsOf(only(content, SEQUENCE).content).map((each) => {
    const parts = elementsOf(each.content);
    const value = parts.at(-1);
    if (parts[0]?.tag !== OBJECT_IDENTIFIER || value?.tag !== OCTET_STRING) throw malformed();
    const critical = parts[1]?.tag === BOOLEAN && parts[1].content[0] !== 0;
    return { id: parts[0].content.toString("hex"), critical, value: value.content };
  });
  if (new Set(extensions.map(({ id }) => id)).size < extensions.length) {
    throw new CertificateError("a certificate has an extension twice");
  }
  return extensions;
}

export interface BasicConstraints {
  readonly isAuthority: boolean;
  /** Authorities that may stand between this one and a leaf; undefined: any number. */
  readonly pathLength: number | undefined;
}

export function basicConstraintsOf(form: CertificateForm): BasicConstraints | undefined {
  const extension = extensionOf(form, extensionIds.basicConstraints);
  if (extension === undefined) return undefined;
  const parts = elementsOf(only(extension.value, SEQUENCE).content);
  const isAuthority = parts.some(({ tag, content }) => tag === BOOLEAN && content[0] !== 0);
  const length = parts.find(({ tag }) => tag === INTEGER)?.content;
  return { isAuthority, pathLength: length?.reduce((value, byte) => value * 256 + byte, 0) };
}

/** Whether it may sign certificates, as far as its key usage says: one without any may do everything. */
export function maySign(form: CertificateForm): boolean {
  const extension = extensionOf(form, extensionIds.keyUsage);
  if (extension === undefined) return true;
  const bits = only(extension.value, BIT_STRING).content.subarray(1);
  const none = bits.every((byte) => byte === 0);
  return none || ((bits[0] ?? 0) & 0b0000_0100) !== 0;
}

/** The purposes that it is for, as identifiers in hexadecimal; empty: all. */
export function purposesOf(form: CertificateForm): readonly string[] {
  const extension = extensionOf(form, extensionIds.extendedKeyUsage);
  if (extension === undefined) return [];
  return elementsOf(only(extension.value, SEQUENCE).content).map(({ tag, content }) => {
    if (tag !== OBJECT_IDENTIFIER) throw malformed();
    return content.toString("hex");
  });
}
