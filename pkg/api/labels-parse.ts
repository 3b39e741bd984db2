import type { LabelOperator, LabelRequirement, LabelSelector } from "./labels.ts";
import { labelRequirement, SelectorError, selectorFromRequirements } from "./labels.ts";
import { labelKeyProblems } from "./labels-validate.ts";

/** "end" closes the input; "word" is everything that is not an operator. */
interface Token {
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
}

const end: Token = { kind: "end", text: "" };
const symbols = new Set(["=", "==", "!=", "!", "(", ")", ",", ">", "<"]);
const special = /[=!(),><]/;
const blank = /[ \t\r\n]/;
const binaryOperators: Readonly<Record<string, LabelOperator>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};
const expectedOperators = "in, notin, =, ==, !=, gt, lt";

/** Parses the `labelSelector` query parameter; throws a SelectorError. The empty string selects everything. */
export function parseLabelSelector(text: string): LabelSelector {
  return selectorFromRequirements(new SelectorParser(tokenize(text)).parse());
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (blank.test(character)) {
      at++;
      continue;
    }
    const token = special.test(character) ? symbolAt(text, at) : wordAt(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

/** The longest run of special characters that is an operator: "==(" is "==" and "(". */
function symbolAt(text: string, start: number): Token {
  const two = text.slice(start, start + 2);
  return { kind: "symbol", text: symbols.has(two) ? two : text.charAt(start) };
}

function wordAt(text: string, start: number): Token {
  let at = start;
  while (at < text.length && !special.test(text.charAt(at)) && !blank.test(text.charAt(at))) at++;
  return { kind: "word", text: text.slice(start, at) };
}

/** Recursive descent. "in" and "notin" are operators only behind a key; elsewhere they are ordinary words. */
class SelectorParser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === "end") return requirements;
      if (!startsRequirement(token)) {
        throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#next();
      if (separator.kind === "end") return requirements;
      if (!isSymbol(separator, ",")) {
        throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
      if (!startsRequirement(this.#peek())) {
        throw new SelectorError(`found '${this.#peek().text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    try {
      const negated = isSymbol(this.#peek(), "!");
      if (negated) this.#next();
      const key = this.#key();
      if (negated) return labelRequirement(key, "!", []);
      if (this.#atEnd()) return labelRequirement(key, "exists", []);
      const operator = this.#operator();
      const values = operator === "in" || operator === "notin" ? this.#valueSet() : [this.#value()];
      return labelRequirement(key, operator, values);
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
    }
  }

  #key(): string {
    const token = this.#next();
    if (token.kind !== "word") throw new SelectorError(`found '${token.text}', expected: identifier`);
    const problems = labelKeyProblems(token.text);
    if (problems.length > 0) {
      throw new SelectorError(`<nil>: Invalid value: ${JSON.stringify(token.text)}: ${problems.join("; ")}`);
    }
    return token.text;
  }

  #operator(): LabelOperator {
    const token = this.#next();
    const operator = Object.hasOwn(binaryOperators, token.text) ? binaryOperators[token.text] : undefined;
    if (operator === undefined) {
      throw new SelectorError(`found '${token.text}', expected: ${expectedOperators}`);
    }
    return operator;
  }

  /** The value behind =, ==, !=, > and <; none at all is the empty string. */
  #value(): string {
    if (this.#atEnd()) return "";
    const token = this.#next();
    if (token.kind !== "word") throw new SelectorError(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  /** `(a, b)`; an empty place between commas or parentheses stands for the empty string. */
  #valueSet(): readonly string[] {
    const open = this.#next();
    if (!isSymbol(open, "(")) throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind !== "word" && !isSymbol(first, ",") && !isSymbol(first, ")")) {
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = new Set<string>();
    for (;;) {
      values.add(this.#peek().kind === "word" ? this.#next().text : "");
      const separator = this.#next();
      if (isSymbol(separator, ")")) return [...values].sort();
      if (!isSymbol(separator, ",")) {
        throw new SelectorError(`found '${separator.text}', expected: ',' or ')'`);
      }
    }
  }

  #atEnd(): boolean {
    const token = this.#peek();
    return token.kind === "end" || isSymbol(token, ",");
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? end;
  }

  #next(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }
}

function startsRequirement(token: Token): boolean {
  return token.kind === "word" || isSymbol(token, "!");
}

function isSymbol(token: Token, text: string): boolean {
  return token.kind === "symbol" && token.text === text;
}
