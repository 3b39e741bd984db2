import { codePoints } from "./code-points.ts";
import type { Issue, Source } from "./source.ts";

export type TokenKind =
  | "<EOF>"
  | "BYTES"
  | "ESC_IDENTIFIER"
  | "IDENTIFIER"
  | "NUM_FLOAT"
  | "NUM_INT"
  | "NUM_UINT"
  | "STRING"
  | Symbol;

const symbols = [
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "in",
  "true",
  "false",
  "null",
  "<",
  ">",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
] as const;
type Symbol = (typeof symbols)[number];

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** In code points. */
  readonly offset: number;
}

const words = new Set<string>(symbols.filter((symbol) => /^[a-z]/.test(symbol)));
const marks = symbols.filter((symbol) => !words.has(symbol));

const escape = String.raw`\\(?:[abfnrtv"'\\?\x60]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const strings = [
  String.raw`"""(?:${escape}|[^\\])*?"""`,
  String.raw`'''(?:${escape}|[^\\])*?'''`,
  String.raw`"(?:${escape}|[^\\"\n\r])*"`,
  String.raw`'(?:${escape}|[^\\'\n\r])*'`,
  String.raw`[rR]"""[^]*?"""`,
  String.raw`[rR]'''[^]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
].join("|");

const exponent = "[eE][+-]?[0-9]+";
const rules: readonly (readonly [kind: TokenKind | "skip", pattern: RegExp])[] = (
  [
    ["skip", String.raw`[\t \r\n\f]+|//[^\n]*`],
    ["NUM_FLOAT", String.raw`[0-9]+\.[0-9]+(?:${exponent})?|[0-9]+${exponent}|\.[0-9]+(?:${exponent})?`],
    ["NUM_UINT", "0x[0-9a-fA-F]+[uU]|[0-9]+[uU]"],
    ["NUM_INT", "0x[0-9a-fA-F]+|[0-9]+"],
    ["BYTES", `[bB](?:${strings})`],
    ["STRING", strings],
    ["IDENTIFIER", "[A-Za-z_][A-Za-z0-9_]*"],
    ["ESC_IDENTIFIER", "`[A-Za-z0-9_.\\-/ ]+`"],
  ] as const
).map(([kind, pattern]) => [kind, new RegExp(pattern, "uy")]);

/** What cannot be read is left out, and an issue says so. */
export function tokenize(source: Source): {
  readonly tokens: readonly Token[];
  readonly issues: readonly Issue[];
} {
  const { text } = source;
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let offset = 0;
  for (let at = 0; at < text.length;) {
    const token = tokenAt(text, at);
    const piece = token?.text ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (token === undefined) {
      issues.push({ offset, message: `Syntax error: token recognition error at: '${visible(piece)}'` });
    } else if (token.kind !== "skip") tokens.push({ kind: token.kind, text: token.text, offset });
    at += piece.length;
    offset += codePoints(piece).length;
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", offset });
  return { tokens, issues };
}

function tokenAt(
  text: string,
  at: number,
): { readonly kind: TokenKind | "skip"; readonly text: string } | undefined {
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    return words.has(found) ? { kind: found as Symbol, text: found } : { kind, text: found };
  }
  const mark = marks.find((each) => text.startsWith(each, at));
  return mark === undefined ? undefined : { kind: mark, text: mark };
}

const visible = (piece: string): string =>
  piece
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\r", String.raw`\r`)
    .replaceAll("\t", String.raw`\t`);
