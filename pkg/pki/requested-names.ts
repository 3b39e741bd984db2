import { formatGoUrl, parseGoUrl } from "../api/go-url.ts";
import { type Steps, STEP } from "../api/steps.ts";
import { sequenceOf, tagged } from "./der.ts";
import { CertificateError, ElementReader, field, malformed, SEQUENCE, shortTag } from "./der-reader.ts";

/** What else than its subject a request is about. */
export interface RequestedNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  /** 4 or 16 bytes each. */
  readonly ipAddresses: readonly Buffer[];
  /** As Go writes them. */
  readonly uris: readonly string[];
}

export const NO_NAMES: RequestedNames = Object.freeze({
  dnsNames: [],
  emailAddresses: [],
  ipAddresses: [],
  uris: [],
});

const EMAIL = field(1, false);
const DNS = field(2, false);
const URI = field(6, false);
const ADDRESS = field(7, false);

/** upstream: crypto/x509/parser.go#parseSANExtension */
export function* readRequestedNames(value: Buffer): Steps<RequestedNames> {
  const reader = new ElementReader(new ElementReader(value).read(SEQUENCE).content);
  const dnsNames: string[] = [];
  const emailAddresses: string[] = [];
  const ipAddresses: Buffer[] = [];
  const uris: string[] = [];
  for (let count = 1; !reader.isAtEnd; count++) {
    const { tag, content } = shortTag(reader.next());
    if (tag === EMAIL) emailAddresses.push(plainText(content));
    else if (tag === DNS) dnsNames.push(plainText(content));
    else if (tag === URI) uris.push(readUri(plainText(content)));
    else if (tag === ADDRESS) ipAddresses.push(readAddress(content));
    if (count % STEP === 0) yield;
  }
  return { dnsNames, emailAddresses, ipAddresses, uris };
}

/** In the order of Go, whatever it was. upstream: crypto/x509/x509.go#marshalSANs */
export function* writeRequestedNames(names: RequestedNames): Steps<Buffer> {
  const groups: Buffer[] = [];
  let elements: Buffer[] = [];
  const contents = [
    [2, names.dnsNames],
    [1, names.emailAddresses],
    [7, names.ipAddresses],
    [6, names.uris],
  ] as const;
  for (const [number, each] of contents) {
    for (const name of each) {
      const content = typeof name === "string" ? Buffer.from(name, "latin1") : shortAddress(name);
      elements.push(tagged(number, content, false));
      if (elements.length < STEP) continue;
      // Putting together hundreds of thousands at once would take too long.
      groups.push(Buffer.concat(elements));
      elements = [];
      yield;
    }
  }
  return sequenceOf([...groups, ...elements]);
}

export function hasNames({ dnsNames, emailAddresses, ipAddresses, uris }: RequestedNames): boolean {
  return dnsNames.length + emailAddresses.length + ipAddresses.length + uris.length > 0;
}

function plainText(content: Buffer): string {
  const text = content.toString("latin1");
  // eslint-disable-next-line no-control-regex
  if (/[^\u0000-\u007F]/.test(text)) throw malformed();
  return text;
}

function readUri(text: string): string {
  const url = parseGoUrl(text);
  if (url === undefined) throw new CertificateError(`${JSON.stringify(text)} is no URI`);
  const { host } = url;
  if (host !== "" && (!/^[!-~]+$/.test(host) || host.split(".").includes(""))) {
    throw new CertificateError(`the host of the URI ${JSON.stringify(text)} is none`);
  }
  return formatGoUrl(url);
}

function readAddress(content: Buffer): Buffer {
  if (content.length !== 4 && content.length !== 16)
    throw new CertificateError("an IP address has another length");
  return content;
}

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** One of IPv4, even if it is written as one of IPv6. */
function shortAddress(address: Buffer): Buffer {
  return address.length === 16 && address.subarray(0, 12).equals(MAPPED) ? address.subarray(12) : address;
}
