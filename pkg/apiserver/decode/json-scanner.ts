import { parseJson } from "../../api/wire-json.ts";
import { endOfString } from "./json-depth.ts";
import { pathText } from "./path-text.ts";

/**
 * Paths of object members that a JSON text names twice, in order of appearance; JSON.parse keeps the last of them and
 * says nothing. The text is known to be valid JSON.
 */
export function duplicateFields(text: string): readonly string[] {
  return new JsonScanner(text).scan().duplicates;
}

/** How numbers with a fraction or an exponent are written, by their path: Go takes 1.0 for no integer. */
export type WrittenNumbers = ReadonlyMap<string, string>;

/** Those of a text that is known to be valid JSON; undefined where there are none, as in nearly all bodies. */
export function writtenNumbers(text: string): WrittenNumbers | undefined {
  return hasFractions(text) ? new JsonScanner(text).scan().numbers : undefined;
}

const QUOTE = 0x22;
const POINT = 0x2e;
const LOWER = 0x20;
const EXPONENT = 0x65;
/** Who writes more is told of these. */
const MOST_NUMBERS = 10_000;

/** Names in strings have points, too: those are passed over. */
function hasFractions(text: string): boolean {
  if (!/\d[.eE][-+\d]/.test(text)) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === POINT || ((code | LOWER) === EXPONENT && /\d/.test(text[at - 1] ?? ""))) return true;
  }
  return false;
}

class JsonScanner {
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  readonly #duplicates = new Set<string>();
  readonly #numbers = new Map<string, string>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): { readonly duplicates: readonly string[]; readonly numbers: WrittenNumbers } {
    this.#value();
    return { duplicates: [...this.#duplicates], numbers: this.#numbers };
  }

  #value(): void {
    this.#blank();
    const character = this.#text[this.#at];
    if (character === "{") this.#object();
    else if (character === "[") this.#array();
    else if (character === '"') this.#string();
    else this.#scalar();
  }

  #object(): void {
    const seen = new Set<string>();
    this.#at++;
    for (;;) {
      this.#blank();
      if (this.#text[this.#at] !== '"') break;
      const name = this.#name();
      this.#path.push(name);
      if (seen.has(name)) this.#duplicates.add(pathText(this.#path));
      seen.add(name);
      this.#blank();
      this.#at++;
      this.#value();
      this.#path.pop();
      this.#blank();
      if (this.#text[this.#at] !== ",") break;
      this.#at++;
    }
    this.#at++;
  }

  #array(): void {
    this.#at++;
    this.#blank();
    for (let index = 0; this.#at < this.#text.length && this.#text[this.#at] !== "]"; index++) {
      this.#path.push(index);
      this.#value();
      this.#path.pop();
      this.#blank();
      if (this.#text[this.#at] === ",") this.#at++;
      this.#blank();
    }
    this.#at++;
  }

  #name(): string {
    const start = this.#at;
    this.#string();
    return parseJson(this.#text.slice(start, this.#at)) as string;
  }

  #string(): void {
    this.#at = endOfString(this.#text, this.#at) + 1;
  }

  #scalar(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !/[\s,\]}]/.test(this.#text[this.#at] ?? "")) this.#at++;
    const source = this.#text.slice(start, this.#at);
    if (/\d[.eE]/.test(source) && this.#numbers.size < MOST_NUMBERS)
      this.#numbers.set(pathText(this.#path), source);
  }

  #blank(): void {
    while (/[\s]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}
