import { parseInt32 } from "../../../api/int64.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";

const levels = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof levels)[number];

export interface LevelVersion {
  readonly level: Level;
  /** Minor version; Infinity: the latest. */
  readonly version: number;
}

/** What a namespace refuses, notes and warns of. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

const unrestricted: LevelVersion = { level: "privileged", version: Infinity };
const PREFIX = "pod-security.kubernetes.io/";

export function describePolicy({ level, version }: LevelVersion): string {
  return `${level}:${version === Infinity ? "latest" : `v1.${version}`}`;
}

export function samePolicy(left: LevelVersion, right: LevelVersion): boolean {
  return left.level === right.level && left.version === right.version;
}

export function isStricter(left: Level, right: Level): boolean {
  return levels.indexOf(left) > levels.indexOf(right);
}

/** The policy that the labels of a namespace ask for. What they say wrongly is read on the safe side, and told. */
export function policyOf(labels: Readonly<Record<string, string>>, errors: FieldErrors): Policy {
  const read = (mode: string, onError: Level): LevelVersion => ({
    level: parseLevel(labels, PREFIX + mode, onError, errors),
    version: parseVersion(labels, `${PREFIX}${mode}-version`, errors),
  });
  const enforce = read("enforce", "restricted");
  const audit = read("audit", "privileged");
  const warn = read("warn", "privileged");
  // Who refuses also warns, of what is refused later: of the pods of a template.
  const isEnforced = levels.some((level) => level === labels[`${PREFIX}enforce`]);
  if (`${PREFIX}warn` in labels || !isEnforced || !isStricter(enforce.level, warn.level))
    return { enforce, audit, warn };
  const version = `${PREFIX}warn-version` in labels ? warn.version : enforce.version;
  return { enforce, audit, warn: { level: enforce.level, version } };
}

function parseLevel(
  labels: Readonly<Record<string, string>>,
  label: string,
  onError: Level,
  errors: FieldErrors,
): Level {
  const value = labels[label];
  if (value === undefined) return unrestricted.level;
  const level = levels.find((one) => one === value);
  if (level !== undefined) return level;
  errors.invalid(`metadata.labels[${label}]`, value, `must be one of ${levels.join(", ")}`);
  return onError;
}

function parseVersion(labels: Readonly<Record<string, string>>, label: string, errors: FieldErrors): number {
  const value = labels[label];
  if (value === undefined || value === "latest") return unrestricted.version;
  const minor = parseInt32(/^v1\.([0-9]|[1-9][0-9]*)$/.exec(value)?.[1] ?? "");
  if (minor !== undefined) return minor;
  errors.invalid(`metadata.labels[${label}]`, value, 'must be "latest" or "v1.x"');
  return unrestricted.version;
}
