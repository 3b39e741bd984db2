// Names of properties that are no identifiers, as expressions write them: a-b is a__dash__b.

import { reservedWords } from "../parser.ts";

const reserved = new Set(["true", "false", "null", "in", ...reservedWords]);

const escapes: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);
const names = new Map([...escapes].map(([text, escaped]) => [escaped, text]));

/** Undefined for names that no expression can use. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[-./]/g, (part) => escapes.get(part) ?? part);
}

export function unescapeName(escaped: string): string {
  const word = /^__([a-z]+)__$/.exec(escaped)?.[1];
  if (word !== undefined && reserved.has(word)) return word;
  return escaped.replaceAll(/__(?:underscores|dot|dash|slash)__/g, (part) => names.get(part) ?? part);
}
