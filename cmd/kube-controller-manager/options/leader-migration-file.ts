import { messageOf } from "../../../pkg/api/errors.ts";
import { isObject, type Json, parseDocument } from "./document.ts";
import { FlagError } from "./flag.ts";
import type { Options } from "./options.ts";

/** Which controllers run under a second Lease, so that they can move between controller managers one by one. */
export interface LeaderMigration {
  /** Name of the second Lease. */
  readonly leaderName: string;
  readonly controllerLeaders: readonly ControllerLeader[];
}

export interface ControllerLeader {
  readonly name: string;
  /** The program that runs it; `*` is any that takes part. */
  readonly component: string;
}

const GROUP = "controllermanager.config.k8s.io";
const KIND = "LeaderMigrationConfiguration";
/** All but v1 also name the kind of the lock, of which only Leases are left. */
const versions: ReadonlySet<unknown> = new Set([`${GROUP}/v1`, `${GROUP}/v1beta1`, `${GROUP}/v1alpha1`]);

const defaultMigration: LeaderMigration = {
  leaderName: "cloud-provider-extraction-migration",
  controllerLeaders: ["route-controller", "service-controller", "cloud-node-lifecycle-controller"].map(
    (name) => ({ name, component: "*" }),
  ),
};

/**
 * What the flags ask for; undefined when nothing is to migrate. Its file goes before `section`, the fields of a migration
 * in the file of --config, and that before the default. Throws a FlagError for what cannot be used.
 */
export function leaderMigrationOf(
  options: Options,
  readFile: (path: string) => string,
  section?: Json,
): LeaderMigration | undefined {
  const { enabled, configFile } = options.leaderMigration;
  if (!enabled || !options.generic.leaderElect) return undefined;
  if (configFile === "") return section === undefined ? defaultMigration : readSection(section);
  try {
    return readLeaderMigration(readFile(configFile));
  } catch (error) {
    const reason = messageOf(error);
    throw new FlagError(`--leader-migration-config ${configFile}: ${reason}`, { cause: error });
  }
}

/** Strict: an unknown field, a field twice or a value of the wrong type throws a FlagError that names it. */
export function readLeaderMigration(text: string): LeaderMigration {
  const { apiVersion, kind, ...fields } = parseDocument(text);
  if (kind !== KIND || !versions.has(apiVersion)) {
    throw new FlagError(`must be of apiVersion ${GROUP}/v1 and kind ${KIND}`);
  }
  return apiVersion === `${GROUP}/v1` ? readFields(fields) : readLocked(fields);
}

function readSection(section: Json): LeaderMigration {
  try {
    return readLocked(section);
  } catch (error) {
    const reason = messageOf(error);
    throw new FlagError(`--config: Generic.LeaderMigration: ${reason}`, { cause: error });
  }
}

function readLocked({ resourceLock, ...fields }: Json): LeaderMigration {
  checkResourceLock(resourceLock);
  return readFields(fields);
}

function readFields({ leaderName, controllerLeaders, ...others }: Json): LeaderMigration {
  refuseUnknown("", others);
  return {
    leaderName: requiredText("leaderName", leaderName),
    controllerLeaders: readLeaders(controllerLeaders),
  };
}

function checkResourceLock(value: unknown): void {
  if (value === "leases") return;
  // upstream: resourcelock#New takes this one no more, although the file may still name it.
  if (value === "endpoints")
    throw new FlagError("resourceLock endpoints does not exist any more, use leases");
  throw new FlagError("resourceLock must be leases");
}

function readLeaders(value: unknown): readonly ControllerLeader[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new FlagError("controllerLeaders must be a list");
  return value.map((item: unknown, index) => {
    const path = `controllerLeaders[${index}]`;
    if (!isObject(item)) throw new FlagError(`${path} must be an object`);
    const { name, component, ...rest } = item;
    refuseUnknown(`${path}.`, rest);
    return {
      name: requiredText(`${path}.name`, name),
      component: requiredText(`${path}.component`, component),
    };
  });
}

function requiredText(path: string, value: unknown): string {
  if (value !== undefined && typeof value !== "string") throw new FlagError(`${path} must be a string`);
  if (value === undefined || value === "") throw new FlagError(`${path} must be set`);
  return value;
}

function refuseUnknown(prefix: string, rest: Readonly<Record<string, unknown>>): void {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new FlagError(`unknown field ${prefix}${unknown}`);
}
