// Versions as semver.org 2.0 has them.

import { quotedAsInGo } from "../../api/go-quote.ts";
import { type FunctionOverload, overload } from "../declarations.ts";
import { structType } from "../types.ts";
import { EvaluationError, type OpaqueValue, type Value } from "../values.ts";
import { asBool, asInstance, asText } from "./arguments.ts";
import { cut } from "./cut.ts";

const type = structType("kubernetes.Semver");
const maxUint = 2n ** 64n - 1n;

class SemverValue implements OpaqueValue {
  readonly kind = "opaque";
  readonly type = type;

  /** Major, minor and patch. */
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];

  constructor(numbers: readonly bigint[], pre: readonly string[]) {
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

/** upstream: github.com/blang/semver#Parse */
function parse(text: string): SemverValue | string {
  if (text === "") return "Version string empty";
  const [major, minor, ...rest] = text.split(".");
  if (major === undefined || minor === undefined || rest.length === 0)
    return "No Major.Minor.Patch elements found";
  const [core, build] = cut(rest.join("."), "+");
  const [patch, pre] = cut(core, "-");
  const numbers: bigint[] = [];
  for (const [name, digits] of Object.entries({ Major: major, Minor: minor, Patch: patch })) {
    const number = numberOf(name, digits);
    if (typeof number === "string") return number;
    numbers.push(number);
  }
  const names = pre?.split(".") ?? [];
  const problems = [...names.map(problemOfPre), ...(build?.split(".") ?? []).map(problemOfBuild)];
  const problem = problems.find((each) => each !== undefined);
  return problem ?? new SemverValue(numbers, names);
}

function numberOf(name: string, digits: string): bigint | string {
  if (!/^[0-9]*$/.test(digits))
    return `Invalid character(s) found in ${name.toLowerCase()} number ${quotedAsInGo(digits)}`;
  if (/^0./.test(digits)) return `${name} number must not contain leading zeroes ${quotedAsInGo(digits)}`;
  return problemOfNumber(digits) ?? BigInt(digits);
}

function problemOfNumber(digits: string): string | undefined {
  if (digits === "") return 'strconv.ParseUint: parsing "": invalid syntax';
  return BigInt(digits) > maxUint ? `strconv.ParseUint: parsing "${digits}": value out of range` : undefined;
}

function problemOfPre(name: string): string | undefined {
  if (name === "") return "Prerelease is empty";
  if (/^0[0-9]+$/.test(name))
    return `Numeric PreRelease version must not contain leading zeroes ${quotedAsInGo(name)}`;
  if (/^[0-9]+$/.test(name)) return problemOfNumber(name);
  return /^[0-9A-Za-z-]+$/.test(name)
    ? undefined
    : `Invalid character(s) found in prerelease ${quotedAsInGo(name)}`;
}

function problemOfBuild(name: string): string | undefined {
  if (name === "") return "Build meta data is empty";
  return /^[0-9A-Za-z-]+$/.test(name)
    ? undefined
    : `Invalid character(s) found in build meta data ${quotedAsInGo(name)}`;
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
