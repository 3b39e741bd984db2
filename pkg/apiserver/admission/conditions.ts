// Expressions that say of a request whether it is somebody's business: matchConditions.

import { LRUCache } from "lru-cache";
import type { Json } from "../../api/json.ts";
import { type Compiled, compile, kubernetesEnvironment } from "../../cel/compile.ts";
import { type AccessQuestion, type Authorize, authorizerValues } from "../../cel/library/authorizer.ts";
import { parseType } from "../../cel/declarations.ts";
import type { Declaration, Environment, TypeProvider } from "../../cel/environment.ts";
import { CostLimitError } from "../../cel/run.ts";
import { dynType, structType, type Type } from "../../cel/types.ts";
import { EvaluationError, type Value } from "../../cel/values.ts";
import { untypedValue } from "../crd/cel/object-value.ts";

/** What the conditions of one webhook may cost together. */
const budget = 2_500_000;

const prefix = "kubernetes.";
const structs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [`${prefix}GroupVersionKind`]: { group: "string", version: "string", kind: "string" },
  [`${prefix}GroupVersionResource`]: { group: "string", version: "string", resource: "string" },
  [`${prefix}UserInfo`]: {
    username: "string",
    uid: "string",
    groups: "list(string)",
    extra: "map(string, list(string))",
  },
  [`${prefix}NamespaceSpec`]: { finalizers: "list(string)" },
  [`${prefix}NamespaceCondition`]: {
    status: "string",
    type: "string",
    lastTransitionTime: "timestamp",
    message: "string",
    reason: "string",
  },
  [`${prefix}NamespaceStatus`]: { conditions: `list(${prefix}NamespaceCondition)`, phase: "string" },
  [`${prefix}NamespaceMetadata`]: {
    name: "string",
    generateName: "string",
    namespace: "string",
    labels: "map(string, string)",
    annotations: "map(string, string)",
    UID: "string",
    creationTimestamp: "timestamp",
    deletionGracePeriodSeconds: "int",
    deletionTimestamp: "timestamp",
    generation: "int",
    resourceVersion: "string",
    finalizers: "list(string)",
  },
  [`${prefix}Namespace`]: {
    metadata: `${prefix}NamespaceMetadata`,
    spec: `${prefix}NamespaceSpec`,
    status: `${prefix}NamespaceStatus`,
  },
  [`${prefix}AdmissionRequest`]: {
    kind: `${prefix}GroupVersionKind`,
    resource: `${prefix}GroupVersionResource`,
    subResource: "string",
    requestKind: `${prefix}GroupVersionKind`,
    requestResource: `${prefix}GroupVersionResource`,
    requestSubResource: "string",
    name: "string",
    namespace: "string",
    operation: "string",
    userInfo: `${prefix}UserInfo`,
    dryRun: "bool",
    options: "dyn",
  },
};

const types: TypeProvider = {
  hasStruct: (name) => Object.hasOwn(structs, name),
  fieldType: (struct, field) => {
    const name = structs[struct]?.[field];
    return name === undefined ? undefined : parseType(name);
  },
};

/** What every expression about a request may speak of. */
const requestVariables: readonly Declaration[] = [
  { name: "object", type: dynType },
  { name: "oldObject", type: dynType },
  { name: "namespaceObject", type: structType(`${prefix}Namespace`) },
  { name: "request", type: structType(`${prefix}AdmissionRequest`) },
];
const authorizerVariables: readonly Declaration[] = [
  { name: "authorizer", type: structType(`${prefix}authorization.Authorizer`) },
  { name: "authorizer.requestResource", type: structType(`${prefix}authorization.ResourceCheck`) },
];

const environment = kubernetesEnvironment.with([...requestVariables, ...authorizerVariables], types);

const VARIABLES = `${prefix}variables`;

/** For the expressions of a policy, with these variables of its own. */
export function policyEnvironment(
  { params, authorizer }: { readonly params: boolean; readonly authorizer: boolean },
  variables: ReadonlyMap<string, Type>,
): Environment {
  const own: TypeProvider = {
    hasStruct: (name) => name === VARIABLES || types.hasStruct(name),
    fieldType: (struct, field) =>
      struct === VARIABLES ? variables.get(field) : types.fieldType(struct, field),
  };
  return kubernetesEnvironment.with(
    [
      ...requestVariables,
      ...(params ? [{ name: "params", type: dynType }] : []),
      ...(authorizer ? authorizerVariables : []),
      { name: "variables", type: structType(VARIABLES) },
    ],
    own,
  );
}

const compiled = new LRUCache<string, Compiled | { readonly problem: string }>({ max: 500 });

/** What is wrong with a condition; undefined where nothing is. */
export function conditionProblem(expression: string): string | undefined {
  const condition = conditionOf(expression);
  return "problem" in condition ? condition.problem : undefined;
}

function conditionOf(expression: string): Compiled | { readonly problem: string } {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const made = compile(expression, environment);
  const condition = typeof made === "string" ? { problem: failure(made) } : boolOnly(made);
  compiled.set(expression, condition);
  return condition;
}

export const failure = (problem: string): string =>
  problem.startsWith("program instantiation failed") ? problem : `compilation failed: ${problem}`;

function boolOnly(made: Compiled): Compiled | { readonly problem: string } {
  const { kind, name } = made.checked.type;
  return kind === "bool" ? made : { problem: `must evaluate to bool but got ${name}` };
}

export interface ConditionInput {
  readonly object: Json | null;
  readonly oldObject: Json | null;
  /** As an AdmissionReview has it, without the objects. */
  readonly request: Json;
  /** Whether the requester may do something. */
  readonly authorize: Authorize;
  /** What the request itself is about. */
  readonly question: AccessQuestion;
}

/** Whether all hold; a text says why that cannot be told. One that does not hold decides, whatever the others do. */
export function conditionsHold(expressions: readonly string[], input: ConditionInput): boolean | string {
  const { authorizer, resourceCheck } = authorizerValues(input.authorize, input.question);
  const values = new Map<string, Value>([
    ...(["object", "oldObject", "request"] as const).map(
      (name) => [name, untypedValue(input[name])] as const,
    ),
    // upstream: webhooks are not given the namespace, although their conditions may speak of it.
    ["namespaceObject", null],
    ["authorizer", authorizer],
    ["authorizer.requestResource", resourceCheck],
  ]);
  const problems: string[] = [];
  let left = budget;
  for (const expression of expressions) {
    const outcome = evaluate(expression, values, left);
    if (outcome.value === false) return false;
    if (outcome.problem !== undefined) problems.push(outcome.problem);
    left -= outcome.cost;
    if (left < 0)
      return "validation failed due to running out of cost budget, no further validation rules will be run";
  }
  if (problems.length === 0) return true;
  return problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
}

function evaluate(
  expression: string,
  values: ReadonlyMap<string, Value>,
  limit: number,
): { readonly value?: Value; readonly problem?: string; readonly cost: number } {
  const condition = conditionOf(expression);
  if ("problem" in condition) return { problem: `compilation error: ${condition.problem}`, cost: 0 };
  const spent = { cost: 0 };
  try {
    return condition.run((name) => values.get(name), limit, spent);
  } catch (error) {
    if (!(error instanceof EvaluationError || error instanceof CostLimitError)) throw error;
    return { problem: `expression '${expression}' resulted in error: ${error.message}`, cost: spent.cost };
  }
}
