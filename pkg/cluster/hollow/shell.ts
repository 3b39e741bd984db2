import { type CommandPlace, environmentOf, runCommand } from "./commands.ts";
import { shellCommands, ShellSyntaxError } from "./shell-words.ts";

const SYNTAX = 2;
const PROMPT = "$ ";
const CARRIAGE_RETURN = "\r";
const END_OF_TEXT = "\u0003";
const END_OF_TRANSMISSION = "\u0004";

const isShell = (word: string): boolean => /^(\/usr)?(\/bin\/)?(ba|da|a)?sh$/.test(word);

/** As terminals want their lines to end. */
export const withReturns = (text: string): string => text.replaceAll(/\r?\n/g, "\r\n");

/** Runs a command, or a shell with a line, or one that reads lines. Resolves to the exit code. */
export async function runProcess(
  words: readonly string[],
  given: CommandPlace,
  tty: boolean,
): Promise<number> {
  const place = tty ? onTerminal(given) : given;
  const [program = "", flag, line = ""] = words;
  if (!isShell(program)) return runCommand(words, place);
  const shell = new Shell(place);
  if (flag !== undefined && /^-[a-z]*c$/.test(flag)) return (await shell.run(line)).code;
  return shell.readLines(tty);
}

/** There is one stream of output, in which lines end as terminals want it. */
function onTerminal(place: CommandPlace): CommandPlace {
  const { streams } = place;
  const stdout = async (data: string | Uint8Array): Promise<void> =>
    streams.stdout(withReturns(typeof data === "string" ? data : Buffer.from(data).toString()));
  return { ...place, streams: { stdin: streams.stdin, stdout, stderr: stdout } };
}

interface LineResult {
  readonly code: number;
  /** The line says that the shell ends. */
  readonly exits: boolean;
}

/** A shell as small as it can be: words, quotes, variables, `;`, `&&`, `||`, `exit`. */
class Shell {
  readonly #place: CommandPlace;
  readonly #variables: Record<string, string>;
  #lastCode = 0;

  constructor(place: CommandPlace) {
    this.#place = place;
    this.#variables = environmentOf(place);
  }

  async run(line: string): Promise<LineResult> {
    try {
      const variables = (name: string): string =>
        name === "?" ? String(this.#lastCode) : (this.#variables[name] ?? "");
      for (const { when, words } of shellCommands(line, variables)) {
        if (when === (this.#lastCode === 0 ? "failed" : "succeeded")) continue;
        const [name = "", argument = String(this.#lastCode)] = words;
        if (name === "exit") return { code: Number.parseInt(argument, 10) & 255, exits: true };
        this.#lastCode = await this.#runOne(words);
      }
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      await this.#place.streams.stderr(`sh: ${error.message}\n`);
      this.#lastCode = SYNTAX;
    }
    return { code: this.#lastCode, exits: false };
  }

  /** Until the input ends, or a line says so. A terminal has a prompt and shows what is typed. */
  async readLines(tty: boolean): Promise<number> {
    const { streams } = this.#place;
    if (tty) await streams.stdout(PROMPT);
    let line = "";
    for await (const chunk of streams.stdin) {
      for (const character of Buffer.from(chunk).toString()) {
        if (tty && character === END_OF_TRANSMISSION && line === "") return this.#lastCode;
        if (tty && character === END_OF_TEXT) {
          line = "";
          await streams.stdout(`^C\r\n${PROMPT}`);
        } else if (character === "\n" || character === CARRIAGE_RETURN) {
          if (tty) await streams.stdout("\r\n");
          const { code, exits } = await this.run(line);
          if (exits) return code;
          line = "";
          if (tty) await streams.stdout(PROMPT);
        } else {
          line += character;
          if (tty) await streams.stdout(character);
        }
      }
    }
    return line === "" ? this.#lastCode : (await this.run(line)).code;
  }

  async #runOne(words: readonly string[]): Promise<number> {
    const [first = ""] = words;
    const assignment = /^(\w+)=(.*)$/s.exec(first);
    if (assignment !== null && words.length === 1) {
      this.#variables[assignment[1] ?? ""] = assignment[2] ?? "";
      return 0;
    }
    return runProcess(words, this.#place, false);
  }
}
