import { type Expr, operators, type MapEntry, type StructField } from "./ast.ts";
import { type Token, type TokenKind, tokenize } from "./lexer.ts";
import { expandMacro, MacroError } from "./macros.ts";
import { parseDouble } from "./numbers.ts";
import type { Issue, Source } from "./source.ts";
import { unquoteBytes, unquoteString } from "./unquote.ts";
import { Uint, type Value } from "./values.ts";

export interface Parsed {
  /** Absent where the expression cannot be read at all. */
  readonly expr: Expr | undefined;
  readonly issues: readonly Issue[];
}

const longestExpression = 100_000;
const deepest = 250;

/** What the language may need one day, and no variable may be called. */
export const reservedWords: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

const starts =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const binaryOperators: readonly ReadonlyMap<TokenKind, string>[] = [
  new Map<TokenKind, string>([
    ["<", operators.less],
    ["<=", operators.lessEquals],
    [">=", operators.greaterEquals],
    [">", operators.greater],
    ["==", operators.equals],
    ["!=", operators.notEquals],
    ["in", operators.in],
  ]),
  new Map<TokenKind, string>([
    ["+", operators.add],
    ["-", operators.subtract],
  ]),
  new Map<TokenKind, string>([
    ["*", operators.multiply],
    ["/", operators.divide],
    ["%", operators.modulo],
  ]),
];

/** `withBind`: `cel.bind(name, value, expression)` is known. */
export function parse(source: Source, withBind = false): Parsed {
  if (source.length > longestExpression) {
    const message = `expression code point size exceeds limit: size: ${source.length}, limit ${longestExpression}`;
    return { expr: undefined, issues: [{ offset: 0, message }] };
  }
  const { tokens, issues } = tokenize(source);
  return new Parser(tokens, issues, withBind).parse();
}

