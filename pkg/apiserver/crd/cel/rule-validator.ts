// Holds objects to the rules of their schema.

import { isJson } from "../../../api/json.ts";
import { jsonEqual } from "../../../api/patch/json.ts";
import { inOneGo, type Steps } from "../../../api/steps.ts";
import { CostLimitError, type Variables } from "../../../cel/run.ts";
import { EvaluationError, Optional, type Value } from "../../../cel/values.ts";
import { FieldErrors, omitted } from "../../kinds/field-errors.ts";
import type { FieldError } from "../../kinds/kind.ts";
import type { OpenApiSchema, ValidationRule } from "../../../cel/schemas/open-api-schema.ts";
import { elementSchema } from "../../../cel/schemas/open-api-schema.ts";
import { at, index, key } from "../rules/path.ts";
import { type CompiledExpression, type CompiledRule, compileRules } from "./compile-rules.ts";
import {
  type DeclaredType,
  declaredType,
  isEmbedded,
  withMetadata,
} from "../../../cel/schemas/declared-type.ts";
import { escapeName } from "../../../cel/schemas/escape.ts";
import { objectValue } from "./object-value.ts";

/** What the rules of an object may cost together, and each of them. */
const budgetOfObject = 10_000_000;
const budgetOfCall = 1_000_000;
const longestMessage = 5 * 1024;

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** The rules of a schema and of what is within it. */
interface RuleTree {
  readonly schema: OpenApiSchema;
  readonly isRoot: boolean;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleTree | undefined;
  readonly values: RuleTree | undefined;
  readonly properties: ReadonlyMap<string, RuleTree>;
}

const trees = new WeakMap<OpenApiSchema, { readonly tree: RuleTree | undefined }>();

/** What is wrong with an object by its rules, and what would be if it had not been wrong before. */
export function* validateByRules(
  value: unknown,
  schema: OpenApiSchema | undefined,
  before: unknown,
): Steps<{ readonly errors: readonly FieldError[]; readonly warnings: readonly string[] }> {
  if (schema === undefined) return { errors: [], warnings: [] };
  let known = trees.get(schema);
  if (known === undefined) {
    known = {
      tree: treeOf(schema, declaredType(schema, true, "selfType"), true),
    };
    trees.set(schema, known);
  }
  const validation = new RuleValidation();
  if (known.tree !== undefined)
    yield* validation.validate(value, known.tree, { path: "", before, parent: undefined });
  return { errors: validation.errors.list.map(rooted), warnings: validation.warnings };
}

/** What is wrong with a default by the rules of its schema: as a value that is new, and as one that stays as it is. */
export function validateDefaultByRules(
  value: unknown,
  schema: OpenApiSchema,
  path: string,
): readonly FieldError[] {
  const isRoot = isEmbedded(schema);
  const tree = treeOf(schema, declaredType(schema, isRoot, "selfType"), isRoot);
  if (tree === undefined) return [];
  for (const before of [undefined, value]) {
    const validation = new RuleValidation();
    inOneGo(validation.validate(value, tree, { path, before, parent: undefined }));
    if (validation.errors.list.length > 0) return validation.errors.list;
  }
  return [];
}

/** What is said of a whole object has no path. */
const rooted = (error: FieldError): FieldError => (error.field === "" ? { ...error, field: nowhere } : error);
const nowhere = "<nil>";

/** Undefined where there is no rule. */
function treeOf(
  schema: OpenApiSchema,
  declared: DeclaredType | undefined,
  isRoot: boolean,
): RuleTree | undefined {
  const rules = declared === undefined ? [] : compileRules(schema, declared);
  const inner = (one: OpenApiSchema | undefined, type: DeclaredType | undefined): RuleTree | undefined =>
    one === undefined ? undefined : treeOf(one, type, isEmbedded(one));
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(name);
    const type =
      escaped === undefined
        ? declaredType(property, isEmbedded(property), "selfType")
        : declared?.fields.get(escaped);
    const tree = type === undefined ? undefined : inner(property, type);
    if (tree !== undefined) properties.set(name, tree);
  }
  const items = inner(schema.items, declared?.element);
  const values = inner(elementSchema(schema), declared?.element);
  const isEmpty = rules.length === 0 && items === undefined && values === undefined && properties.size === 0;
  return isEmpty ? undefined : { schema, isRoot, rules, items, values, properties };
}

