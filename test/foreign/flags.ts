import { parseArgs } from "node:util";

export interface Flags {
  /** The last value that was given; throws where there is none. */
  one(name: string): string;
}

/** The flags of one of envtest's programs, all with values; undefined after --help, which lists them. Throws for others. */
export function readFlags(args: readonly string[], names: readonly string[]): Flags | undefined {
  if (args.includes("--help")) {
    process.stdout.write(names.map((name) => `  --${name} string\n`).join(""));
    return undefined;
  }
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" } as const]));
  const { values } = parseArgs({ args: [...args], options });
  return {
    one: (name) => {
      const value = values[name];
      if (typeof value !== "string") throw new Error(`--${name} is missing`);
      return value;
    },
  };
}
