/** One block of PEM, and where the text behind it begins. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
  readonly next: number;
}

const BEGIN = "-----BEGIN ";
const END = "\n-----END ";
const DASHES = "-----";

/**
 * The first block of a text (of one character a byte) from this place on, as Go finds it: what is around it and what is
 * no block is passed over. Time is linear in the length of the text. upstream: encoding/pem/pem.go#Decode
 */
export function decodePem(text: string, from = 0): PemBlock | undefined {
  for (let start = from; ;) {
    const end = text.indexOf(END, start);
    if (end === -1) return undefined;
    const trailer = end + END.length;
    const found = blockUpTo(text, start, end);
    if (found !== "none" && found !== "nothing more") return found;
    if (found === "nothing more") return undefined;
    start = trailer;
  }
}

/** All blocks. Headers and other texts between them count for nothing. */
export function allPemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let block = decodePem(text); block !== undefined; block = decodePem(text, block.next)) {
    blocks.push(block);
  }
  return blocks;
}

export function encodePem(type: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `${BEGIN}${type}${DASHES}\n${lines.map((line) => `${line}\n`).join("")}-----END ${type}${DASHES}\n`;
}

/** The block that ends at this line, if there is one. */
function blockUpTo(text: string, start: number, end: number): PemBlock | "none" | "nothing more" {
  // Of several beginnings the last one counts. A search of the whole text would look at it again for each end.
  const place = text.slice(start, end).lastIndexOf(BEGIN);
  const begin = start + place;
  if (place === -1 || (place > 0 && text[begin - 1] !== "\n")) return "none";
  const typeLine = lineAt(text, begin + BEGIN.length);
  if (!typeLine.text.endsWith(DASHES)) return "none";
  const type = typeLine.text.slice(0, -DASHES.length);
  const body = afterHeaders(text, typeLine.next);
  if (body === undefined) return "nothing more";
  const trailer = end + END.length;
  const hasHeaders = body > typeLine.next;
  if (hasHeaders && end < body) return trailer < body ? "nothing more" : "none";
  if (!text.startsWith(`${type}${DASHES}`, trailer)) return "none";
  if (lineAt(text, trailer + type.length + DASHES.length).text !== "") return "none";
  const bytes = decodeLines(end > body ? text.slice(body, end) : "");
  return bytes === undefined ? "none" : { type, hasHeaders, bytes, next: lineAt(text, trailer - 1).next };
}

/** Where the lines with a colon end; undefined when nothing follows them. */
function afterHeaders(text: string, from: number): number | undefined {
  for (let at = from; at < text.length;) {
    const line = lineAt(text, at);
    if (!line.text.includes(":")) return at;
    at = line.next;
  }
  return undefined;
}

/** Without the blanks at its end. */
function lineAt(text: string, from: number): { readonly text: string; readonly next: number } {
  const newline = text.indexOf("\n", from);
  const whole = newline === -1 ? text.slice(from) : text.slice(from, newline).replace(/\r$/, "");
  let length = whole.length;
  while (length > 0 && (whole[length - 1] === " " || whole[length - 1] === "\t")) length--;
  return { text: whole.slice(0, length), next: newline === -1 ? text.length : newline + 1 };
}

function decodeLines(lines: string): Buffer | undefined {
  const digits = lines.replaceAll(/[ \t\r\n]+/g, "");
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits)
    ? Buffer.from(digits, "base64")
    : undefined;
}
