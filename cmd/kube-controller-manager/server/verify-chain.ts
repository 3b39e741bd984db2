import type { X509Certificate } from "node:crypto";
import type { CaBundle } from "./ca-bundle.ts";
import { extensionsOf, pathLengthOf } from "./certificate-extensions.ts";

export class CertificateError extends Error {
  readonly code = "Certificate";
  constructor(message: string) {
    super(message);
    this.name = "CertificateError";
  }
}

const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
const ANY_USAGE = "2.5.29.37.0";

const SUBJECT_ALTERNATIVE_NAME = "551d11";
const BASIC_CONSTRAINTS = "551d13";
const NAME_CONSTRAINTS = "551d1e";
/** Those that are understood here or by OpenSSL's own check of who issued whom. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  SUBJECT_ALTERNATIVE_NAME,
  BASIC_CONSTRAINTS,
  NAME_CONSTRAINTS,
  "551d0e", // subject key identifier
  "551d0f", // key usage
  "551d20", // certificate policies
  "551d23", // authority key identifier
  "551d25", // extended key usage
]);

/** Signatures that are checked for one certificate at most: a hostile chain must not keep the process busy. */
const MOST_SIGNATURES = 100;

/**
 * Throws unless the first certificate chains to one of the bundle, over the others if need be, and every certificate on
 * the way is in its time and good for clients. Nothing is looked up anywhere.
 */
export function verifyClientChain(
  presented: readonly X509Certificate[],
  bundle: CaBundle,
  nowMs: number,
): void {
  const [leaf, ...intermediates] = presented;
  if (leaf === undefined) throw new CertificateError("there is no certificate");
  checkTime(leaf, nowMs);
  checkExtensions(leaf);
  const search = new ChainSearch(bundle, intermediates, nowMs);
  if (search.find([leaf])) return;
  const problem = search.problem ?? "it is signed by an unknown authority";
  throw new CertificateError(`certificate ${leaf.serialNumber} of ${oneLine(leaf.subject)}: ${problem}`);
}

/** Depth first over all issuers that fit; several authorities can have one name. */
class ChainSearch {
  readonly #bundle: CaBundle;
  readonly #intermediates: readonly X509Certificate[];
  readonly #nowMs: number;
  #signatures = 0;
  /** Why a chain that was complete did not count. */
  problem: string | undefined;

  constructor(bundle: CaBundle, intermediates: readonly X509Certificate[], nowMs: number) {
    this.#bundle = bundle;
    this.#intermediates = intermediates;
    this.#nowMs = nowMs;
  }

  find(path: readonly X509Certificate[]): boolean {
    const last = path.at(-1);
    if (last === undefined) return false;
    if (this.#bundle.certificates.some((root) => isSame(root, last))) return this.#accepts(path);
    for (const root of this.#bundle.certificates) {
      if (this.#issued(root, last, path) && this.#accepts([...path, root])) return true;
    }
    return this.#intermediates.some(
      (candidate) =>
        !path.some((used) => isSame(used, candidate)) &&
        this.#issued(candidate, last, path) &&
        this.find([...path, candidate]),
    );
  }

  #issued(issuer: X509Certificate, certificate: X509Certificate, path: readonly X509Certificate[]): boolean {
    if (!issuer.ca || !certificate.checkIssued(issuer)) return false;
    if (++this.#signatures > MOST_SIGNATURES) throw new CertificateError("the chain takes too long to check");
    if (!certificate.verify(issuer.publicKey)) return false;
    try {
      checkTime(issuer, this.#nowMs);
      checkExtensions(issuer);
      checkConstraints(issuer, path);
      return true;
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      this.problem = error.message;
      return false;
    }
  }

  #accepts(chain: readonly X509Certificate[]): boolean {
    const allows = ({ keyUsage }: X509Certificate): boolean =>
      keyUsage === undefined || keyUsage.includes(CLIENT_AUTH) || keyUsage.includes(ANY_USAGE);
    if (chain.every(allows)) return true;
    this.problem = "it is not meant for clients";
    return false;
  }
}

function oneLine(name: string): string {
  return name.replaceAll("\n", ",");
}

function isSame(left: X509Certificate, right: X509Certificate): boolean {
  return left.raw.equals(right.raw);
}

function checkTime(certificate: X509Certificate, nowMs: number): void {
  if (nowMs < certificate.validFromDate.getTime()) {
    throw new CertificateError(
      `a certificate is not valid before ${certificate.validFromDate.toISOString()}`,
    );
  }
  if (nowMs > certificate.validToDate.getTime()) {
    throw new CertificateError(`a certificate expired at ${certificate.validToDate.toISOString()}`);
  }
}

function checkExtensions(certificate: X509Certificate): void {
  const unknown = extensionsOf(certificate).find(({ id, critical }) => critical && !UNDERSTOOD.has(id));
  if (unknown !== undefined) {
    throw new CertificateError("a certificate has a critical extension that is not understood");
  }
}

/**
 * What an authority's certificate says about those below it. Name constraints are not evaluated: under such an authority
 * no certificate is taken that has names for them to apply to.
 */
function checkConstraints(authority: X509Certificate, below: readonly X509Certificate[]): void {
  const extensions = extensionsOf(authority);
  const basic = extensions.find(({ id }) => id === BASIC_CONSTRAINTS);
  const limit = basic && pathLengthOf(basic.value);
  if (limit !== undefined && below.length - 1 > limit) {
    throw new CertificateError("there are more authorities in the chain than one of them allows");
  }
  if (!extensions.some(({ id }) => id === NAME_CONSTRAINTS)) return;
  const named = below.some((lower) => extensionsOf(lower).some(({ id }) => id === SUBJECT_ALTERNATIVE_NAME));
  if (named) throw new CertificateError("an authority with name constraints signed a certificate with names");
}
