import { parseInt64, toInt64 } from "./int64.ts";
import { setKey } from "./patch/json.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BLANK = 0x20;
/** Whole numbers of up to this many digits are added up digit by digit. */
const SHORT = 15;
/** With quotes. */
const LONGEST_SLICE = 14;
/** What follows the digits of a number that is not a whole one. */
const FRACTION: ReadonlySet<number> = new Set(Buffer.from("+-.eE"));

/**
 * Reads a text that JSON.parse takes as JSON.parse does, but whole numbers of 64 bits exactly. A reviver that is given
 * the source of numbers would do the same in ten times the time: somebody's list of a million numbers must not hold up
 * everybody.
 */
export class ExactReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#next()) {
      case OPEN_OBJECT:
        return this.#object();
      case OPEN_ARRAY:
        return this.#array();
      case QUOTE:
        return this.#string();
      case LETTER_T:
        this.#at += 4;
        return true;
      case LETTER_F:
        this.#at += 5;
        return false;
      case LETTER_N:
        this.#at += 4;
        return null;
      default:
        return this.#number();
    }
  }

  /** Passes over blanks; the character that follows. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code <= BLANK) code = this.#text.charCodeAt(++this.#at);
    return code;
  }

  #object(): unknown {
    const object: Record<string, unknown> = {};
    this.#at++;
    while (this.#next() !== CLOSE_OBJECT) {
      if (this.#text.charCodeAt(this.#at) === COMMA) {
        this.#at++;
        this.#next();
      }
      const key = this.#string();
      this.#next();
      this.#at++;
      setKey(object, key, this.value());
    }
    this.#at++;
    return object;
  }

  #array(): unknown {
    const items: unknown[] = [];
    this.#at++;
    while (this.#next() !== CLOSE_ARRAY) {
      if (this.#text.charCodeAt(this.#at) === COMMA) this.#at++;
      items.push(this.value());
    }
    this.#at++;
    return items;
  }

  #string(): string {
    const start = this.#at++;
    let copied = false;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at++);
      if (code === QUOTE) break;
      if (code !== BACKSLASH) continue;
      copied = true;
      this.#at++;
    }
    // A longer slice is none: it would hold the whole text in memory.
    copied ||= this.#at - start > LONGEST_SLICE;
    return copied
      ? (JSON.parse(this.#text.slice(start, this.#at)) as string)
      : this.#text.slice(start + 1, this.#at - 1);
  }

  #number(): number | bigint {
    const start = this.#at;
    const isNegative = this.#text.charCodeAt(start) === MINUS;
    if (isNegative) this.#at++;
    const first = this.#at;
    let sum = 0;
    for (let digit = this.#digit(); digit >= 0; digit = this.#digit()) {
      sum = sum * 10 + digit;
      this.#at++;
    }
    const isWhole = !FRACTION.has(this.#text.charCodeAt(this.#at));
    if (isWhole && this.#at - first <= SHORT) return isNegative ? -sum : sum;
    while (this.#digit() >= 0 || FRACTION.has(this.#text.charCodeAt(this.#at))) this.#at++;
    const source = this.#text.slice(start, this.#at);
    const integer = isWhole ? parseInt64(source) : undefined;
    return integer === undefined ? Number(source) : toInt64(integer);
  }

  /** At this place; below zero where there is none. */
  #digit(): number {
    const digit = this.#text.charCodeAt(this.#at) - ZERO;
    return digit <= 9 ? digit : -1;
  }
}
