import type { AnyFlag } from "./arguments.ts";

/** A space at which no line is broken; shown as an ordinary one. */
const NO_BREAK = "\u00a0";

export interface FlagTableOptions {
  readonly width: number;
  /** What the help of a flag goes on with. */
  readonly more?: (flag: AnyFlag) => string;
}

/** Flags with their help, in two columns, sorted by name. */
export function flagTable(
  flags: readonly AnyFlag[],
  { width, more = () => "" }: FlagTableOptions,
): readonly string[] {
  const rows = flags
    .map((flag) => ({ left: leftColumn(flag), right: rightColumn(flag, more(flag)), name: flag.name }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const indent = Math.max(...rows.map((row) => row.left.length)) + 3;
  return rows.map((row) => fillColumns(row.left, row.right, indent, width));
}

function leftColumn(flag: AnyFlag): string {
  const shorthand = flag.shorthand ? `-${flag.shorthand}, ` : "    ";
  const type =
    flag.type.name === "bool" ? "" : ` ${flag.type.name}${flag.type.name === "version" ? "[=true]" : ""}`;
  return `  ${shorthand}--${flag.name}${type}`;
}

function rightColumn(flag: AnyFlag, more: string): string {
  const unused = flag.unused ? ` No effect here: ${flag.unused}.` : "";
  return `${flag.help}${more}${unused}${defaultText(flag)}`;
}

/** As in Go, a default that is the type's zero value goes without saying. */
function defaultText(flag: AnyFlag): string {
  const shown = flag.type.format(flag.default);
  if (["", "0", "0s", "false", "[]"].includes(shown)) return "";
  return ` (default${NO_BREAK}${flag.type.name === "string" ? JSON.stringify(shown) : shown})`;
}

function fillColumns(left: string, right: string, indent: number, width: number): string {
  const room = Math.max(30, width - indent);
  const lines: string[] = [];
  let line = "";
  for (const word of right.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines
    .map((text, index) => (index === 0 ? left.padEnd(indent) : " ".repeat(indent)) + text)
    .join("\n")
    .replaceAll(NO_BREAK, " ");
}
