import { flagGroups, type GroupName } from "./options.ts";
import { allFlags, type AnyFlag } from "./parse.ts";

const INTRODUCTION = `Runs the controllers of a Kubernetes cluster: each watches objects of the API server and writes
what is missing for the cluster to become what these objects ask for.

Usage:
  kube-controller-manager [flags]
`;

/** A space at which no line is broken; shown as an ordinary one. */
const NO_BREAK = "\u00a0";

/** The text of --help: flags by group, in columns, as wide as the terminal (or 110 columns). */
export function helpText(controllers: ControllerNames, width = 110): string {
  const parts = [INTRODUCTION];
  for (const [group, { title }] of Object.entries(flagGroups)) {
    const flags = allFlags.filter(
      (entry) => entry.group === (group as GroupName) && entry.flag.hidden !== true,
    );
    const rows = flags
      .map(({ flag }) => ({ left: leftColumn(flag), right: rightColumn(flag, controllers), name: flag.name }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    const indent = Math.max(...rows.map((row) => row.left.length)) + 3;
    parts.push(
      `${title} flags:\n`,
      ...rows.map((row) => fillColumns(row.left, row.right, indent, width)),
      "",
    );
  }
  return parts.join("\n");
}

export interface ControllerNames {
  readonly all: readonly string[];
  readonly disabledByDefault: readonly string[];
}

function leftColumn(flag: AnyFlag): string {
  const shorthand = flag.shorthand ? `-${flag.shorthand}, ` : "    ";
  const type =
    flag.type.name === "bool" ? "" : ` ${flag.type.name}${flag.type.name === "version" ? "[=true]" : ""}`;
  return `  ${shorthand}--${flag.name}${type}`;
}

function rightColumn(flag: AnyFlag, controllers: ControllerNames): string {
  const lists =
    flag.name === "controllers"
      ? ` All controllers: ${controllers.all.join(", ")}. Off by default: ${controllers.disabledByDefault.join(", ")}.`
      : "";
  const unused = flag.unused ? ` No effect here: ${flag.unused}.` : "";
  return `${flag.help}${lists}${unused}${defaultText(flag)}`;
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
