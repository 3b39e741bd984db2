// Expressions that say of a request whether it is somebody's business: matchConditions.

import type { Steps } from "../../../api/steps.ts";
import { LRUCache } from "lru-cache";
import { type CompiledExpression, compileExpression, problemOf, wantsBool } from "./compiled-expression.ts";
import {
  CONDITIONS_BUDGET,
  type Evaluated,
  Evaluation,
  type EvaluationInput,
  OutOfBudgetError,
} from "./evaluation.ts";
import { policyEnvironment, requestEnvironment } from "../../../cel/request-types.ts";

const compiled = new LRUCache<string, CompiledExpression>({ max: 500 });

/** A condition of a webhook. */
export function webhookCondition(text: string): CompiledExpression {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const condition = compileExpression(text, requestEnvironment, wantsBool);
  compiled.set(text, condition);
  return condition;
}

/** What is wrong with a condition; undefined where nothing is. `params`: it may speak of those of a policy. */
export function conditionProblem(text: string, params: boolean): string | undefined {
  if (!params) return problemOf(webhookCondition(text));
  return problemOf(compileExpression(text, environmentWithParams, wantsBool));
}

const environmentWithParams = policyEnvironment({ params: true, authorizer: true }, undefined);

/** Whether all hold; a text says why that cannot be told. One that does not hold decides, whatever the others do. */
export function* conditionsHold(
  conditions: readonly CompiledExpression[],
  input: EvaluationInput,
): Steps<boolean | string> {
  const evaluation = new Evaluation(input, CONDITIONS_BUDGET);
  try {
    const evaluated: Evaluated[] = [];
    for (const condition of conditions) evaluated.push(yield* evaluation.evaluate(condition));
    if (evaluated.some((one) => "value" in one && one.value === false)) return false;
    const problems = evaluated.flatMap((one) => ("problem" in one ? one.problem : []));
    if (problems.length === 0) return true;
    return problems.length === 1 ? problems.join("") : `[${problems.join(", ")}]`;
  } catch (error) {
    if (error instanceof OutOfBudgetError) return error.message;
    throw error;
  }
}
