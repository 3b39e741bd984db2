import type { X509Certificate } from "node:crypto";
import type { CaBundle } from "./ca-bundle.ts";
import { isClientKey, isSignedBy, keyKind } from "./certificate-algorithms.ts";
import {
  basicConstraintsOf,
  type CertificateForm,
  extensionIds,
  extensionOf,
  formOf,
  maySign,
  purposesOf,
} from "../../../../pkg/pki/certificate-form.ts";
import { CertificateError, elementsOf, field, only, SEQUENCE } from "../../../../pkg/pki/der-reader.ts";
import { alternativeNamesOf, checkNames, nameConstraintsOf } from "./name-constraints.ts";

const CLIENT_AUTH = "2b06010505070302";
const ANY_PURPOSE = "551d2500";

/** Those that may be critical. Identifiers of keys and places to ask at must not be (RFC 5280), and so are not here. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  extensionIds.keyUsage,
  extensionIds.subjectAlternativeName,
  extensionIds.basicConstraints,
  extensionIds.nameConstraints,
  extensionIds.distributionPoints,
  extensionIds.policies,
  extensionIds.policyMappings,
  extensionIds.policyConstraints,
  extensionIds.extendedKeyUsage,
  extensionIds.inhibitAnyPolicy,
]);

/** Candidates that are looked at for one certificate at most: a hostile chain must not keep the process busy. */
const MOST_CANDIDATES = 100;

/**
 * Throws a CertificateError unless the first certificate chains to one of the bundle, over the others if need be, and
 * every certificate on the way is sound, in its time and good for clients. Nothing is looked up anywhere.
 *
 * The rules are those of Go's crypto/x509#Verify with the client's purpose, and of what crypto/tls takes of clients;
 * certificate-cases.test-data.ts holds its verdicts. The libraries that there are for this in JavaScript take SHA-1 and
 * short keys, or know nothing of purposes and name constraints: they would need the same table, and more code to obey it.
 */
export function verifyClientChain(
  presented: readonly X509Certificate[],
  bundle: CaBundle,
  nowMs: number,
): void {
  const [leaf, ...intermediates] = presented;
  if (leaf === undefined) throw new CertificateError("there is no certificate");
  for (const certificate of presented) checkForm(certificate);
  if (!isClientKey(leaf)) throw new CertificateError("the key is too weak, or of a kind that is not taken");
  checkItself(leaf, nowMs);
  const search = new ChainSearch(bundle, intermediates, nowMs);
  if (search.find(leaf)) return;
  const problem = search.problem ?? "it is signed by an unknown authority";
  throw new CertificateError(`certificate ${leaf.serialNumber} of ${oneLine(leaf.subject)}: ${problem}`);
}

type Path = readonly X509Certificate[];

/** Depth first over all issuers of the right name; several authorities can have one name. */
class ChainSearch {
  readonly #bundle: CaBundle;
  readonly #intermediates: readonly X509Certificate[];
  readonly #nowMs: number;
  #candidates = 0;
  /** Why a chain that was found did not count. */
  problem: string | undefined;

  constructor(bundle: CaBundle, intermediates: readonly X509Certificate[], nowMs: number) {
    this.#bundle = bundle;
    this.#intermediates = intermediates;
    this.#nowMs = nowMs;
  }

  find(leaf: X509Certificate): boolean {
    if (this.#bundle.certificates.some((root) => root.raw.equals(leaf.raw))) return this.#accepts([leaf]);
    return this.#extend([leaf], leaf);
  }

  #extend(path: Path, last: X509Certificate): boolean {
    const { issuer } = formOf(last);
    const named = (candidate: X509Certificate): boolean => formOf(candidate).subject.equals(issuer);
    return (
      this.#bundle.certificates.some(
        (root) => named(root) && this.#issued(root, last, path) && this.#accepts([...path, root]),
      ) ||
      this.#intermediates.some(
        (candidate) =>
          named(candidate) &&
          this.#issued(candidate, last, path) &&
          this.#tolerates(() => checkIntermediate(candidate), "") &&
          this.#extend([...path, candidate], candidate),
      )
    );
  }

  #issued(issuer: X509Certificate, certificate: X509Certificate, path: Path): boolean {
    if (++this.#candidates > MOST_CANDIDATES) {
      throw new CertificateError("the chain takes too long to check");
    }
    if (path.some((used) => isSame(used, issuer))) return false;
    return this.#tolerates(
      () => checkIssuer(issuer, certificate, path, this.#nowMs),
      "it is signed by an unknown authority: ",
    );
  }

  #accepts(chain: Path): boolean {
    return this.#tolerates(() => checkChain(chain), "");
  }

  /** What is wrong with one way need not be wrong with another. */
  #tolerates(check: () => void, whatFollows: string): boolean {
    try {
      check();
      return true;
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      this.problem ??= whatFollows + error.message;
      return false;
    }
  }
}

