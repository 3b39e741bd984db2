// As much of protobuf's text format as the tests of the language's specification are written in.

/** Fields by name, each with all of its values in order: a message, or a literal as it stands. */
export interface Message {
  readonly [field: string]: readonly (Message | Uint8Array | string)[];
}

type Field = Message[string][number];

const TOKEN = /\s+|#[^\n]*|("(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')|([\w.+-]+)|([[\]{}:,;/<>])/y;
const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))|[^\\]+/g;
const NAMED: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

export function parseTextProto(text: string): Message {
  return new Reader(tokensOf(text)).message(undefined);
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new Error(`what is this: ${text.slice(at, at + 40)}`);
    const token = found[1] ?? found[2] ?? found[3];
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  message(end: string | undefined): Message {
    const fields: Record<string, Field[]> = {};
    for (;;) {
      const name = this.#name(end);
      if (name === undefined) return fields;
      const values = (fields[name] ??= []);
      if (this.#takes(":") && this.#takes("[")) {
        while (!this.#takes("]")) {
          values.push(this.#value());
          this.#takes(",");
        }
      } else values.push(this.#value());
      if (!this.#takes(",")) this.#takes(";");
    }
  }

  /** Names of types stand in brackets. */
  #name(end: string | undefined): string | undefined {
    const token = this.#tokens[this.#at++];
    if (token === end) return undefined;
    if (token !== "[") return token ?? "";
    const parts: string[] = [];
    for (let part = this.#tokens[this.#at++]; part !== "]"; part = this.#tokens[this.#at++])
      parts.push(part ?? "");
    return `[${parts.join("")}]`;
  }

  #value(): Field {
    if (this.#takes("{")) return this.message("}");
    const token = this.#tokens[this.#at++] ?? "";
    if (!/^["']/.test(token)) return token;
    const parts = [unescaped(token)];
    while (/^["']/.test(this.#tokens[this.#at] ?? "")) parts.push(unescaped(this.#tokens[this.#at++] ?? ""));
    return Buffer.concat(parts);
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
}

function unescaped(token: string): Buffer {
  const parts = [...token.slice(1, -1).matchAll(ESCAPE)].map(([all, octal, hex, short, long, named]) => {
    if (octal !== undefined) return Buffer.of(Number.parseInt(octal, 8));
    if (hex !== undefined) return Buffer.of(Number.parseInt(hex, 16));
    const code = short ?? long;
    if (code !== undefined) return Buffer.from(String.fromCodePoint(Number.parseInt(code, 16)));
    if (named !== undefined) return Buffer.from(NAMED[named] ?? named);
    return Buffer.from(all);
  });
  return Buffer.concat(parts);
}
