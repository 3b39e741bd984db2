import { messageOf } from "../../../pkg/api/errors.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { FlagError } from "./flag.ts";
import { allFlags, assembleOptions, parseArguments } from "./parse.ts";
import { type LeaderMigration, leaderMigrationOf } from "./leader-migration-file.ts";
import type { MetricsConfig } from "../../../pkg/metrics/policy.ts";
import { metricsSettings } from "./metrics-settings.ts";
import type { Options } from "./options.ts";
import { validateOptions } from "./validate.ts";
import { KUBERNETES_VERSION } from "../version.ts";

export interface ResolvedOptions {
  readonly options: Options;
  /** Names of the flags that were given although nothing here depends on them. */
  readonly unusedFlags: readonly string[];
  readonly leaderMigration: LeaderMigration | undefined;
  readonly metrics: MetricsConfig;
}

/**
 * Arguments to options: flags go before the configuration file, and that before the defaults. Throws a FlagError of one
 * line for whatever cannot be used. --help and --version are answered even when the rest could not be used.
 */
export function resolveOptions(argv: readonly string[], readFile: (path: string) => string): ResolvedOptions {
  const { given } = parseArguments(argv);
  const fromFlags = assembleOptions(given);
  if (fromFlags.global.help || fromFlags.global.version !== "")
    return {
      options: fromFlags,
      unusedFlags: [],
      leaderMigration: undefined,
      metrics: { version: KUBERNETES_VERSION },
    };
  const path = fromFlags.own.config;
  const file = path === "" ? undefined : configFile(path, readFile);
  const options = file === undefined ? fromFlags : assembleOptions(given, file.values);
  const problems = validateOptions(options);
  if (problems.length > 0) throw new FlagError(problems.join("; "));
  const unusedFlags = allFlags.filter(({ flag }) => flag.unused !== undefined && given.has(flag));
  return {
    options,
    unusedFlags: unusedFlags.map(({ flag }) => flag.name),
    leaderMigration: leaderMigrationOf(options, readFile, file?.leaderMigration),
    metrics: metricsSettings(options, readFile),
  };
}

function configFile(path: string, readFile: (path: string) => string): ConfigFile {
  try {
    return readConfigFile(readFile(path));
  } catch (error) {
    const reason = messageOf(error);
    throw new FlagError(`--config ${path}: ${reason}`, { cause: error });
  }
}
