import { FlagError } from "../kube-controller-manager/options/flag.ts";
import { nearestNames } from "../kube-controller-manager/options/nearest.ts";
import { GIT_VERSION } from "../kube-controller-manager/version.ts";
import type { Command } from "./command.ts";
import { downCommand } from "./down-command.ts";
import { helpOf, overview } from "./help.ts";
import { listCommand } from "./list-command.ts";
import { manifestsCommand } from "./manifests-command.ts";
import { newCommand } from "./new-command.ts";
import { typesCommand } from "./types-command.ts";
import { upCommand } from "./up-command.ts";

const WIDEST = 110;
const commands: readonly Command[] = [
  upCommand,
  listCommand,
  downCommand,
  newCommand,
  typesCommand,
  manifestsCommand,
];

/** Runs the command that the arguments name; resolves to the exit code. What the user got wrong is one line. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const [name = "", ...rest] = argv;
  const isAsked = (...flags: readonly string[]): boolean => rest.some((argument) => flags.includes(argument));
  try {
    if (["--help", "-h", "help"].includes(name)) return print(overview(commands));
    if (name === "--version") return print(`${GIT_VERSION}\n`);
    const command = commandOf(name);
    const width = Math.min(WIDEST, process.stdout.columns || WIDEST);
    return isAsked("--help", "-h") ? print(helpOf(command, width)) : await command.run(rest);
  } catch (error) {
    process.stderr.write(`Error: ${describe(error)}\n`);
    return 1;
  }
}

function commandOf(name: string): Command {
  const names = commands.map((command) => command.name);
  if (name === "" || name.startsWith("-")) throw new FlagError(`name a command: ${names.join(", ")}`);
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const nearest = nearestNames(name, names);
  const hint = nearest.length === 0 ? `there are ${names.join(", ")}` : `is it ${nearest.join(" or ")}?`;
  throw new FlagError(`${JSON.stringify(name)} is not a command (${hint})`);
}

/** Errors with a code were made for people; of others the stack is wanted. */
function describe(error: unknown): string {
  if (error instanceof FlagError) return `${error.message} (see --help)`;
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? error.message.replaceAll("\n", " ") : (error.stack ?? error.message);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
