import { type AnyFlag, ArgumentReader } from "./arguments.ts";
import { FlagError, type FlagGroup } from "./flag.ts";
import { flagGroups, type GroupName, type Options } from "./options.ts";

export interface ParsedArguments {
  /** Values by flag; only of flags that were given. */
  readonly given: ReadonlyMap<AnyFlag, unknown>;
}

export interface FlagEntry {
  readonly group: GroupName;
  readonly key: string;
  readonly flag: AnyFlag;
}

/** Every flag with the place of its value in Options. */
export const allFlags: readonly FlagEntry[] = Object.entries<FlagGroup<object>>(flagGroups).flatMap(
  ([group, { flags }]) =>
    Object.entries(flags).map(([key, flag]) => ({
      group: group as GroupName,
      key,
      // The type of the value is hidden here and comes back in Options, whose fields are typed by the same flags.
      flag: flag as unknown as AnyFlag,
    })),
);

const reader = new ArgumentReader(allFlags.map(({ flag }) => flag));

/** Throws a FlagError for whatever is no flag, or has a value that cannot be read. */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const { given, words } = reader.read(argv);
  if (words.length > 0) {
    throw new FlagError(`unexpected argument ${JSON.stringify(words[0])}: this command takes flags only`);
  }
  return { given };
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
