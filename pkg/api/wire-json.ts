import { ExactReader } from "./exact-json.ts";

/** The first whole number that a double cannot tell from its neighbour, 2^53, has this many digits. */
const LONG = 16;
const MINUS = 0x2d;
const ZERO = 0x30;
/** What may stand before a number, and behind a whole one. */
const BEFORE: ReadonlySet<number | undefined> = new Set([...Buffer.from(":,[ \t\r\n"), undefined]);
const BEHIND: ReadonlySet<number | undefined> = new Set([...Buffer.from(",]} \t\r\n"), undefined]);

/**
 * JSON.parse for everything that is an object of the API, or a part of one: whole numbers of 64 bits stay what they are
 * (as pkg/api/int64.ts has them), where JSON.parse gives the nearest double. All others are doubles, as in Go's
 * unstructured objects. JSON.stringify writes them back.
 */
export function parseJson(text: string): unknown {
  // One byte for a character makes digits of others, too: they cost time, as digits in strings do.
  return parse(text, Buffer.from(text, "latin1"));
}

/** The same for a text in UTF-8, which is cheaper to look through as bytes. */
export function parseJsonBytes(bytes: Buffer): unknown {
  return parse(bytes.toString("utf8"), bytes);
}

/** JSON.parse is also the judge of whether the text is JSON, which the other reader takes for granted. */
function parse(text: string, bytes: Buffer): unknown {
  const parsed: unknown = JSON.parse(text);
  return hasLongInteger(bytes) ? new ExactReader(text).value() : parsed;
}

/**
 * Whether it is worth while to look at the digits of each number. A run of digits of this length covers one of the
 * places that are looked at, which are few.
 */
function hasLongInteger(bytes: Buffer): boolean {
  for (let at = LONG - 1; at < bytes.length; at += LONG) {
    if (!isDigit(bytes[at])) continue;
    let start = at;
    while (isDigit(bytes[start - 1])) start--;
    let end = at + 1;
    while (isDigit(bytes[end])) end++;
    if (end - start >= LONG && isWhole(bytes, start, end)) return true;
    // On from the end of this run: a text of nothing but digits is gone through once.
    at = end;
  }
  return false;
}

function isWhole(bytes: Buffer, start: number, end: number): boolean {
  const before = bytes[start - 1] === MINUS ? start - 2 : start - 1;
  return BEFORE.has(bytes[before]) && BEHIND.has(bytes[end]);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && (byte ^ ZERO) <= 9;
}
