import { parseInt64 } from "./int64.ts";
import { labelKeyProblems, labelValueProblems } from "./labels-validate.ts";

export type Labels = Readonly<Record<string, string>>;

/** A parsed label selector. */
export interface LabelSelector {
  matches(labels: Labels | undefined): boolean;
  /** It restricts nothing. */
  readonly empty: boolean;
  /** The conditions, all of which must hold; undefined for the selector that matches nothing. */
  readonly requirements: readonly LabelRequirement[] | undefined;
  /** The form that the `labelSelector` query parameter takes. */
  toString(): string;
}

export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** As given; `toString` sorts them. */
  readonly values: readonly string[];
}

export class SelectorError extends Error {
  readonly code = "InvalidSelector";
}

const operators: readonly LabelOperator[] = ["in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"];

/** Checks a requirement as the API server does; throws a SelectorError that names every problem, below `path`. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
  path = "",
): LabelRequirement {
  const problems = [
    ...keyProblems(key),
    ...operatorProblems(operator, values),
    ...values.flatMap((value, index) => valueProblems(key, value, index)),
  ].map((problem) => (path === "" ? problem : `${path}.${problem}`));
  if (problems.length === 1) throw new SelectorError(problems[0]);
  if (problems.length > 1) throw new SelectorError(`[${problems.join(", ")}]`);
  return { key, operator, values };
}

/** Selects the objects that fulfil every requirement; requirements are kept in order of their keys. */
export function selectorFromRequirements(requirements: readonly LabelRequirement[]): LabelSelector {
  if (requirements.length === 0) return everything;
  return new RequirementsSelector(requirements.toSorted((a, b) => compareStrings(a.key, b.key)));
}

const ofLabels = new WeakMap<Labels, LabelSelector>();

/** Selects the objects that carry all of these labels; no labels select everything. Does not validate. */
export function selectorFromLabels(labels: Labels | undefined): LabelSelector {
  if (labels === undefined) return everything;
  let selector = ofLabels.get(labels);
  if (selector === undefined) {
    const entries = Object.entries(labels);
    selector = selectorFromRequirements(
      entries.map(([key, value]) => ({ key, operator: "=", values: [value] })),
    );
    ofLabels.set(labels, selector);
  }
  return selector;
}

/** The value that the selector demands of one label, when it demands exactly one. */
export function requiredLabelValue(selector: LabelSelector, key: string): string | undefined {
  const requirement = selector.requirements?.find((candidate) => candidate.key === key);
  if (requirement?.values.length !== 1) return undefined;
  const { operator } = requirement;
  return operator === "=" || operator === "==" || operator === "in" ? requirement.values[0] : undefined;
}

type Test = (value: string | undefined, values: readonly string[]) => boolean;
const isAmong: Test = (value, values) => value !== undefined && values.includes(value);
const isNotAmong: Test = (value, values) => value === undefined || !values.includes(value);
const tests: Readonly<Record<LabelOperator, Test>> = {
  "=": isAmong,
  "==": isAmong,
  in: isAmong,
  "!=": isNotAmong,
  notin: isNotAmong,
  exists: (value) => value !== undefined,
  "!": (value) => value === undefined,
  gt: (value, values) => compareIntegers(value, values, (actual, bound) => actual > bound),
  lt: (value, values) => compareIntegers(value, values, (actual, bound) => actual < bound),
};

function requirementMatches(
  { key, operator, values }: LabelRequirement,
  labels: Labels | undefined,
): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  return tests[operator](value, values);
}

type Print = (key: string, values: string) => string;
const prints: Readonly<Record<LabelOperator, Print>> = {
  "=": (key, value) => `${key}=${value}`,
  "==": (key, value) => `${key}==${value}`,
  in: (key, values) => `${key} in (${values})`,
  "!=": (key, value) => `${key}!=${value}`,
  notin: (key, values) => `${key} notin (${values})`,
  exists: (key) => key,
  "!": (key) => `!${key}`,
  gt: (key, value) => `${key}>${value}`,
  lt: (key, value) => `${key}<${value}`,
};

function requirementToString({ key, operator, values }: LabelRequirement): string {
  return prints[operator](key, values.toSorted(compareStrings).join(","));
}

class RequirementsSelector implements LabelSelector {
  readonly empty = false;
  readonly requirements: readonly LabelRequirement[];
  #text: string | undefined;

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
  }

  matches(labels: Labels | undefined): boolean {
    for (const requirement of this.requirements) {
      if (!requirementMatches(requirement, labels)) return false;
    }
    return true;
  }

  toString(): string {
    return (this.#text ??= this.requirements.map(requirementToString).join(","));
  }
}

export const everything: LabelSelector = {
  matches: () => true,
  empty: true,
  requirements: [],
  toString: () => "",
};

/** Not empty, yet without a textual form: callers must not send it as a query. */
export const nothing: LabelSelector = {
  matches: () => false,
  empty: false,
  requirements: undefined,
  toString: () => "",
};

function compareIntegers(
  value: string | undefined,
  bounds: readonly string[],
  holds: (actual: bigint, bound: bigint) => boolean,
): boolean {
  const actual = value === undefined ? undefined : parseInt64(value);
  const bound = bounds.length === 1 ? parseInt64(bounds[0] ?? "") : undefined;
  return actual !== undefined && bound !== undefined && holds(actual, bound);
}

function keyProblems(key: string): readonly string[] {
  const problems = labelKeyProblems(key);
  return problems.length === 0 ? [] : [`key: Invalid value: ${JSON.stringify(key)}: ${problems.join("; ")}`];
}

function valueProblems(key: string, value: string, index: number): readonly string[] {
  const problems = labelValueProblems(value);
  if (problems.length === 0) return [];
  return [`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problems.join("; ")}`];
}

function operatorProblems(operator: LabelOperator, values: readonly string[]): readonly string[] {
  const invalid = (why: string): string[] => [`values: Invalid value: ${JSON.stringify(values)}: ${why}`];
  switch (operator) {
    case "in":
    case "notin":
      return values.length > 0 ? [] : invalid("for 'in', 'notin' operators, values set can't be empty");
    case "=":
    case "==":
    case "!=":
      return values.length === 1 ? [] : invalid("exact-match compatibility requires one single value");
    case "exists":
    case "!":
      return values.length === 0 ? [] : invalid("values set must be empty for exists and does not exist");
    case "gt":
    case "lt":
      return [
        ...(values.length === 1 ? [] : invalid("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...values.flatMap((value, index) => integerProblems(value, index)),
      ];
    default:
      return [unsupported(operator)];
  }
}

function integerProblems(value: string, index: number): readonly string[] {
  if (parseInt64(value) !== undefined) return [];
  return [
    `values[${index}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
  ];
}

/** Reached only with an operator that came from outside the type system. */
function unsupported(operator: never): string {
  const supported = operators.toSorted(compareStrings).map((known) => JSON.stringify(known));
  return `operator: Unsupported value: ${JSON.stringify(operator)}: supported values: ${supported.join(", ")}`;
}

function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
