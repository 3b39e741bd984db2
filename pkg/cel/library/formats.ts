// Named formats of strings: format.dns1123Label().validate(name).

import { labelKeyProblems, labelValueProblems } from "../../api/labels-validate.ts";
import { dns1035LabelProblems, dnsLabelProblems, dnsSubdomainProblems } from "../../api/names.ts";
import { parseTimestamp } from "../conversions.ts";
import { type FunctionOverload, overload } from "../declarations.ts";
import { structType } from "../types.ts";
import { ArrayList, type OpaqueValue, Optional, type Value } from "../values.ts";
import { asInstance, asText } from "./arguments.ts";
import { uriProblem } from "./url.ts";

type Problems = (text: string) => readonly string[];

/** A prefix of a generated name may end with a hyphen. */
const ofPrefix =
  (problems: Problems): Problems =>
  (text) =>
    problems(text.replace(/-$/, "a"));

const unless =
  (problem: string, holds: (text: string) => boolean): Problems =>
  (text) =>
    holds(text) ? [] : [problem];

const isBase64 = (text: string): boolean =>
  text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

const formats: Readonly<Record<string, readonly [problems: Problems, patternSize: number]>> = {
  dns1123Label: [dnsLabelProblems, 30],
  dns1123Subdomain: [dnsSubdomainProblems, 60],
  dns1035Label: [dns1035LabelProblems, 30],
  qualifiedName: [labelKeyProblems, 60],
  dns1123LabelPrefix: [ofPrefix(dnsLabelProblems), 30],
  dns1123SubdomainPrefix: [ofPrefix(dnsSubdomainProblems), 60],
  dns1035LabelPrefix: [ofPrefix(dns1035LabelProblems), 30],
  labelValue: [labelValueProblems, 40],
  uri: [(text) => uriProblem(text), 1103],
  uuid: [unless("does not match the UUID format", (text) => uuid.test(text)), 70],
  byte: [unless("invalid base64", isBase64), 84],
  date: [
    unless("invalid date", (text) => parseTimestamp(`${text}T00:00:00Z`) !== undefined && text.length === 10),
    71,
  ],
  datetime: [unless("invalid datetime", (text) => parseTimestamp(text.toUpperCase()) !== undefined), 71],
};

export class FormatValue implements OpaqueValue {
  readonly kind = "opaque";
  readonly type = structType("kubernetes.NamedFormat");

  readonly name: string;
  readonly problems: Problems;
  /** About how long a pattern would be that does the same. */
  readonly patternSize: number;

  constructor(name: string, problems: Problems, patternSize: number) {
    this.name = name;
    this.problems = problems;
    this.patternSize = patternSize;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const values = new Map(
  Object.entries(formats).map(([name, [problems, size]]) => [name, new FormatValue(name, problems, size)]),
);

function validate(format: Value | undefined, text: Value | undefined): Optional {
  const problems = asInstance(format, FormatValue).problems(asText(text));
  return problems.length === 0 ? Optional.none : new Optional(new ArrayList(problems));
}

const type = "kubernetes.NamedFormat";

export const formatOverloads: readonly FunctionOverload[] = [
  ...[...values].map(([name, value]) => overload(`format.${name}`, `format.${name}(): ${type}`, () => value)),
  overload(
    "format-named",
    `format.named(string): optional(${type})`,
    (name) => new Optional(values.get(asText(name))),
  ),
  overload("format-validate", `(${type}).validate(string): optional(list(string))`, validate),
];