/** A place in an object, with what was there before. */
interface Spot {
  readonly path: string;
  readonly before: unknown;
  /** The nearest place above whose former value is known. */
  readonly parent: { readonly value: unknown; readonly before: unknown } | undefined;
}

/** When all budget is spent. */
class BudgetSpent extends Error {}

class RuleValidation {
  readonly errors = new FieldErrors();
  readonly warnings: string[] = [];
  #budget = budgetOfObject;

  *validate(value: unknown, tree: RuleTree, spot: Spot): Steps<void> {
    try {
      yield* this.#validate(value, tree, spot);
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
    }
  }

  *#validate(value: unknown, tree: RuleTree, spot: Spot): Steps<void> {
    if (value === null || value === undefined) return;
    if (tree.rules.length > 0) yield* this.#evaluateAll(value, tree, spot);
    if (Array.isArray(value)) yield* this.#validateItems(value, tree, spot);
    else if (isJson(value)) {
      const before = isJson(spot.before) ? spot.before : undefined;
      const correlates = tree.schema["x-kubernetes-map-type"] !== "unknown";
      const parent = { value, before: spot.before };
      for (const [name, one] of Object.entries(value)) {
        const old = correlates ? before?.[name] : undefined;
        const inner = { before: old, parent };
        if (tree.values !== undefined)
          yield* this.#validate(one, tree.values, { ...inner, path: key(spot.path, name) });
        const property = tree.properties.get(name);
        if (property !== undefined)
          yield* this.#validate(one, property, { ...inner, path: within(spot.path, name) });
      }
    }
  }

  *#validateItems(value: readonly unknown[], { items, schema }: RuleTree, spot: Spot): Steps<void> {
    if (items === undefined) return;
    const former = formerItems(schema, spot.before);
    const parent = { value, before: spot.before };
    for (const [position, one] of value.entries())
      yield* this.#validate(one, items, {
        path: index(spot.path, position),
        before: former(one),
        parent,
      });
  }

  *#evaluateAll(value: unknown, tree: RuleTree, spot: Spot): Steps<void> {
    if (this.#budget <= 0) this.#stop(spot.path, tree, outOfBudget);
    const schema = tree.isRoot ? withMetadata(tree.schema) : tree.schema;
    const variables = variablesFor(value, spot.before, schema);
    for (const rule of tree.rules) {
      yield* this.#evaluate({ rule, value, tree, spot, variables });
      yield;
    }
  }

  *#evaluate(evaluation: Evaluation): Steps<void> {
    const { rule, spot, tree, variables } = evaluation;
    const { program } = rule;
    if (typeof program === "string") this.#invalid(spot.path, tree, `rule compile error: ${program}`);
    if (program === undefined || typeof program === "string") return;
    const optional = rule.rule.optionalOldSelf === true;
    if (rule.usesOldSelf && spot.before === undefined && !optional) return;
    const outcome = yield* this.#run(program, optional ? variables.optional : variables.plain);
    if (outcome === undefined) this.#stop(spot.path, tree, outOfBudget);
    if (outcome instanceof CostLimitError)
      this.#stop(
        spot.path,
        tree,
        `'${outcome.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${nameOf(rule.rule)}`,
      );
    if (outcome instanceof EvaluationError) this.#invalid(spot.path, tree, failureText(outcome, rule.rule));
    else if (outcome !== true) yield* this.#refuse(evaluation);
  }

  /** Undefined where the budget does not suffice. */
  *#run(
    program: CompiledExpression,
    variables: Variables,
  ): Steps<Value | CostLimitError | EvaluationError | undefined> {
    const counted = { cost: 0 };
    try {
      const { value, cost } = yield* program.inSteps(variables, budgetOfCall, counted);
      return this.#spend(cost) ? value : undefined;
    } catch (error) {
      if (error instanceof CostLimitError) return this.#spend(counted.cost) ? error : undefined;
      if (error instanceof EvaluationError) return this.#spend(counted.cost) ? error : undefined;
      throw error;
    }
  }

  #spend(cost: number): boolean {
    if (cost > this.#budget) return false;
    this.#budget -= cost;
    return true;
  }

  *#refuse({ rule, value, tree, spot, variables }: Evaluation): Steps<void> {
    const found = new FieldErrors();
    const path =
      rule.rule.fieldPath === undefined ? spot.path : within(spot.path, normalPath(rule.rule.fieldPath));
    const detail = yield* this.#message(rule, variables.plain, (problem) => {
      found.invalid(path, tree.schema.type ?? "", problem);
    });
    const { type } = tree.schema;
    const shown = type === "object" || type === "array" ? omitted : value;
    if (detail !== undefined) addFor(found, { reason: rule.rule.reason, path, shown, detail });
    if (!rule.usesOldSelf && isUnchanged(value, spot))
      for (const { field, message } of found.list)
        this.warnings.push(`${field === "" ? nowhere : field}: ${message}`);
    else this.errors.list.push(...found.list);
    if (detail === undefined) throw new BudgetSpent();
  }

  /** What is said of an object that breaks the rule; undefined where it cost too much to find out. */
  *#message(
    { message, rule }: CompiledRule,
    variables: Variables,
    fail: (problem: string) => void,
  ): Steps<string | undefined> {
    const usual =
      rule.message === undefined || rule.message === ""
        ? `failed rule: ${nameOf(rule)}`
        : rule.message.trim();
    if (message === undefined || typeof message === "string") return usual;
    const text = yield* this.#run(message, variables);
    if (text === undefined)
      fail(
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
      );
    else if (text instanceof CostLimitError)
      fail(
        `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`,
      );
    if (text === undefined || text instanceof CostLimitError) return undefined;
    const trimmed = typeof text === "string" ? text.trim() : "";
    const fits = trimmed !== "" && Buffer.byteLength(trimmed) <= longestMessage && !trimmed.includes("\n");
    return fits ? trimmed : usual;
  }

  #invalid(path: string, { schema }: RuleTree, detail: string): void {
    this.errors.invalid(path, schema.type ?? "", detail);
  }

  #stop(path: string, tree: RuleTree, detail: string): never {
    this.#invalid(path, tree, detail);
    throw new BudgetSpent();
  }
}

