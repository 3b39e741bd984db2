import { type AnyFlag, ArgumentReader } from "../kube-controller-manager/options/arguments.ts";
import type { FlagGroup, FlagSet, ValuesOf } from "../kube-controller-manager/options/flag.ts";

/** What one command was asked for. */
export interface Asked<F> {
  readonly values: ValuesOf<FlagGroup<F & object>>;
  /** Keys of the flags that were given. */
  readonly given: ReadonlySet<string>;
  readonly words: readonly string[];
}

interface CommandSpec<F extends object> {
  readonly name: string;
  /** What may stand behind the name, besides flags: `[NAME]`. */
  readonly takes?: string;
  readonly summary: string;
  readonly flags: F;
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Resolves to the exit code. Throws a FlagError or StartError for what the user got wrong. */
  run(asked: Asked<F>): Promise<number>;
}

/** A command of kcm, whatever its flags are. */
export interface Command extends Pick<CommandSpec<FlagSet>, "name" | "takes" | "summary" | "examples"> {
  readonly flags: readonly AnyFlag[];
  run(argv: readonly string[]): Promise<number>;
}

/** Flags of the daemon's kinds, read by the daemon's rules. */
export function defineCommand<F extends object>(spec: CommandSpec<F>): Command {
  const entries = Object.entries(spec.flags) as readonly (readonly [string, AnyFlag])[];
  const flags = entries.map(([, flag]) => flag);
  return {
    ...spec,
    flags,
    run: async (argv) => {
      const { given, words } = new ArgumentReader(flags).read(argv);
      const values = entries.map(([key, flag]) => [key, given.has(flag) ? given.get(flag) : flag.default]);
      return spec.run({
        // The types that were hidden in the entries, once more.
        values: Object.fromEntries(values) as Asked<F>["values"],
        given: new Set(entries.filter(([, flag]) => given.has(flag)).map(([key]) => key)),
        words,
      });
    },
  };
}
