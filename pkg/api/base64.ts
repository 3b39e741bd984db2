/**
 * Base64 as Go's standard encoding reads it: with padding, in whole groups of four characters, with line breaks anywhere.
 * Gives the bytes in the form in which Go writes them, or the place of the character that is wrong.
 * upstream: encoding/base64/base64.go#decodeQuantum
 */
export function readBase64(text: string): string | { readonly wrongAt: number } {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    // The bits that the padding leaves over may be anything; they are not kept.
    return text.endsWith("=") ? Buffer.from(text, "base64").toString("base64") : text;
  }
  const bytes = Buffer.from(text);
  const wrongAt = firstWrong(bytes);
  return wrongAt === undefined ? Buffer.from(text, "base64").toString("base64") : { wrongAt };
}

const PADDING = 0x3d;

function firstWrong(bytes: Buffer): number | undefined {
  let at = 0;
  let inGroup = 0;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (isLineBreak(byte)) continue;
    if (isDigit(byte)) inGroup = (inGroup + 1) % 4;
    else if (byte === PADDING && inGroup >= 2) return wrongPadding(bytes, at, inGroup);
    else return at;
  }
  return inGroup === 0 ? undefined : at - inGroup;
}

/** Behind the first sign of padding: a second one where two are needed, and nothing else. */
function wrongPadding(bytes: Buffer, first: number, inGroup: number): number | undefined {
  let at = afterLineBreaks(bytes, first + 1);
  if (inGroup === 2) {
    if (at >= bytes.length) return bytes.length;
    if (bytes[at] !== PADDING) return at - 1;
    at = afterLineBreaks(bytes, at + 1);
  }
  return at < bytes.length ? at : undefined;
}

function afterLineBreaks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isLineBreak(bytes[at] ?? 0)) at++;
  return at;
}

function isLineBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

/** Of base64. */
function isDigit(byte: number): boolean {
  return /[A-Za-z0-9+/]/.test(String.fromCharCode(byte));
}
