import { parseJson } from "../../api/wire-json.ts";

/** The real server takes ten times as much. Whatever walks through objects here has a stack for this. */
const maxDepth = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A body that goes deeper than anybody means it to. */
export class DepthError extends Error {
  readonly code = "Depth";
}

/** parseJson of what a client sent. */
export function parseBodyJson(text: string): unknown {
  requireDepth(text);
  return parseJson(text);
}

function requireDepth(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      depth++;
      if (depth > maxDepth) throw new DepthError(`invalid character '${text[at]}' exceeded max depth`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

/** The quote that ends the string which begins here. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
