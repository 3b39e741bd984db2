// Holds the rules of a definition to what they mean, and to what they may cost.

import type { FieldErrors } from "../../kinds/field-errors.ts";
import { elementSchema, type OpenApiSchema } from "../../../cel/schemas/open-api-schema.ts";
import { at, index, key } from "../rules/path.ts";
import { type CompiledRule, compileRules } from "./compile-rules.ts";
import { type DeclaredType, declaredType, isEmbedded } from "../../../cel/schemas/declared-type.ts";
import { escapeName } from "../../../cel/schemas/escape.ts";

const mostOfRule = 10_000_000;
const mostOfDefinition = 100_000_000;
/** So many of the most expensive rules are named. */
const mostNamed = 4;

interface Place {
  readonly path: string;
  readonly declared: DeclaredType | undefined;
  /** How often it can be in an object; undefined where nothing limits that. */
  readonly cardinality: number | undefined;
  /** The part of the object that cannot be found again in its former state. */
  readonly uncorrelatable: string | undefined;
}

/** The schema of a version, whose form is in order. */
export function validateRuleCosts(schema: OpenApiSchema, path: string, errors: FieldErrors): void {
  const costs = new RuleCosts(errors);
  const declared = declaredType(schema, true, "selfType");
  costs.validate(schema, { path, declared, cardinality: 1, uncorrelatable: undefined });
  costs.checkTotal(path);
}

class RuleCosts {
  readonly #errors: FieldErrors;
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  constructor(errors: FieldErrors) {
    this.#errors = errors;
  }

  validate(schema: OpenApiSchema, place: Place): void {
    const { cardinality, declared, path, uncorrelatable } = place;
    const most = mostElements(schema);
    const within = cardinality === undefined || most === undefined ? undefined : cardinality * most;
    const unrelated = isCorrelatable(schema) ? uncorrelatable : (uncorrelatable ?? path);
    const inner = { cardinality: within, uncorrelatable: unrelated };
    const values = elementSchema(schema);
    if (values !== undefined)
      this.validate(values, {
        ...inner,
        path: at(path, "additionalProperties"),
        declared: declared?.element,
      });
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const field = declared?.fields.get(escapeName(name) ?? "") ?? standalone(property);
      this.validate(property, { ...inner, path: key(at(path, "properties"), name), declared: field });
    }
    if (schema.items !== undefined)
      this.validate(schema.items, { ...inner, path: at(path, "items"), declared: declared?.element });
    const rules = schema["x-kubernetes-validations"] ?? [];
    if (rules.length === 0 || declared === undefined) return;
    for (const [position, rule] of compileRules(schema, declared).entries())
      this.#check(rule, index(at(path, "x-kubernetes-validations"), position), place);
  }

  checkTotal(path: string): void {
    if (this.#total <= mostOfDefinition) return;
    for (const { path: place } of this.#expensive)
      this.#errors.forbidden(
        place,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      );
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    this.#errors.forbidden(path, exceeded(what, this.#total, mostOfDefinition));
  }

  #check(compiled: CompiledRule, path: string, { cardinality, uncorrelatable }: Place): void {
    const { maxCardinality, message, program, rule, usesOldSelf } = compiled;
    const maxCost = typeof program === "object" ? program.maxCost : 0;
    const cost = maxCost * (cardinality ?? maxCardinality);
    this.#observe(at(path, "rule"), cost, "estimated rule cost");
    if (typeof program === "string") this.#errors.invalid(at(path, "rule"), rule, program);
    if (typeof message === "string") this.#errors.invalid(at(path, "messageExpression"), rule, message);
    else if (message !== undefined)
      this.#observe(at(path, "messageExpression"), message.maxCost, "estimated messageExpression cost");
    if (usesOldSelf && uncorrelatable !== undefined)
      this.#errors.invalid(
        at(path, "rule"),
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
      );
    else if (!usesOldSelf && rule.optionalOldSelf !== undefined && typeof program === "object")
      this.#errors.invalid(
        at(path, "optionalOldSelf"),
        rule.optionalOldSelf,
        "may not be set if oldSelf is not used in rule",
      );
  }

  #observe(path: string, cost: number, what: string): void {
    if (cost > mostOfRule) this.#errors.forbidden(path, exceeded(what, cost, mostOfRule));
    this.#total += cost;
    if (cost < mostOfDefinition / 100) return;
    this.#expensive = [...this.#expensive, { path, cost }]
      .toSorted((a, b) => b.cost - a.cost)
      .slice(0, mostNamed);
  }
}

/** A property whose name no expression can use has a type of its own. */
const standalone = (schema: OpenApiSchema): DeclaredType | undefined =>
  declaredType(schema, isEmbedded(schema), "selfType");

function mostElements({
  additionalProperties,
  maxItems,
  maxProperties,
  type,
}: OpenApiSchema): number | undefined {
  if (type === "array") return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type !== "object" || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}

function isCorrelatable(schema: OpenApiSchema): boolean {
  return schema.type !== "array" || schema["x-kubernetes-list-type"] === "map";
}

function exceeded(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? "more than 100" : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  return `${what} exceeds budget by factor of ${shown}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
