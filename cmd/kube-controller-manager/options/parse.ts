import { type Flag, FlagError, type FlagGroup } from "./flag.ts";
import { flagGroups, type GroupName, type Options } from "./options.ts";

export interface ParsedArguments {
  /** Values by group and key; only for flags that were given. */
  readonly given: ReadonlyMap<AnyFlag, unknown>;
}

export type AnyFlag = Flag<unknown>;

export interface FlagEntry {
  readonly group: GroupName;
  readonly key: string;
  readonly flag: AnyFlag;
}

/** Every flag with the place of its value in Options. */
export const allFlags: readonly FlagEntry[] = Object.entries<FlagGroup<object>>(flagGroups).flatMap(
  ([group, { flags, title, notBuilt }]) =>
    Object.entries(flags).map(([key, flag]) => ({
      group: group as GroupName,
      key,
      // The type of the value is hidden here and comes back in Options, whose fields are typed by the same flags.
      flag: {
        ...(flag as unknown as AnyFlag),
        ...(notBuilt === true && { unused: `${title.toLowerCase()} is not built yet` }),
      },
    })),
);

const byName = new Map(allFlags.map(({ flag }) => [flag.name, flag]));
const byShorthand = new Map(
  allFlags.flatMap(({ flag }) => (flag.shorthand ? [[flag.shorthand, flag] as const] : [])),
);

/**
 * Reads arguments by the rules of Go's pflag: `--name=value`, `--name value`, a bare `--name` for flags that can stand
 * alone, `-v=2` and `-v2`, `_` for `-`. Throws a FlagError whose message is fit to be shown.
 */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const given = new Map<AnyFlag, unknown>();
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === "--" && rest.length === 0) break;
    const { flag, attached, shown } = findFlag(argument);
    let value = attached ?? flag.type.alone;
    if (value === undefined) {
      value = rest.shift();
      if (value === undefined) throw new FlagError(`flag needs an argument: ${shown}`);
    }
    store(given, flag, value);
  }
  return { given };
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

function findFlag(argument: string): { flag: AnyFlag; attached: string | undefined; shown: string } {
  if (argument.startsWith("--")) {
    const equals = argument.indexOf("=");
    const shown = equals < 0 ? argument : argument.slice(0, equals);
    const flag = byName.get(shown.slice(2).replaceAll("_", "-"));
    if (flag === undefined) throw new FlagError(`unknown flag: ${shown}${suggestion(shown.slice(2))}`);
    return { flag, attached: equals < 0 ? undefined : argument.slice(equals + 1), shown };
  }
  if (!argument.startsWith("-") || argument === "-") {
    throw new FlagError(`unexpected argument ${JSON.stringify(argument)}: this command takes flags only`);
  }
  const shown = argument.slice(0, 2);
  const flag = byShorthand.get(argument.charAt(1));
  if (flag === undefined) throw new FlagError(`unknown shorthand flag: ${shown}`);
  const attached = argument.slice(2).replace(/^=/, "");
  return { flag, attached: argument.length > 2 ? attached : undefined, shown };
}

/** The known flag that differs by at most two letters. */
function suggestion(name: string): string {
  for (const known of byName.keys()) {
    if (Math.abs(known.length - name.length) <= 2 && editDistance(known, name) <= 2)
      return ` (is it --${known}?)`;
  }
  return "";
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replace = (row[j - 1] ?? 0) + (left.charAt(i - 1) === right.charAt(j - 1) ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** Options of these values; what has no value in any layer (the first layer goes first) has its default. */
export function assembleOptions(...layers: readonly ReadonlyMap<AnyFlag, unknown>[]): Options {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const { group, key, flag } of allFlags) {
    const layer = layers.find((values) => values.has(flag));
    (groups[group] ??= {})[key] = layer === undefined ? flag.default : layer.get(flag);
  }
  for (const group of Object.values(groups)) Object.freeze(group);
  return Object.freeze(groups) as Options;
}

/** The value that this flag has in these options. */
export function valueOf(options: Options, { group, key }: FlagEntry): unknown {
  return (options[group] as Readonly<Record<string, unknown>>)[key];
}
