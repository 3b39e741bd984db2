// Versions as semver.org 2.0 has them.

import { type FunctionOverload, overload } from "../declarations.ts";
import { structType } from "../types.ts";
import { EvaluationError, type OpaqueValue, type Value } from "../values.ts";
import { asBool, asInstance, asText } from "./arguments.ts";

const type = structType("kubernetes.Semver");
const number = "(?:0|[1-9][0-9]*)";
const identifier = `(?:${number}|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)`;
const pattern = new RegExp(
  `^(?<major>${number})\\.(?<minor>${number})\\.(?<patch>${number})` +
    `(?:-(?<pre>${identifier}(?:\\.${identifier})*))?(?:\\+(?<build>[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$`,
);
const maxUint = 2n ** 64n - 1n;

class SemverValue implements OpaqueValue {
  readonly kind = "opaque";
  readonly type = type;

  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly pre: readonly string[];

  constructor(numbers: readonly [major: bigint, minor: bigint, patch: bigint], pre: readonly string[]) {
    this.numbers = numbers;
    this.pre = pre;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && this.compare(other) === 0;
  }

  compare(other: SemverValue): number {
    for (const [index, mine] of this.numbers.entries()) {
      const theirs = other.numbers[index] ?? 0n;
      if (mine !== theirs) return mine < theirs ? -1 : 1;
    }
    // Without a pre-release it is the later one.
    if (this.pre.length === 0 || other.pre.length === 0)
      return Math.sign(Number(this.pre.length === 0) - Number(other.pre.length === 0));
    for (const [index, mine] of this.pre.entries()) {
      const theirs = other.pre[index];
      if (theirs === undefined) return 1;
      const order = compareIdentifiers(mine, theirs);
      if (order !== 0) return order;
    }
    return this.pre.length < other.pre.length ? -1 : 0;
  }
}

/** Numbers come before words. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, otherIsNumber] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (isNumber && otherIsNumber) return Math.sign(Number(BigInt(a) - BigInt(b)));
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

function parse(text: string): SemverValue | string {
  const groups = pattern.exec(text)?.groups;
  if (groups === undefined) return problemOf(text);
  const [major, minor, patch] = [groups["major"], groups["minor"], groups["patch"]].map((each) =>
    BigInt(each ?? 0),
  ) as [bigint, bigint, bigint];
  if ([major, minor, patch].some((each) => each > maxUint)) return "value out of range";
  return new SemverValue([major, minor, patch], groups["pre"]?.split(".") ?? []);
}

function problemOf(text: string): string {
  if (text === "") return "Version string empty";
  const parts = text.split(/[-+]/)[0]?.split(".") ?? [];
  if (parts.length !== 3) return "No Major.Minor.Patch elements found";
  const names = ["major", "minor", "patch"];
  for (const [index, part] of parts.entries()) {
    const name = names[index] ?? "";
    if (!/^[0-9]+$/.test(part)) return `Invalid character(s) found in ${name} number ${JSON.stringify(part)}`;
    if (/^0./.test(part))
      return `${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${JSON.stringify(part)}`;
  }
  return `Invalid character(s) found in ${JSON.stringify(text)}`;
}

/** Takes what people write for versions: v1.2, 01.2.3. */
function normalize(text: string): string {
  const [major = "", minor, ...rest] = text.replace(/^v/, "").split(".");
  const parts = [
    major,
    ...(minor === undefined ? [] : [minor]),
    ...(rest.length === 0 ? [] : [rest.join(".")]),
  ];
  const trimmed = parts.map((part) => {
    if (part.length < 2) return part;
    const bare = part.replace(/^0+/, "");
    return /^[0-9]/.test(bare) ? bare : `0${bare}`;
  });
  if (trimmed.length >= 3) return trimmed.join(".");
  const last = trimmed.at(-1) ?? "";
  // A pre-release belongs behind three numbers.
  if (/[+-]/.test(last)) return trimmed.join(".");
  return [...trimmed, ...Array.from({ length: 3 - trimmed.length }, () => "0")].join(".");
}

export function toSemver(text: string): SemverValue {
  const version = parse(text);
  if (typeof version === "string") throw new EvaluationError(version);
  return version;
}

const asSemver = (value: Value | undefined): SemverValue => asInstance(value, SemverValue);
const compared = (a: Value | undefined, b: Value | undefined): number => asSemver(a).compare(asSemver(b));
const maybeNormal = (text: Value | undefined, wanted: Value | undefined): string =>
  asBool(wanted) ? normalize(asText(text)) : asText(text);
const name = "kubernetes.Semver";

export const semverOverloads: readonly FunctionOverload[] = [
  overload("string_to_semver", `semver(string): ${name}`, (text) => toSemver(asText(text))),
  overload("string_bool_to_semver", `semver(string, bool): ${name}`, (text, normal) =>
    toSemver(maybeNormal(text, normal)),
  ),
  overload("is_semver_string", "isSemver(string): bool", (text) => typeof parse(asText(text)) !== "string"),
  overload(
    "is_semver_string_bool",
    "isSemver(string, bool): bool",
    (text, normal) => typeof parse(maybeNormal(text, normal)) !== "string",
  ),
  overload("semver_is_greater_than", `(${name}).isGreaterThan(${name}): bool`, (a, b) => compared(a, b) > 0),
  overload("semver_is_less_than", `(${name}).isLessThan(${name}): bool`, (a, b) => compared(a, b) < 0),
  overload("semver_compare_to", `(${name}).compareTo(${name}): int`, (a, b) => BigInt(compared(a, b))),
  ...["major", "minor", "patch"].map((part, index) =>
    overload(
      `semver_${part}`,
      `(${name}).${part}(): int`,
      (version) => asSemver(version).numbers[index] ?? 0n,
    ),
  ),
];
