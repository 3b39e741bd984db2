import type { X509Certificate } from "node:crypto";

export interface Extension {
  /** The bytes of the object identifier, in hexadecimal. */
  readonly id: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

const BOOLEAN = 0x01;
const INTEGER = 0x02;
/** Field 3 of the signed part, in which the extensions are. */
const EXTENSIONS = 0xa3;

/** The extensions of a certificate, which node:crypto tells only some of. The input is sound DER: OpenSSL has read it. */
export function extensionsOf(certificate: X509Certificate): readonly Extension[] {
  const signed = elements(elements(only(certificate.raw).content)[0]?.content);
  const wrapped = signed.find(({ tag }) => tag === EXTENSIONS);
  if (wrapped === undefined) return [];
  return elements(only(wrapped.content).content).map(({ content }) => {
    const parts = elements(content);
    return {
      id: parts[0]?.content.toString("hex") ?? "",
      critical: parts[1]?.tag === BOOLEAN && parts[1].content[0] !== 0,
      value: parts.at(-1)?.content ?? Buffer.alloc(0),
    };
  });
}

/** How many authorities may stand between one with these basic constraints and a leaf; undefined: any number. */
export function pathLengthOf(basicConstraints: Buffer): number | undefined {
  const length = elements(only(basicConstraints).content).find(({ tag }) => tag === INTEGER);
  return length === undefined ? undefined : length.content.reduce((value, byte) => value * 256 + byte, 0);
}

function only(bytes: Buffer): Element {
  const [first] = elements(bytes);
  if (first === undefined) throw new Error("a certificate is cut off");
  return first;
}

function elements(bytes: Buffer = Buffer.alloc(0)): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 1 < bytes.length;) {
    const tag = bytes.readUInt8(at);
    let length = bytes.readUInt8(at + 1);
    let start = at + 2;
    // Above 127 the byte tells how many bytes of length follow.
    if (length > 0x7f) {
      const count = length & 0x7f;
      length = bytes.readUIntBE(start, count);
      start += count;
    }
    found.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
