import { malformed } from "./der-reader.ts";

const UTF8_STRING = 0x0c;
const NUMERIC_STRING = 0x12;
const PRINTABLE_STRING = 0x13;
const T61_STRING = 0x14;
const IA5_STRING = 0x16;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const BMP_STRING = 0x1e;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** In as few bytes as it takes, and of so many at the most. */
export function checkInteger(content: Buffer, mostBytes: number): void {
  const [first, second = 0] = content;
  if (first === undefined || content.length > mostBytes) throw malformed();
  const isPadded = (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
  if (content.length > 1 && isPadded) throw malformed();
}

/** The bits that do not count are 0. */
export function checkBits(content: Buffer): void {
  const unused = content[0];
  if (unused === undefined || unused > 7 || (content.length === 1 && unused > 0)) throw malformed();
  if (((content.at(-1) ?? 0) & ((1 << unused) - 1)) !== 0) throw malformed();
}

/** The bits, moved to the right by those that do not count. upstream: encoding/asn1#BitString.RightAlign */
export function bitsOf(content: Buffer): Buffer {
  checkBits(content);
  const unused = content[0] ?? 0;
  const bytes = content.subarray(1);
  if (unused === 0) return bytes;
  const aligned = Buffer.alloc(bytes.length);
  for (const [index, byte] of bytes.entries()) {
    const before = index === 0 ? 0 : (bytes[index - 1] ?? 0);
    aligned[index] = ((before << (8 - unused)) | (byte >> unused)) & 0xff;
  }
  return aligned;
}

/** The text of a string; undefined for elements that are none. */
export function stringOf(tag: number, content: Buffer): string | undefined {
  switch (tag) {
    case UTF8_STRING:
      return decodeUtf8(content);
    case NUMERIC_STRING:
      return latin(content, /^[0-9 ]*$/);
    case PRINTABLE_STRING:
      // The asterisk and the ampersand do not belong to it, and occur.
      return latin(content, /^[A-Za-z0-9'()+,\-./:=? *&]*$/);
    case IA5_STRING:
      // eslint-disable-next-line no-control-regex
      return latin(content, /^[\u0000-\u007F]*$/);
    case T61_STRING:
      return content.toString("latin1");
    case BMP_STRING:
      return decodeBmp(content);
    default:
      return undefined;
  }
}

function latin(content: Buffer, allowed: RegExp): string {
  const text = content.toString("latin1");
  if (!allowed.test(text)) throw malformed();
  return text;
}

function decodeUtf8(content: Buffer): string {
  try {
    return utf8.decode(content);
  } catch (error) {
    if (error instanceof TypeError) throw malformed();
    throw error;
  }
}

/** Two bytes a character, no surrogates, and no characters that are none; a zero at the end is none either. */
function decodeBmp(content: Buffer): string {
  if (content.length % 2 !== 0) throw malformed();
  const text = Buffer.from(content).swap16().toString("utf16le");
  const kept = text.endsWith("\u0000") ? text.slice(0, -1) : text;
  if (/[\uFFFE\uFFFF\uFDD0-\uFDEF\uD800-\uDFFF]/.test(kept)) throw malformed();
  return kept;
}

/** Years of two digits or four, a zone that is UTC by its letter or an offset. */
const UTC = /^(?<year>\d\d)(?<rest>\d{8}(?:\d\d)?)(?<zone>Z|[+-]\d{4})$/;
const GENERALIZED = /^(?<year>\d{4})(?<rest>\d{10})(?:\.\d{0,8}[1-9])?(?<zone>Z|[+-]\d{4})$/;

/** Throws for an element that is to be a time and is none. upstream: encoding/asn1#parseUTCTime, parseGeneralizedTime */
export function checkTime(tag: number, content: Buffer): void {
  if (tag !== UTC_TIME && tag !== GENERALIZED_TIME) return;
  const form = tag === UTC_TIME ? UTC : GENERALIZED;
  const { year = "", rest = "", zone = "" } = form.exec(content.toString("latin1"))?.groups ?? {};
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = (rest.match(/\d\d/g) ?? []).map(Number);
  // The year of two digits 00 is a leap year, as 2000 is.
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), month, 0)).getUTCDate();
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= days;
  if (!isDay || hour > 23 || minute > 59 || second > 59) throw malformed();
  const offset = zone === "Z" ? 1 : Number(zone.slice(1));
  // An offset of nothing is written as Z.
  if (offset === 0 || Math.floor(offset / 100) > 24 || offset % 100 > 59) throw malformed();
}
