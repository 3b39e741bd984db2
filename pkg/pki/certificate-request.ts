import { type Steps, STEP } from "../api/steps.ts";
import { checkBits, bitsOf, checkInteger } from "./asn1-values.ts";
import {
  BIT_STRING,
  BOOLEAN,
  CertificateError,
  checkObjectIdentifier,
  type Element,
  ElementReader,
  field,
  INTEGER,
  malformed,
  OBJECT_IDENTIFIER,
  OCTET_STRING,
  SEQUENCE,
  SET,
} from "./der-reader.ts";
import { decodePem } from "./pem.ts";
import { type PublicKeyInfo, readAlgorithm, readPublicKey } from "./public-key.ts";
import { NO_NAMES, readRequestedNames, type RequestedNames } from "./requested-names.ts";
import { lastOf, readSubject, type SubjectName } from "./subject.ts";

/** The algorithm that something is signed with. */
export interface SignatureForm {
  /** Identifier of the algorithm, in hexadecimal, and what is said of it. */
  readonly algorithm: string;
  readonly parameters: Buffer;
  readonly signature: Buffer;
  readonly signed: Buffer;
}

/** What somebody wants to be certified (PKCS #10, RFC 2986). */
export interface CertificateRequest extends RequestedNames {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly subject: SubjectName;
  /** Undefined for a kind of key that nobody here can read. */
  readonly publicKey: PublicKeyInfo | undefined;
  readonly form: SignatureForm;
}

const EXTENSION_REQUEST = "2a864886f70d01090e";
const SUBJECT_ALTERNATIVE_NAME = "551d11";

/** The one that a text (of one character a byte) begins with. Throws a CertificateError for all else. */
export function* readPemRequest(text: string): Steps<CertificateRequest> {
  const block = decodePem(text);
  if (block?.type !== "CERTIFICATE REQUEST") {
    throw new CertificateError("PEM block type must be CERTIFICATE REQUEST");
  }
  return yield* readRequest(block.bytes);
}

/**
 * Throws a CertificateError for what Go does not read as a request. The signature has yet to be checked.
 * upstream: crypto/x509/x509.go#ParseCertificateRequest
 */
export function* readRequest(der: Buffer): Steps<CertificateRequest> {
  const whole = new ElementReader(der);
  const parts = new ElementReader(whole.read(SEQUENCE).content);
  if (!whole.isAtEnd) throw new CertificateError("there is something behind the request");
  const signed = parts.read(SEQUENCE);
  const { identifier, parameters } = readAlgorithm(parts.read(SEQUENCE));
  const signature = bitsOf(parts.read(BIT_STRING).content);

  const fields = new ElementReader(signed.content);
  checkInteger(fields.read(INTEGER).content, 8);
  const subjectBytes = fields.next().raw;
  const keyParts = new ElementReader(fields.read(SEQUENCE).content);
  const keyAlgorithm = readAlgorithm(keyParts.read(SEQUENCE));
  const keyBits = keyParts.read(BIT_STRING).content;
  checkBits(keyBits);
  const attributes = fields.read(field(0, true));

  const publicKey = readPublicKey(keyAlgorithm, bitsOf(keyBits));
  const subject = yield* readSubject(subjectBytes);
  const names = yield* readNames(yield* requestedExtensions(attributes));
  return {
    subject,
    commonName: lastOf(subject.commonNames),
    organizations: subject.organizations,
    publicKey,
    form: { algorithm: identifier, parameters, signature, signed: signed.raw },
    ...names,
  };
}

interface RequestedExtension {
  readonly id: string;
  readonly value: Buffer;
}

function* requestedExtensions({ content }: Element): Steps<readonly RequestedExtension[]> {
  const reader = new ElementReader(content);
  const values: Buffer[] = [];
  for (let count = 1; !reader.isAtEnd; count++) {
    const value = extensionRequestOf(reader.next());
    if (value !== undefined) values.push(value);
    if (count % STEP === 0) yield;
  }
  const found = new Map<string, RequestedExtension>();
  for (const value of values) {
    for (const extension of yield* readExtensions(value)) {
      if (found.has(extension.id)) throw new CertificateError("an extension is requested twice");
      found.set(extension.id, extension);
    }
  }
  return [...found.values()];
}

/** The first value of an attribute that requests extensions; others, whatever they are made of, count for nothing. */
function extensionRequestOf({ tag, content }: Element): Buffer | undefined {
  if (tag !== SEQUENCE) return undefined;
  try {
    const reader = new ElementReader(content);
    const { content: id } = reader.read(OBJECT_IDENTIFIER);
    checkObjectIdentifier(id);
    if (id.toString("hex") !== EXTENSION_REQUEST) return undefined;
    const values = new ElementReader(reader.read(SET).content);
    const first = values.isAtEnd ? undefined : values.next().raw;
    while (!values.isAtEnd) values.next();
    return first;
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}

function* readExtensions(value: Buffer): Steps<readonly RequestedExtension[]> {
  const reader = new ElementReader(new ElementReader(value).read(SEQUENCE).content);
  const extensions: RequestedExtension[] = [];
  while (!reader.isAtEnd) {
    const parts = new ElementReader(reader.read(SEQUENCE).content);
    const id = parts.read(OBJECT_IDENTIFIER).content;
    checkObjectIdentifier(id);
    const critical = parts.readIf(BOOLEAN)?.content;
    if (critical !== undefined && !/^(00|ff)$/.test(critical.toString("hex"))) throw malformed();
    extensions.push({ id: id.toString("hex"), value: parts.read(OCTET_STRING).content });
    if (extensions.length % STEP === 0) yield;
  }
  return extensions;
}

function* readNames(extensions: readonly RequestedExtension[]): Steps<RequestedNames> {
  const names = extensions.find(({ id }) => id === SUBJECT_ALTERNATIVE_NAME);
  return names === undefined ? NO_NAMES : yield* readRequestedNames(names.value);
}
