import { messageOf } from "../../api/errors.ts";
import { quotedAsInGo } from "../../api/go-quote.ts";
import { DepthError } from "../decode/json-depth.ts";

const expectations: readonly (readonly [pattern: RegExp, where: string])[] = [
  [
    /^Expected property name|^Expected double-quoted property name/,
    "looking for beginning of object key string",
  ],
  [/^Expected ':'/, "after object key"],
  [/^Expected ',' or '}'/, "after object key:value pair"],
  [/^Expected ',' or ']'/, "after array element"],
  [/^Bad control character/, "in string literal"],
  [/^Unexpected non-whitespace/, "after top-level value"],
];

/** What is wrong with a JSON text, as decoders in Go say it: clients show that to people. */
export function jsonProblem(text: string, error: unknown): string {
  const message = messageOf(error);
  if (error instanceof DepthError) return message;
  if (text.trim() === "" || message.includes("end of JSON input") || message.startsWith("Unterminated"))
    return "unexpected end of JSON input";
  const position = /at position (\d+)/.exec(message)?.[1];
  const character = position === undefined ? text.trimStart()[0] : text[Number(position)];
  if (character === undefined) return "unexpected end of JSON input";
  const where =
    expectations.find(([pattern]) => pattern.test(message))?.[1] ?? "looking for beginning of value";
  return `invalid character ${quoted(Buffer.from(character)[0] ?? 0)} ${where}`;
}

/** As Go names a byte: the first one of a character, taken for a character itself. */
function quoted(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return String.raw`'\''`;
  if (character === '"') return `'"'`;
  const isPrinted = byte < 0x80 || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character);
  return isPrinted ? `'${quotedAsInGo(character).slice(1, -1)}'` : `'\\u00${byte.toString(16)}'`;
}

/** What is wrong with bytes that are no text, which no JSON begins with; undefined for all others. */
export function binaryProblem([first = 0]: Buffer): string | undefined {
  return first < 0x80 ? undefined : `invalid character ${quoted(first)} looking for beginning of value`;
}
