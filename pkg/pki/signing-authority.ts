import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Steps } from "../api/steps.ts";
import { certificateContent, extension, signedCertificate } from "./certificate-content.ts";
import { type CertificateForm, extensionIds, extensionOf, formOf } from "./certificate-form.ts";
import type { CertificateRequest } from "./certificate-request.ts";
import { bitString, objectIdentifier, sequence, tagged } from "./der.ts";
import { CertificateError, OCTET_STRING, only } from "./der-reader.ts";
import { allPemBlocks } from "./pem.ts";
import { hasNames, writeRequestedNames } from "./requested-names.ts";
import { type SignatureWork, type Signing, signingWith } from "./signatures.ts";
import { writeSubject } from "./subject.ts";

/** What a certificate says beside what was requested. */
export interface CertificateTerms {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Numbers of the bits that are set: digitalSignature is 0, decipherOnly 8. */
  readonly keyUsages: readonly number[];
  /** Object identifiers. */
  readonly extendedKeyUsages: readonly string[];
}

export interface SigningMeans {
  /** Runs a long decision, and others where it pauses. */
  readonly run: <R>(steps: Steps<R>) => Promise<R>;
  readonly signatures: Pick<SignatureWork, "sign">;
}

const EMPTY_NAME = sequence();

/** A certificate and its key, with which the requests of others are signed. */
export class SigningAuthority {
  /** Nothing that it signs is valid for longer. */
  readonly notAfterMs: number;
  readonly #form: CertificateForm;
  readonly #key: KeyObject;
  readonly #signing: Signing;

  private constructor(certificate: X509Certificate, key: KeyObject) {
    this.notAfterMs = certificate.validToDate.getTime();
    this.#form = formOf(certificate);
    this.#key = key;
    this.#signing = signingWith(key);
  }

  /** Throws when these are not one certificate and its key, whole and in PEM. Nothing of the key is in what it throws. */
  static fromPem(cert: string, key: string): SigningAuthority {
    const blocks = allPemBlocks(cert).filter(({ type, hasHeaders }) => type === "CERTIFICATE" && !hasHeaders);
    const [block] = blocks;
    if (block === undefined || blocks.length > 1)
      throw new CertificateError(`expected 1 certificate, found ${blocks.length}`);
    const certificate = certificateOf(block.bytes);
    const privateKey = privateKeyOf(key);
    if (!certificate.checkPrivateKey(privateKey))
      throw new CertificateError("the private key is not that of the certificate");
    return new SigningAuthority(certificate, privateKey);
  }

  /**
   * The certificate that was requested, in PEM: with subject, names and key of the request, and with nothing else of it.
   * The signature of the request has been checked. upstream: crypto/x509/x509.go#CreateCertificate
   */
  async sign(
    request: CertificateRequest,
    terms: CertificateTerms,
    { run, signatures }: SigningMeans,
  ): Promise<string> {
    const { publicKey } = request;
    if (publicKey === undefined) throw new CertificateError("the key of the request is of no known kind");
    const subject = await run(writeSubject(request.subject));
    const { algorithm } = this.#signing;
    const content = certificateContent({
      algorithm,
      issuer: this.#form.subject,
      subject,
      publicKey: publicKey.info,
      extensions: [
        ...usageExtensions(terms),
        // Not an authority.
        extension("2.5.29.19", sequence(), true),
        ...this.#issuerKey(subject),
        ...(hasNames(request)
          ? [extension("2.5.29.17", await run(writeRequestedNames(request)), subject.equals(EMPTY_NAME))]
          : []),
      ],
      notBeforeMs: terms.notBeforeMs,
      notAfterMs: terms.notAfterMs,
    });
    return signedCertificate(content, algorithm, await signatures.sign(content, this.#key, this.#signing));
  }

  /** How its key is known. Left out where the name is that of the authority, and where the authority does not tell. */
  #issuerKey(subject: Buffer): readonly Buffer[] {
    const identifier = extensionOf(this.#form, extensionIds.subjectKeyIdentifier);
    if (identifier === undefined || subject.equals(this.#form.subject)) return [];
    const { content } = only(identifier.value, OCTET_STRING);
    return content.length === 0 ? [] : [extension("2.5.29.35", sequence(tagged(0, content, false)), false)];
  }
}

function usageExtensions({ keyUsages, extendedKeyUsages }: CertificateTerms): readonly Buffer[] {
  const extensions: Buffer[] = [];
  if (keyUsages.length > 0) {
    const last = Math.max(...keyUsages);
    const bits = Buffer.alloc(last >> 3 === 0 ? 1 : 2);
    for (const number of keyUsages) bits[number >> 3] = (bits[number >> 3] ?? 0) | (0x80 >> (number & 7));
    extensions.push(extension("2.5.29.15", bitString(bits, 7 - (last & 7)), true));
  }
  if (extendedKeyUsages.length > 0)
    extensions.push(extension("2.5.29.37", sequence(...extendedKeyUsages.map(objectIdentifier)), false));
  return extensions;
}

function certificateOf(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (error) {
    throw new CertificateError("the certificate cannot be read", error);
  }
}

function privateKeyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new CertificateError("the private key cannot be read", error);
  }
}
