import type { PartialObject } from "./object.ts";
import type { FieldRequirement, FieldSelector } from "./fields.ts";
import { selectorFromFieldRequirements } from "./fields.ts";
import type { LabelOperator, LabelRequirement, LabelSelector } from "./labels.ts";
import { labelRequirement, SelectorError, selectorFromRequirements } from "./labels.ts";
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "./types/core-v1.gen.ts";

/** A node selector made ready for many nodes. */
export interface NodeMatcher {
  /** Some term fits the node. Terms with errors fit no node. */
  matches(node: PartialObject): boolean;
  /** What is wrong with terms that could not be understood. */
  readonly errors: readonly string[];
}

interface Term {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
}

const labelOperators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};
const fieldOperators: Readonly<Record<string, FieldRequirement["operator"]>> = { In: "=", NotIn: "!=" };

/** The terms are alternatives; an empty term fits no node, and so does a selector without terms. */
export function compileNodeSelector(selector: NodeSelector, path = "nodeSelectorTerms"): NodeMatcher {
  const terms: Term[] = [];
  const errors: string[] = [];
  for (const [index, spec] of (selector.nodeSelectorTerms ?? []).entries()) {
    if (isEmptyTerm(spec)) continue;
    const term = compileTerm(spec, `${path}[${index}]`, errors);
    if (term !== undefined) terms.push(term);
  }
  return { matches: (node) => terms.some((term) => termMatches(term, node)), errors };
}

/** One term by itself, as preferences have it: an empty one fits no node. */
export function compileNodeSelectorTerm(spec: NodeSelectorTerm, path: string): NodeMatcher {
  if (isEmptyTerm(spec)) return { matches: () => false, errors: [] };
  const errors: string[] = [];
  const term = compileTerm(spec, path, errors);
  return { matches: (node) => term !== undefined && termMatches(term, node), errors };
}

function isEmptyTerm({ matchExpressions, matchFields }: NodeSelectorTerm): boolean {
  return (matchExpressions?.length ?? 0) + (matchFields?.length ?? 0) === 0;
}

function compileTerm(spec: NodeSelectorTerm, path: string, errors: string[]): Term | undefined {
  const before = errors.length;
  const expressions = (spec.matchExpressions ?? []).map((expression, index) =>
    attempt(errors, () => labelCondition(expression, `${path}.matchExpressions[${index}]`)),
  );
  const fields = (spec.matchFields ?? []).map((expression, index) =>
    attempt(errors, () => fieldCondition(expression, `${path}.matchFields[${index}]`)),
  );
  if (errors.length > before) return undefined;
  return {
    labels: expressions.length === 0 ? undefined : selectorFromRequirements(expressions.filter(isDefined)),
    fields: fields.length === 0 ? undefined : selectorFromFieldRequirements(fields.filter(isDefined)),
  };
}

function termMatches({ labels, fields }: Term, node: PartialObject): boolean {
  const { name, labels: nodeLabels } = node.metadata;
  if (labels !== undefined && !labels.matches(nodeLabels)) return false;
  // A node without a name has no fields to compare; its labels alone decide.
  return fields === undefined || !name || fields.matches({ "metadata.name": name });
}

function labelCondition({ key, operator, values }: NodeSelectorRequirement, path: string): LabelRequirement {
  const known = Object.hasOwn(labelOperators, operator) ? labelOperators[operator] : undefined;
  if (known === undefined) throw unsupported(operator, Object.keys(labelOperators), path);
  return labelRequirement(key, known, values ?? [], path);
}

function fieldCondition({ key, operator, values }: NodeSelectorRequirement, path: string): FieldRequirement {
  const known = Object.hasOwn(fieldOperators, operator) ? fieldOperators[operator] : undefined;
  if (known === undefined) throw unsupported(operator, Object.keys(fieldOperators), path);
  const [value] = values ?? [];
  if (value === undefined || values?.length !== 1) {
    throw new SelectorError(
      `${path}.values: Invalid value: ${JSON.stringify(values ?? null)}: must have one element`,
    );
  }
  return { field: key, operator: known, value };
}

function unsupported(operator: string, known: readonly string[], path: string): SelectorError {
  const names = known.toSorted().map((name) => JSON.stringify(name));
  return new SelectorError(
    `${path}.operator: Unsupported value: ${JSON.stringify(operator)}: supported values: ${names.join(", ")}`,
  );
}

function attempt<T>(errors: string[], make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    errors.push(error.message);
    return undefined;
  }
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}