function oneLine(name: string): string {
  return name.replaceAll("\n", ",");
}

/** One holder with one key, whoever has signed it: otherwise authorities that vouch for each other never end. */
function isSame(left: X509Certificate, right: X509Certificate): boolean {
  const [one, other] = [formOf(left), formOf(right)];
  const namesOf = (form: CertificateForm): string | undefined =>
    extensionOf(form, extensionIds.subjectAlternativeName)?.value.toString("hex");
  return (
    one.subject.equals(other.subject) && one.keyInfo.equals(other.keyInfo) && namesOf(one) === namesOf(other)
  );
}

/** Whether Go could read it at all. */
function checkForm(certificate: X509Certificate): void {
  const form = formOf(certificate);
  basicConstraintsOf(form);
  maySign(form);
  purposesOf(form);
  alternativeNamesOf(form);
  nameConstraintsOf(form);
}

/** What each certificate of a chain must be: in its time, and understood. */
function checkItself(certificate: X509Certificate, nowMs: number): void {
  const { extensions } = formOf(certificate);
  if (extensions.some(({ id, critical }) => critical && !UNDERSTOOD.has(id))) {
    throw new CertificateError("a certificate has a critical extension that is not understood");
  }
  if (nowMs < certificate.validFromDate.getTime()) {
    throw new CertificateError(
      `a certificate is not valid before ${certificate.validFromDate.toISOString()}`,
    );
  }
  if (nowMs > certificate.validToDate.getTime()) {
    throw new CertificateError(`a certificate expired at ${certificate.validToDate.toISOString()}`);
  }
}

function checkIssuer(
  issuer: X509Certificate,
  certificate: X509Certificate,
  below: Path,
  nowMs: number,
): void {
  checkForm(issuer);
  const form = formOf(issuer);
  const basic = basicConstraintsOf(form);
  // Those of earlier versions have no such constraints, and are authorities where the bundle says so.
  if (basic === undefined ? form.version === 3 : !basic.isAuthority) {
    throw new CertificateError("it is signed by one who is no authority");
  }
  if (!maySign(form)) throw new CertificateError("it is signed with a key that is not for certificates");
  if (keyKind(issuer) === undefined) throw new CertificateError("an authority's key is too weak");
  if (!isSignedBy(certificate, issuer)) {
    throw new CertificateError("its signature is wrong, or made by an algorithm that does not count");
  }
  checkItself(issuer, nowMs);
  if (basic?.pathLength !== undefined && below.length - 1 > basic.pathLength) {
    throw new CertificateError("there are more authorities in the chain than one of them allows");
  }
}

function checkIntermediate(certificate: X509Certificate): void {
  if (basicConstraintsOf(formOf(certificate))?.isAuthority !== true) {
    throw new CertificateError("it is signed by one who is no authority");
  }
}

/** What a whole chain must be, from the leaf to the root. */
function checkChain(chain: Path): void {
  const forms = chain.map(formOf);
  for (const form of forms) {
    const purposes = purposesOf(form);
    if (purposes.length > 0 && !purposes.includes(CLIENT_AUTH) && !purposes.includes(ANY_PURPOSE)) {
      throw new CertificateError("it is not meant for clients");
    }
    if (requiresPolicy(form))
      throw new CertificateError("an authority asks for policies, which are not judged");
  }
  for (const [index, form] of forms.entries()) {
    const names = alternativeNamesOf(form);
    if (names === undefined) continue;
    for (const above of forms.slice(index + 1)) {
      const constraints = nameConstraintsOf(above);
      if (constraints !== undefined) checkNames(names, constraints);
    }
  }
}

function requiresPolicy(form: CertificateForm): boolean {
  const extension = extensionOf(form, extensionIds.policyConstraints);
  if (extension === undefined) return false;
  return elementsOf(only(extension.value, SEQUENCE).content).some(({ tag }) => tag === field(0, false));
}
