import { load } from "js-yaml";
import { type AnyFlag, allFlags, type FlagEntry, valueOf } from "./parse.ts";
import { FlagError } from "./flag.ts";
import type { Options } from "./options.ts";

export const CONFIG_API_VERSION = "kubecontrollermanager.config.k8s.io/v1alpha1";
export const CONFIG_KIND = "KubeControllerManagerConfiguration";

type Json = Readonly<Record<string, unknown>>;

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
  ["NodeLifecycleController.PodEvictionTimeout", "0s"],
  [
    "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.MaximumRetry",
    3,
  ],
]);

const byPath = new Map(
  allFlags.flatMap((entry) => (entry.flag.config === undefined ? [] : [[entry.flag.config, entry] as const])),
);

/**
 * Reads a configuration file (YAML or JSON) into values of flags. Strict: an unknown field, a field twice, or a value of
 * the wrong type throws a FlagError that names its path.
 */
export function readConfigFile(text: string): ReadonlyMap<AnyFlag, unknown> {
  const document = parseDocument(text);
  if (document["apiVersion"] !== CONFIG_API_VERSION || document["kind"] !== CONFIG_KIND) {
    throw new FlagError(`must be of apiVersion ${CONFIG_API_VERSION} and kind ${CONFIG_KIND}`);
  }
  const values = new Map<AnyFlag, unknown>();
  for (const [key, value] of Object.entries(document)) {
    if (key !== "apiVersion" && key !== "kind") readField(key, value, values);
  }
  return values;
}

/** The one object of a YAML or JSON file; a field twice is an error. */
export function parseDocument(text: string): Json {
  let document: unknown;
  try {
    document = load(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new FlagError(`is neither YAML nor JSON: ${reason}`);
  }
  if (!isObject(document)) throw new FlagError("must hold one object");
  return document;
}

function readField(path: string, value: unknown, values: Map<AnyFlag, unknown>): void {
  const entry = byPath.get(path);
  if (entry !== undefined) {
    values.set(entry.flag, readValue(path, value, entry.flag));
    return;
  }
  const fixed = FIXED.get(path);
  if (fixed !== undefined) {
    if (JSON.stringify(fixed) === JSON.stringify(value)) return;
    throw new FlagError(`${path} cannot be set: it is always ${JSON.stringify(fixed)}`);
  }
  if (!isKnownGroup(path)) throw new FlagError(`unknown field ${path}`);
  if (!isObject(value)) throw new FlagError(`${path} must be an object`);
  for (const [key, inner] of Object.entries(value)) readField(`${path}.${key}`, inner, values);
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
    throw new FlagError(`${path} ${error.message}`);
  }
}

/** The document that /configz shows, and that `--config` would read back. */
export function renderConfig(options: Options): Json {
  const document: Record<string, unknown> = { kind: CONFIG_KIND, apiVersion: CONFIG_API_VERSION };
  for (const [path, value] of FIXED) place(document, path, value);
  for (const entry of byPath.values()) place(document, entry.flag.config ?? "", configValue(options, entry));
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

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
