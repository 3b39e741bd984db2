const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

const escapePattern =
  /\\(?:x|X)(?<hex>..)|\\u(?<short>....)|\\U(?<long>.{8})|\\(?<octal>[0-3][0-7]{2})|\\(?<simple>.)/gsu;

/** What a string literal stands for; undefined where an escape names no code point. */
export function unquoteString(literal: string): string | undefined {
  const { body, raw } = bodyOf(literal);
  if (raw) return body;
  let valid = true;
  const text = body.replaceAll(escapePattern, (...found) => {
    const groups = found.at(-1) as Record<string, string | undefined>;
    const { simple } = groups;
    if (simple !== undefined) return simpleEscapes[simple] ?? "";
    const code = codeOf(groups);
    if (code > 0x10_ff_ff || (code >= 0xd8_00 && code < 0xe0_00)) valid = false;
    return valid ? String.fromCodePoint(code) : "";
  });
  return valid ? text : undefined;
}

/** Escapes of numbers are bytes here; all else is UTF-8. */
export function unquoteBytes(literal: string): Uint8Array | undefined {
  const { body, raw } = bodyOf(literal.slice(1));
  if (raw) return Buffer.from(body);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const found of body.matchAll(escapePattern)) {
    const groups = found.groups ?? {};
    // Code points have no place in bytes.
    if (groups["short"] !== undefined || groups["long"] !== undefined) return undefined;
    parts.push(Buffer.from(body.slice(from, found.index)));
    const { simple } = groups;
    parts.push(
      simple === undefined ? Uint8Array.of(codeOf(groups)) : Buffer.from(simpleEscapes[simple] ?? ""),
    );
    from = found.index + found[0].length;
  }
  parts.push(Buffer.from(body.slice(from)));
  return new Uint8Array(Buffer.concat(parts));
}

function codeOf(groups: Readonly<Record<string, string | undefined>>): number {
  const { octal } = groups;
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return Number.parseInt(groups["hex"] ?? groups["short"] ?? groups["long"] ?? "", 16);
}

function bodyOf(literal: string): { readonly body: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(literal);
  const quoted = (raw ? literal.slice(1) : literal).replaceAll(/\r\n?/g, "\n");
  const quote = /^(?:"""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(quote, quoted.length - quote), raw };
}
