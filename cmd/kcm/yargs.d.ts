/** The part of yargs that is used here: the package comes without types. */
declare module "yargs" {
  interface OptionSpec {
    readonly type: "boolean" | "number" | "string" | "array";
    readonly describe: string;
    readonly alias?: string;
    readonly default?: unknown;
    readonly defaultDescription?: string;
    readonly requiresArg?: boolean;
  }

  interface CommandSpec {
    readonly command: string;
    readonly describe: string;
    builder(parser: Parser): Parser;
    handler(argv: Readonly<Record<string, unknown>>): Promise<void>;
  }

  interface Parser {
    scriptName(name: string): Parser;
    usage(text: string): Parser;
    command(spec: CommandSpec): Parser;
    demandCommand(least: number, message: string): Parser;
    options(specs: Readonly<Record<string, OptionSpec>>): Parser;
    example(command: string, describe: string): Parser;
    parserConfiguration(settings: Readonly<Record<string, boolean>>): Parser;
    strict(): Parser;
    help(): Parser;
    alias(name: string, other: string): Parser;
    version(version: string): Parser;
    wrap(columns: number): Parser;
    exitProcess(enabled: boolean): Parser;
    /** `error` is what a handler threw; without it the arguments are at fault. */
    fail(handler: (message: string | null, error: unknown) => void): Parser;
    parseAsync(): Promise<unknown>;
  }

  // oxlint-disable-next-line import/no-default-export -- this is how the package exports it
  export default function yargs(argv: readonly string[]): Parser;
  export type { CommandSpec, OptionSpec, Parser };
}
