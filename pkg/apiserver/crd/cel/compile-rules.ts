// Rules of schemas, ready to be evaluated, with what they cost at most.

import { type Compiled, compile, kubernetesEnvironment } from "../../../cel/compile.ts";
import type { Environment } from "../../../cel/environment.ts";
import { estimateCost } from "../../../cel/estimate.ts";
import { optionalType } from "../../../cel/types.ts";
import { partsOf } from "../../../cel/literals.ts";
import type { Expr } from "../../../cel/ast.ts";
import type { OpenApiSchema, ValidationRule } from "../../../cel/schemas/open-api-schema.ts";
import { type DeclaredType, maxRequestBytes, sizesIn, typesIn } from "../../../cel/schemas/declared-type.ts";

export interface CompiledExpression {
  readonly inSteps: Compiled["inSteps"];
  readonly maxCost: number;
}

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** A text says why the rule cannot be used; undefined is a rule that says nothing. */
  readonly program: CompiledExpression | string | undefined;
  readonly message: CompiledExpression | string | undefined;
  readonly usesOldSelf: boolean;
  /** How often what the rule is about can be in one request. */
  readonly maxCardinality: number;
}

export function compileRules(schema: OpenApiSchema, declared: DeclaredType): readonly CompiledRule[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return [];
  const types = typesIn(declared);
  const self = { name: "self", type: declared.type };
  const environments = {
    plain: kubernetesEnvironment.with([self, { name: "oldSelf", type: declared.type }], types),
    optional: kubernetesEnvironment.with(
      [self, { name: "oldSelf", type: optionalType(declared.type) }],
      types,
    ),
  };
  return rules.map((rule) =>
    compileRule(rule, declared, rule.optionalOldSelf === true ? environments.optional : environments.plain),
  );
}

function compileRule(rule: ValidationRule, declared: DeclaredType, environment: Environment): CompiledRule {
  const maxCardinality = Math.trunc(maxRequestBytes / (declared.minSize + 1));
  const none = { rule, program: undefined, message: undefined, usesOldSelf: false, maxCardinality };
  const { rule: text = "", messageExpression = "" } = rule;
  if (text.trim() === "") return none;
  const compiled = compile(text, environment);
  if (typeof compiled === "string") return { ...none, program: failure(compiled, "") };
  if (compiled.checked.type.kind !== "bool")
    return { ...none, program: "cel expression must evaluate to a bool" };
  return {
    ...none,
    program: costed(compiled, declared),
    message: messageExpression === "" ? undefined : compileMessage(messageExpression, declared, environment),
    usesOldSelf: usesVariable(compiled.checked.expr, "oldSelf"),
  };
}

const failure = (problem: string, what: string): string =>
  problem.startsWith("program instantiation failed")
    ? problem.replace("program", what === "" ? "program" : what.trim())
    : `${what}compilation failed: ${problem}`;

function compileMessage(
  text: string,
  declared: DeclaredType,
  environment: Environment,
): CompiledExpression | string {
  const compiled = compile(text, environment);
  if (typeof compiled === "string") return failure(compiled, "messageExpression ");
  if (compiled.checked.type.kind !== "string") return "messageExpression must evaluate to a string";
  return costed(compiled, declared);
}

function costed({ checked, inSteps }: Compiled, declared: DeclaredType): CompiledExpression {
  return { inSteps, maxCost: estimateCost(checked, sizesIn(declared)).max };
}

function usesVariable(expr: Expr, name: string): boolean {
  return (
    (expr.kind === "ident" && expr.name === name) || partsOf(expr).some((part) => usesVariable(part, name))
  );
}
