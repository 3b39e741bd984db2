const own: Readonly<Record<string, string>> = { "\\u0007": "\\a", "\\u000b": "\\v", "\u007f": "\\x7f" };

/** A text as Go's %q writes it: what JSON escapes by four digits, Go does by two. */
export function quotedAsInGo(text: string): string {
  return JSON.stringify(text).replaceAll(
    // eslint-disable-next-line no-control-regex
    /\\u00[01][0-9a-f]|\u007f/g,
    (escape) => own[escape] ?? `\\x${escape.slice(-2)}`,
  );
}
