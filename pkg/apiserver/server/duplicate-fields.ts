import { parseJson } from "../../api/wire-json.ts";
/**
 * Paths of object members that a JSON text names twice, in order of appearance; JSON.parse keeps the last of them and
 * says nothing. The text is known to be valid JSON.
 */
export function duplicateFields(text: string): readonly string[] {
  return new DuplicateScanner(text).scan();
}

class DuplicateScanner {
  readonly #text: string;
  readonly #found = new Set<string>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): readonly string[] {
    this.#value("");
    return [...this.#found];
  }

  #value(path: string): void {
    this.#blank();
    const character = this.#text[this.#at];
    if (character === "{") this.#object(path);
    else if (character === "[") this.#array(path);
    else if (character === '"') this.#string();
    else this.#scalar();
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#at++;
    for (;;) {
      this.#blank();
      if (this.#text[this.#at] !== '"') break;
      const name = this.#string();
      const memberPath = path === "" ? name : `${path}.${name}`;
      if (seen.has(name)) this.#found.add(memberPath);
      seen.add(name);
      this.#blank();
      this.#at++;
      this.#value(memberPath);
      this.#blank();
      if (this.#text[this.#at] !== ",") break;
      this.#at++;
    }
    this.#at++;
  }

  #array(path: string): void {
    this.#at++;
    this.#blank();
    for (let index = 0; this.#at < this.#text.length && this.#text[this.#at] !== "]"; index++) {
      this.#value(`${path}[${index}]`);
      this.#blank();
      if (this.#text[this.#at] === ",") this.#at++;
      this.#blank();
    }
    this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const character = this.#text[this.#at++];
      if (character === "\\") this.#at++;
      else if (character === '"' || character === undefined) break;
    }
    return parseJson(this.#text.slice(start, this.#at)) as string;
  }

  #scalar(): void {
    while (this.#at < this.#text.length && !/[\s,\]}]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #blank(): void {
    while (/[\s]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}