/** Where no reading goes on. */
class SyntaxFailure extends Error {}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  readonly #withBind: boolean;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], issues: readonly Issue[], withBind: boolean) {
    this.#withBind = withBind;
    this.#tokens = tokens;
    this.#issues = [...issues];
  }

  parse(): Parsed {
    try {
      const expr = this.#expression();
      if (this.#next.kind !== "<EOF>") this.#fail("<EOF>");
      return { expr: this.#issues.length === 0 ? expr : undefined, issues: this.#issues };
    } catch (error) {
      if (!(error instanceof SyntaxFailure)) throw error;
      return { expr: undefined, issues: this.#issues };
    }
  }

  get #next(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (token === undefined) throw new Error("there is always a last token");
    return token;
  }

  #peek(distance: number): TokenKind {
    return this.#tokens[this.#at + distance]?.kind ?? "<EOF>";
  }

  #take(): Token {
    const token = this.#next;
    this.#at++;
    return token;
  }

  #takeIf(kind: TokenKind): Token | undefined {
    return this.#next.kind === kind ? this.#take() : undefined;
  }

  #expect(kind: TokenKind): Token {
    const token = this.#takeIf(kind);
    return token ?? this.#fail(/^[A-Z<]/.test(kind) && kind !== "<" ? kind : `'${kind}'`);
  }

  /** One unneeded token before what would do is extraneous, all else a mismatch. */
  #fail(expected: string): never {
    const { offset, text } = this.#next;
    const extraneous = expected === "<EOF>" && this.#peek(1) === "<EOF>" && this.#next.kind !== "<EOF>";
    const what = extraneous ? "extraneous" : "mismatched";
    this.#issues.push({ offset, message: `Syntax error: ${what} input '${text}' expecting ${expected}` });
    throw new SyntaxFailure();
  }

  #report(offset: number, message: string): void {
    this.#issues.push({ offset, message });
  }

  #expression(): Expr {
    if (++this.#depth > deepest) {
      this.#report(0, `expression recursion limit exceeded: ${deepest}`);
      throw new SyntaxFailure();
    }
    const condition = this.#logical("||", operators.or);
    const question = this.#takeIf("?");
    if (question === undefined) {
      this.#depth--;
      return condition;
    }
    const ifTrue = this.#logical("||", operators.or);
    this.#expect(":");
    const ifFalse = this.#expression();
    this.#depth--;
    return this.#call(question.offset, operators.conditional, condition, ifTrue, ifFalse);
  }

  /** Long chains become balanced trees, so that none is deep. */
  #logical(mark: "||" | "&&", operator: string): Expr {
    const term = (): Expr => (mark === "||" ? this.#logical("&&", operators.and) : this.#binary(0));
    const terms = [term()];
    const offsets: number[] = [];
    for (let token = this.#takeIf(mark); token !== undefined; token = this.#takeIf(mark)) {
      offsets.push(token.offset);
      terms.push(term());
    }
    return this.#balanced(operator, terms, offsets);
  }

  #balanced(operator: string, terms: readonly Expr[], offsets: readonly number[]): Expr {
    const [only] = terms;
    if (only !== undefined && terms.length === 1) return only;
    const at = Math.floor(offsets.length / 2);
    const left = this.#balanced(operator, terms.slice(0, at + 1), offsets.slice(0, at));
    const right = this.#balanced(operator, terms.slice(at + 1), offsets.slice(at + 1));
    return this.#call(offsets[at] ?? 0, operator, left, right);
  }

  #binary(level: number): Expr {
    const known = binaryOperators[level];
    if (known === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let name = known.get(this.#next.kind); name !== undefined; name = known.get(this.#next.kind)) {
      const { offset } = this.#take();
      left = this.#call(offset, name, left, this.#binary(level + 1));
    }
    return left;
  }

  #unary(): Expr {
    const { kind, offset } = this.#next;
    if (kind !== "!" && kind !== "-") return this.#member();
    let count = 0;
    const negative = kind === "-" && ["NUM_FLOAT", "NUM_INT"].includes(this.#peek(1));
    if (negative) return this.#member();
    while (this.#takeIf(kind) !== undefined) {
      count++;
      // The last sign belongs to the number.
      if (kind === "-" && this.#next.kind === "-" && ["NUM_FLOAT", "NUM_INT"].includes(this.#peek(1))) break;
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#call(offset, kind === "!" ? operators.not : operators.negate, operand);
  }

  #member(): Expr {
    let expr = this.#primary();
    for (;;) {
      const { kind, offset } = this.#next;
      if (kind === ".") expr = this.#selection(expr);
      else if (kind === "[") {
        this.#take();
        const optional = this.#takeIf("?") !== undefined;
        const index = this.#expression();
        this.#expect("]");
        expr = this.#call(offset, optional ? operators.optionalIndex : operators.index, expr, index);
      } else return expr;
    }
  }

  #selection(operand: Expr): Expr {
    const { offset } = this.#take();
    const optional = this.#takeIf("?") !== undefined;
    const name = this.#next;
    if (name.kind !== "IDENTIFIER" && name.kind !== "ESC_IDENTIFIER") this.#fail("IDENTIFIER");
    this.#take();
    if (name.kind === "ESC_IDENTIFIER") this.#report(name.offset, "unsupported syntax: '`'");
    const field = name.text;
    if (optional) {
      const literal: Expr = { kind: "literal", offset: name.offset, value: field };
      return this.#call(offset, operators.optionalSelect, operand, literal);
    }
    const open = this.#next;
    if (open.kind !== "(" || name.kind !== "IDENTIFIER")
      return { kind: "select", offset, operand, field, testOnly: false };
    this.#take();
    return this.#expand(open.offset, { name: field, target: operand, args: this.#arguments() });
  }

  /** Up to the parenthesis that closes them. */
  #arguments(): readonly Expr[] {
    const args: Expr[] = [];
    if (this.#next.kind !== ")") {
      do args.push(this.#expression());
      while (this.#takeIf(",") !== undefined);
    }
    this.#expect(")");
    return args;
  }

  #call(offset: number, name: string, ...args: readonly Expr[]): Expr {
    return { kind: "call", offset, name, target: undefined, args };
  }

  #expand(
    offset: number,
    call: { readonly name: string; readonly target: Expr | undefined; readonly args: readonly Expr[] },
  ): Expr {
    try {
      return expandMacro({ kind: "call", offset, ...call }, this.#withBind);
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.#report(error.offset, error.message);
      return { kind: "ident", offset, name: "<<error>>" };
    }
  }

  #primary(): Expr {
    const { offset, text } = this.#next;
    const kind: string = this.#next.kind;
    switch (kind) {
      case "(": {
        this.#take();
        const inner = this.#expression();
        this.#expect(")");
        return inner;
      }
      case "[":
        return this.#list();
      case "{":
        return this.#map();
      case ".":
      case "IDENTIFIER":
        return this.#identifier();
      case "true":
      case "false":
        this.#take();
        return { kind: "literal", offset, value: text === "true" };
      case "null":
        this.#take();
        return { kind: "literal", offset, value: null };
      default:
        return this.#number() ?? this.#quoted() ?? this.#fail(starts);
    }
  }

  #number(): Expr | undefined {
    const { offset } = this.#next;
    const sign = this.#next.kind === "-" && this.#peek(1).startsWith("NUM_") ? this.#take().text : "";
    const { kind, text } = this.#next;
    if (kind !== "NUM_INT" && kind !== "NUM_UINT" && kind !== "NUM_FLOAT") return undefined;
    this.#take();
    const value = readNumber(kind, sign + text);
    if (value !== undefined) return { kind: "literal", offset, value };
    const type = { NUM_INT: "int", NUM_UINT: "uint", NUM_FLOAT: "double" }[kind];
    this.#report(offset, `invalid ${type} literal`);
    return { kind: "literal", offset, value: null };
  }

  #quoted(): Expr | undefined {
    const { kind, offset, text } = this.#next;
    if (kind !== "STRING" && kind !== "BYTES") return undefined;
    this.#take();
    const value = kind === "STRING" ? unquoteString(text) : unquoteBytes(text);
    if (value === undefined) this.#report(offset, "invalid unicode code point");
    return { kind: "literal", offset, value: value ?? "" };
  }

  #list(): Expr {
    const { offset } = this.#take();
    const elements: Expr[] = [];
    const optionals = new Set<number>();
    while (this.#next.kind !== "]") {
      if (this.#takeIf("?") !== undefined) optionals.add(elements.length);
      elements.push(this.#expression());
      if (this.#takeIf(",") === undefined) break;
    }
    this.#expect("]");
    return { kind: "list", offset, elements, optionals };
  }

  #map(): Expr {
    const { offset } = this.#take();
    const entries: MapEntry[] = [];
    while (this.#next.kind !== "}") {
      const optional = this.#takeIf("?") !== undefined;
      const key = this.#expression();
      const colon = this.#expect(":");
      entries.push({ offset: colon.offset, key, value: this.#expression(), optional });
      if (this.#takeIf(",") === undefined) break;
    }
    this.#expect("}");
    return { kind: "map", offset, entries };
  }

  #identifier(): Expr {
    const dot = this.#takeIf(".") === undefined ? "" : ".";
    const { offset, text } = this.#expect("IDENTIFIER");
    const object = this.#structName(text);
    if (object !== undefined) return this.#struct(dot + object);
    if (reservedWords.has(text)) this.#report(offset, `reserved identifier: ${text}`);
    const open = this.#takeIf("(");
    if (open === undefined) return { kind: "ident", offset, name: dot + text };
    return this.#expand(open.offset, { name: dot + text, target: undefined, args: this.#arguments() });
  }

  /** The name of a type, where names with dots between them lead to a brace. */
  #structName(first: string): string | undefined {
    let ahead = 0;
    let name = first;
    while (this.#peek(ahead) === "." && this.#peek(ahead + 1) === "IDENTIFIER") {
      name += `.${this.#tokens[this.#at + ahead + 1]?.text ?? ""}`;
      ahead += 2;
    }
    if (this.#peek(ahead) !== "{") return undefined;
    this.#at += ahead;
    return name;
  }

  #struct(typeName: string): Expr {
    const { offset } = this.#take();
    const fields: StructField[] = [];
    while (this.#next.kind !== "}") {
      const optional = this.#takeIf("?") !== undefined;
      const name = this.#next;
      if (name.kind === "ESC_IDENTIFIER") this.#report(name.offset, "unsupported syntax: '`'");
      const field = name.kind === "ESC_IDENTIFIER" ? this.#take().text : this.#expect("IDENTIFIER").text;
      const colon = this.#expect(":");
      fields.push({ offset: colon.offset, name: field, value: this.#expression(), optional });
      if (this.#takeIf(",") === undefined) break;
    }
    this.#expect("}");
    return { kind: "struct", offset, name: typeName, fields };
  }
}

function readNumber(kind: "NUM_FLOAT" | "NUM_INT" | "NUM_UINT", text: string): Value | undefined {
  if (kind === "NUM_FLOAT") return parseDouble(text);
  const negative = text.startsWith("-");
  const magnitude = BigInt(text.replace(/^-/, "").replace(/[uU]$/, ""));
  if (kind === "NUM_UINT") return magnitude < 2n ** 64n ? new Uint(magnitude) : undefined;
  const value = negative ? -magnitude : magnitude;
  return value === BigInt.asIntN(64, value) ? value : undefined;
}
