import yargs from "yargs";
import { GIT_VERSION } from "../kube-controller-manager/version.ts";
import { StartError } from "../kube-controller-manager/start-error.ts";
import { upCommand } from "./up-command.ts";

const WIDEST = 110;

/** Runs the command that the arguments name; resolves to the exit code. What the user got wrong is one line. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const parser = yargs(argv)
    .scriptName("kcm")
    .usage("$0 COMMAND [options]\n\nKubernetes controllers, and a cluster in one process to see them work.")
    .command(upCommand((code) => (exitCode = code)))
    .demandCommand(1, "name a command: up")
    .parserConfiguration({
      "duplicate-arguments-array": false,
      "greedy-arrays": false,
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "parse-positional-numbers": false,
    })
    .strict()
    .help()
    .alias("help", "h")
    .version(GIT_VERSION)
    .wrap(Math.min(WIDEST, process.stdout.columns || WIDEST))
    .exitProcess(false)
    .fail((message, error) => {
      throw error instanceof Error
        ? error
        : new StartError(`${message ?? "wrong arguments"}; see kcm --help`);
    });
  try {
    await parser.parseAsync();
    return exitCode;
  } catch (error) {
    process.stderr.write(`Error: ${describe(error)}\n`);
    return 1;
  }
}

/** Errors with a code, and those of yargs, were made for people; of others the stack is wanted. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isForPeople = "code" in error || error.name === "YError";
  return isForPeople ? error.message.replaceAll("\n", " ") : (error.stack ?? error.message);
}
