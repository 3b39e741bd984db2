import type { AnyFlag } from "./arguments.ts";
import { allFlags, type FlagEntry, valueOf } from "./parse.ts";
import { isObject, type Json, parseDocument } from "./document.ts";
import { FlagError } from "./flag.ts";
import type { LeaderMigration } from "./leader-migration-file.ts";
import type { Options } from "./options.ts";

export const CONFIG_API_VERSION = "kubecontrollermanager.config.k8s.io/v1alpha1";
export const CONFIG_KIND = "KubeControllerManagerConfiguration";

/**
 * Fields of the configuration kind that no flag sets. They are shown by /configz, and a file may hold them as long as
 * they say what this program does anyway.
 */
const FIXED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["Generic.Port", 0],
  ["Generic.Address", "0.0.0.0"],
  ["Generic.ClientConnection.acceptContentTypes", ""],
  [
    "GarbageCollectorController.GCIgnoredResources",
    [
      { Group: "", Resource: "events" },
      { Group: "events.k8s.io", Resource: "events" },
    ],
  ],
  ["DeprecatedController", {}],
  ["NodeLifecycleController.PodEvictionTimeout", "0s"],
  [
    "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.MaximumRetry",
    3,
  ],
]);

/** Two fields of one flag: each takes one of its ranges. */
const SERVICE_RANGES = ["NodeIPAMController.ServiceCIDR", "NodeIPAMController.SecondaryServiceCIDR"] as const;
const serviceRangeFlag = allFlags.find(({ flag }) => flag.name === "service-cluster-ip-range");

/** What a file of its own says otherwise. */
const LEADER_MIGRATION = "Generic.LeaderMigration";

export interface ConfigFile {
  readonly values: ReadonlyMap<AnyFlag, unknown>;
  /** The fields of a leader migration, unread; undefined when there are none. */
  readonly leaderMigration: Json | undefined;
}

interface Reading {
  readonly values: Map<AnyFlag, unknown>;
  readonly serviceRanges: Map<string, string>;
  leaderMigration: Json | undefined;
}

/** What /configz shows and no flag alone says. */
export interface ConfigFacts {
  /** --controllers, with full names. */
  readonly controllers: readonly string[];
  readonly leaderMigration: LeaderMigration | undefined;
}

const byPath = new Map(
  allFlags.flatMap((entry) => (entry.flag.config === undefined ? [] : [[entry.flag.config, entry] as const])),
);

/**
 * Reads a configuration file (YAML or JSON) into values of flags. Strict: an unknown field, a field twice, or a value of
 * the wrong type throws a FlagError that names its path.
 */
export function readConfigFile(text: string): ConfigFile {
  const document = parseDocument(text);
  if (document["apiVersion"] !== CONFIG_API_VERSION || document["kind"] !== CONFIG_KIND) {
    throw new FlagError(`must be of apiVersion ${CONFIG_API_VERSION} and kind ${CONFIG_KIND}`);
  }
  const reading: Reading = { values: new Map(), serviceRanges: new Map(), leaderMigration: undefined };
  for (const [key, value] of Object.entries(document)) {
    if (key !== "apiVersion" && key !== "kind") readField(key, value, reading);
  }
  const { values, serviceRanges, leaderMigration } = reading;
  const ranges = SERVICE_RANGES.flatMap((path) => serviceRanges.get(path) ?? []).filter(
    (range) => range !== "",
  );
  if (serviceRangeFlag !== undefined && serviceRanges.size > 0)
    values.set(serviceRangeFlag.flag, ranges.join(","));
  return { values, leaderMigration };
}

function readField(path: string, value: unknown, reading: Reading): void {
  const entry = byPath.get(path);
  if (entry !== undefined) {
    reading.values.set(entry.flag, readValue(path, value, entry.flag));
    return;
  }
  if (SERVICE_RANGES.some((range) => range === path)) {
    if (typeof value !== "string") throw new FlagError(`${path} must be a string`);
    reading.serviceRanges.set(path, value);
    return;
  }
  const fixed = FIXED.get(path);
  if (fixed !== undefined) {
    if (JSON.stringify(fixed) === JSON.stringify(value)) return;
    throw new FlagError(`${path} cannot be set: it is always ${JSON.stringify(fixed)}`);
  }
  if (path !== LEADER_MIGRATION && !isKnownGroup(path)) throw new FlagError(`unknown field ${path}`);
  if (!isObject(value)) throw new FlagError(`${path} must be an object`);
  if (path === LEADER_MIGRATION) {
    // As /configz shows it when there is none.
    if (value["leaderName"] !== "") reading.leaderMigration = value;
    return;
  }
  for (const [key, inner] of Object.entries(value)) readField(`${path}.${key}`, inner, reading);
}

function isKnownGroup(path: string): boolean {
  const prefix = `${path}.`;
  return [...byPath.keys(), ...FIXED.keys()].some((known) => known.startsWith(prefix));
}

function readValue(path: string, value: unknown, flag: AnyFlag): unknown {
  const wanted = jsonValue(flag.default, flag);
  if (Array.isArray(wanted)) {
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    throw new FlagError(`${path} must be a list of strings`);
  }
  if (typeof value !== typeof wanted) throw new FlagError(`${path} must be a ${typeof wanted}`);
  try {
    return flag.type.parse(String(value));
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    throw new FlagError(`${path} ${error.message}`, { cause: error });
  }
}

/** The document that /configz shows, and that `--config` would read back. */
export function renderConfig(options: Options, { controllers, leaderMigration }: ConfigFacts): Json {
  const document: Record<string, unknown> = { kind: CONFIG_KIND, apiVersion: CONFIG_API_VERSION };
  for (const [path, value] of FIXED) place(document, path, value);
  for (const entry of byPath.values()) place(document, entry.flag.config ?? "", configValue(options, entry));
  place(document, "Generic.Controllers", controllers);
  place(document, LEADER_MIGRATION, {
    leaderName: leaderMigration?.leaderName ?? "",
    resourceLock: leaderMigration === undefined ? "" : "leases",
    controllerLeaders: leaderMigration?.controllerLeaders ?? null,
  });
  const ranges = options.nodeIpam.serviceClusterIpRange.split(",");
  for (const [index, path] of SERVICE_RANGES.entries()) place(document, path, ranges[index] ?? "");
  return document;
}

function configValue(options: Options, entry: FlagEntry): unknown {
  return jsonValue(valueOf(options, entry), entry.flag);
}

function jsonValue(value: unknown, flag: AnyFlag): unknown {
  return flag.type.name === "duration" ? flag.type.format(value) : value;
}

function place(document: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let target = document;
  for (const key of keys) target = (target[key] ??= {}) as Record<string, unknown>;
  target[last] = value;
}
