import { type Flag, FlagError } from "./flag.ts";
import { editDistance } from "./nearest.ts";

export type AnyFlag = Flag<unknown>;

export interface ReadArguments {
  /** Values of the flags that were given. */
  readonly given: ReadonlyMap<AnyFlag, unknown>;
  /** What stands between the flags, in order. */
  readonly words: readonly string[];
}

/** The flags of one command, found by their names. */
export class ArgumentReader {
  readonly #byName: ReadonlyMap<string, AnyFlag>;
  readonly #byShorthand: ReadonlyMap<string, AnyFlag>;

  constructor(flags: readonly AnyFlag[]) {
    this.#byName = new Map(flags.map((flag) => [flag.name, flag]));
    this.#byShorthand = new Map(
      flags.flatMap((flag) => (flag.shorthand ? [[flag.shorthand, flag] as const] : [])),
    );
  }

  /**
   * Reads arguments by the rules of Go's pflag: `--name=value`, `--name value`, a bare `--name` for flags that can stand
   * alone, `-v=2` and `-v2`, `_` for `-`. Throws a FlagError whose message is fit to be shown.
   */
  read(argv: readonly string[]): ReadArguments {
    const given = new Map<AnyFlag, unknown>();
    const words: string[] = [];
    const rest = [...argv];
    for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
      if (argument === "--" && rest.length === 0) break;
      if (!argument.startsWith("-") || argument === "-") {
        words.push(argument);
        continue;
      }
      const { flag, attached, shown } = this.#find(argument);
      let value = attached ?? flag.type.alone;
      if (value === undefined) {
        value = rest.shift();
        if (value === undefined) throw new FlagError(`flag needs an argument: ${shown}`);
      }
      store(given, flag, value);
    }
    return { given, words };
  }

  #find(argument: string): { flag: AnyFlag; attached: string | undefined; shown: string } {
    if (argument.startsWith("--")) {
      const equals = argument.indexOf("=");
      const shown = equals < 0 ? argument : argument.slice(0, equals);
      const flag = this.#byName.get(shown.slice(2).replaceAll("_", "-"));
      if (flag === undefined)
        throw new FlagError(`unknown flag: ${shown}${this.#suggestion(shown.slice(2))}`);
      return { flag, attached: equals < 0 ? undefined : argument.slice(equals + 1), shown };
    }
    const shown = argument.slice(0, 2);
    const flag = this.#byShorthand.get(argument.charAt(1));
    if (flag === undefined) throw new FlagError(`unknown shorthand flag: ${shown}`);
    const attached = argument.slice(2).replace(/^=/, "");
    return { flag, attached: argument.length > 2 ? attached : undefined, shown };
  }

  /** The known flag that differs by at most two letters. */
  #suggestion(name: string): string {
    for (const known of this.#byName.keys()) {
      if (Math.abs(known.length - name.length) <= 2 && editDistance(known, name) <= 2)
        return ` (is it --${known}?)`;
    }
    return "";
  }
}

function store(given: Map<AnyFlag, unknown>, flag: AnyFlag, text: string): void {
  let value: unknown;
  try {
    value = flag.type.parse(text);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    throw new FlagError(`invalid argument ${JSON.stringify(text)} for --${flag.name}: ${error.message}`, {
      cause: error,
    });
  }
  const before = given.get(flag);
  given.set(flag, before !== undefined && flag.type.join ? flag.type.join(before, value) : value);
}
