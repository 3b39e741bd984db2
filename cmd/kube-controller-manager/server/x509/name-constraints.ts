import { type CertificateForm, extensionIds, extensionOf } from "../../../../pkg/pki/certificate-form.ts";
import {
  CertificateError,
  elementsOf,
  field,
  malformed,
  only,
  SEQUENCE,
} from "../../../../pkg/pki/der-reader.ts";

/** The names of a certificate that constraints can apply to. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  /** 4 or 16 bytes each. */
  readonly addresses: readonly Buffer[];
  readonly emails: number;
  readonly uris: number;
}

const EMAIL = field(1, false);
const DNS = field(2, false);
const URI = field(6, false);
const ADDRESS = field(7, false);

/** Undefined without the extension. Throws a CertificateError for names that are not built as they should be. */
export function alternativeNamesOf(form: CertificateForm): AlternativeNames | undefined {
  const extension = extensionOf(form, extensionIds.subjectAlternativeName);
  if (extension === undefined) return undefined;
  const names = elementsOf(only(extension.value, SEQUENCE).content);
  const ofKind = (kind: number): readonly Buffer[] =>
    names.filter(({ tag }) => tag === kind).map(({ content }) => content);
  const addresses = ofKind(ADDRESS);
  if (addresses.some(({ length }) => length !== 4 && length !== 16)) throw malformed();
  const texts = [EMAIL, DNS, URI].flatMap(ofKind);
  if (texts.some((text) => text.some((byte) => byte > 0x7f))) throw malformed();
  if (extension.critical && texts.length + addresses.length === 0) {
    throw new CertificateError("a certificate has critical names of kinds that are not understood");
  }
  const dns = ofKind(DNS).map((name) => name.toString("latin1"));
  return { dns, addresses, emails: ofKind(EMAIL).length, uris: ofKind(URI).length };
}

interface Subtrees {
  readonly dns: readonly string[];
  readonly networks: readonly { readonly address: Buffer; readonly mask: Buffer }[];
}

export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
}

/** Throws a CertificateError for critical ones of kinds that are not understood. */
export function nameConstraintsOf(form: CertificateForm): NameConstraints | undefined {
  const extension = extensionOf(form, extensionIds.nameConstraints);
  if (extension === undefined) return undefined;
  const parts = elementsOf(only(extension.value, SEQUENCE).content);
  const subtrees = (number: number): readonly { readonly tag: number; readonly content: Buffer }[] => {
    const part = parts.find(({ tag }) => tag === field(number, true));
    return elementsOf(part?.content ?? Buffer.alloc(0)).map(({ tag, content }) => {
      const [base] = elementsOf(content);
      if (tag !== SEQUENCE || base === undefined) throw malformed();
      return base;
    });
  };
  const [permitted, excluded] = [subtrees(0), subtrees(1)];
  const all = [...permitted, ...excluded];
  if (all.length === 0) throw malformed();
  if (extension.critical && all.some(({ tag }) => ![DNS, ADDRESS, EMAIL, URI].includes(tag))) {
    throw new CertificateError("a certificate has critical constraints of names that are not understood");
  }
  return { permitted: read(permitted), excluded: read(excluded) };
}

function read(bases: readonly { readonly tag: number; readonly content: Buffer }[]): Subtrees {
  const ofKind = (kind: number): readonly Buffer[] =>
    bases.filter(({ tag }) => tag === kind).map(({ content }) => content);
  const dns = ofKind(DNS).map((name) => name.toString("latin1").toLowerCase());
  if (dns.some((name) => !/^[!-~]*$/.test(name) || name.endsWith(".") || name.includes(".."))) {
    throw malformed();
  }
  const networks = ofKind(ADDRESS).map((bytes) => {
    const half = bytes.length / 2;
    const mask = bytes.subarray(half);
    if ((half !== 4 && half !== 16) || !isMask(mask)) throw malformed();
    return { address: bytes.subarray(0, half), mask };
  });
  return { dns, networks };
}

/** Ones, then zeros. */
function isMask(mask: Buffer): boolean {
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return /^1*0*$/.test(bits);
}

/**
 * Throws a CertificateError for a name that the constraints of an authority above do not allow. Mail addresses and URIs
 * are not judged: under constraints there may be none.
 */
export function checkNames(names: AlternativeNames, { permitted, excluded }: NameConstraints): void {
  if (names.emails + names.uris > 0) throw refused("a mail address or a URI");
  for (const name of names.dns.map((each) => each.toLowerCase())) {
    if (!/^[!-~]*$/.test(name) || name.endsWith(".") || name.includes("..")) throw malformed();
    const isPermitted = permitted.dns.length === 0 || permitted.dns.some((tree) => isBelow(name, tree));
    const isExcluded = excluded.dns.some((tree) => isBelow(name, tree) || isCovered(name, tree));
    if (!isPermitted || isExcluded) throw refused(JSON.stringify(name));
  }
  for (const address of names.addresses) {
    const isIn = ({ networks }: Subtrees): boolean => networks.some((network) => contains(network, address));
    if ((permitted.networks.length > 0 && !isIn(permitted)) || isIn(excluded)) throw refused("an address");
  }
}

function refused(what: string): CertificateError {
  return new CertificateError(`an authority's name constraints do not allow ${what}`);
}

/** "a.b" is below "a.b", "b" and ".b", not below ".a.b". */
function isBelow(name: string, tree: string): boolean {
  if (tree === "") return true;
  return name === tree || name.endsWith(tree.startsWith(".") ? tree : `.${tree}`);
}

/** "*.b" stands for "a.b", too. */
function isCovered(name: string, tree: string): boolean {
  return name.startsWith("*.") && tree.includes(".") && name.slice(1) === tree.slice(tree.indexOf("."));
}

function contains(
  { address, mask }: { readonly address: Buffer; readonly mask: Buffer },
  candidate: Buffer,
): boolean {
  return (
    candidate.length === address.length &&
    candidate.every((byte, index) => ((byte ^ (address[index] ?? 0)) & (mask[index] ?? 0)) === 0)
  );
}