interface Evaluation {
  readonly rule: CompiledRule;
  readonly value: unknown;
  readonly tree: RuleTree;
  readonly spot: Spot;
  readonly variables: { readonly plain: Variables; readonly optional: Variables };
}

function variablesFor(
  value: unknown,
  before: unknown,
  schema: OpenApiSchema,
): { readonly plain: Variables; readonly optional: Variables } {
  const self = objectValue(value, schema);
  const old = before === undefined || before === null ? undefined : objectValue(before, schema);
  const named =
    (oldSelf: Value | undefined): Variables =>
    (name) =>
      name === "self" ? self : name === "oldSelf" ? oldSelf : undefined;
  return { plain: named(old), optional: named(new Optional(old)) };
}

const nameOf = ({ message = "", rule = "" }: ValidationRule): string =>
  (message === "" ? rule : message).trim();

function failureText({ message }: EvaluationError, rule: ValidationRule): string {
  return message.startsWith("no such overload")
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`
    : `${message} evaluating rule: ${nameOf(rule)}`;
}

function addFor(
  errors: FieldErrors,
  {
    reason,
    path,
    shown,
    detail,
  }: { reason: string | undefined; path: string; shown: unknown; detail: string },
): void {
  if (reason === "FieldValueForbidden") errors.forbidden(path, detail);
  else if (reason === "FieldValueRequired") errors.required(path, detail);
  else if (reason === "FieldValueDuplicate") errors.duplicate(path, shown);
  else errors.invalid(path, shown, detail);
}

const within = (path: string, name: string): string => (path === "" ? name : at(path, name));

/** With quotes and brackets as errors write them. */
function normalPath(fieldPath: string): string {
  const dotted = fieldPath.replaceAll(
    /\['((?:[^'\\]|\\.)*)'\]/g,
    (_, name: string) => `.${name.replaceAll(/\\(.)/g, "$1")}`,
  );
  return dotted.replace(/^\./, "");
}

/** What was wrong before and has not changed since may stay. */
function isUnchanged(value: unknown, { before, parent }: Spot): boolean {
  if (before !== undefined) return jsonEqual(value, before);
  return parent?.before !== undefined && jsonEqual(parent.value, parent.before);
}

/** Only the elements of lists by keys are known again. */
function formerItems(schema: OpenApiSchema, before: unknown): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] !== "map" || keys === undefined || !Array.isArray(before))
    return () => undefined;
  const keyOf = (item: unknown): string =>
    JSON.stringify(keys.map((name) => (isJson(item) ? item[name] : null)));
  const former = new Map(before.map((item: unknown) => [keyOf(item), item]));
  return (item) => former.get(keyOf(item));
}
