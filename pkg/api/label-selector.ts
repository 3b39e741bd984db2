import type { LabelOperator, LabelRequirement, Labels, LabelSelector } from "./labels.ts";
import { everything, labelRequirement, nothing, SelectorError, selectorFromRequirements } from "./labels.ts";
import { parseLabelSelector } from "./labels-parse.ts";

/** metav1.LabelSelector, as objects carry it in `spec.selector`. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const operators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/** Parsed once for each object that is read, as long as that is kept: an orphan is compared with all of its namespace. */
const parsed = new WeakMap<LabelSelectorSpec, LabelSelector | SelectorError>();

/** A missing selector selects nothing, an empty one everything. Throws a SelectorError. */
export function selectorFromSpec(spec: LabelSelectorSpec | null | undefined): LabelSelector {
  if (spec === undefined || spec === null) return nothing;
  let selector = parsed.get(spec);
  if (selector === undefined) {
    selector = parseSpec(spec);
    parsed.set(spec, selector);
  }
  if (selector instanceof SelectorError) throw selector;
  return selector;
}

function parseSpec(spec: LabelSelectorSpec): LabelSelector | SelectorError {
  try {
    return selectorOfSpec(spec);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}

function selectorOfSpec(spec: LabelSelectorSpec): LabelSelector {
  const requirements = [
    ...Object.entries(spec.matchLabels ?? {}).map(([key, value]) => labelRequirement(key, "=", [value])),
    ...(spec.matchExpressions ?? []).map(requirementFromExpression),
  ];
  return requirements.length === 0 ? everything : selectorFromRequirements(requirements);
}

/** The labels that an object must carry, for places that know no expressions. Throws when they cannot say the same. */
export function labelsFromSpec(spec: LabelSelectorSpec | null | undefined): Labels {
  const labels: Record<string, string> = { ...spec?.matchLabels };
  for (const { key, operator, values } of spec?.matchExpressions ?? []) {
    if (operator === "In") {
      const [only] = values ?? [];
      if (only === undefined || values?.length !== 1) {
        throw new SelectorError(
          `operator "In" without a single value cannot be converted into the old label selector format`,
        );
      }
      labels[key] = only;
    } else if (Object.hasOwn(operators, operator)) {
      throw new SelectorError(
        `operator ${JSON.stringify(operator)} cannot be converted into the old label selector format`,
      );
    } else {
      throw new SelectorError(`${JSON.stringify(operator)} is not a valid selector operator`);
    }
  }
  return labels;
}

/** The inverse of selectorFromSpec, for text such as a scale's `status.selector`. */
export function specFromSelectorText(text: string): LabelSelectorSpec {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelExpression[] = [];
  for (const requirement of parseLabelSelector(text).requirements ?? []) {
    const [first] = requirement.values;
    if (requirement.operator === "=" || requirement.operator === "==")
      matchLabels[requirement.key] = first ?? "";
    else matchExpressions.push(expressionFromRequirement(requirement));
  }
  return { matchLabels, matchExpressions };
}

function requirementFromExpression({ key, operator, values }: LabelExpression): LabelRequirement {
  const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (known === undefined) {
    throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
  }
  return labelRequirement(key, known, values ?? []);
}

function expressionFromRequirement({ key, operator, values }: LabelRequirement): LabelExpression {
  if (operator === "!=") return { key, operator: "NotIn", values };
  const name = Object.keys(operators).find((candidate) => operators[candidate] === operator);
  if (name === undefined) throw new SelectorError(`"${operator}" isn't supported in label selectors`);
  return { key, operator: name, values: values.toSorted() };
}
