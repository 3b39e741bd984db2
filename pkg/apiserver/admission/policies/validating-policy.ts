import type { Steps } from "../../../api/steps.ts";
import { resources } from "../../../api/resources.ts";
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../../api/types/admissionregistration-v1.gen.ts";
import type { Value } from "../../../cel/values.ts";
import type { CompiledExpression } from "../expressions/compiled-expression.ts";
import { type Evaluated, Evaluation, OutOfBudgetError, POLICY_BUDGET } from "../expressions/evaluation.ts";
import { PolicyCompiler } from "../expressions/policy-compiler.ts";
import type { PolicySort } from "./policy-source.ts";
import {
  compileConditions,
  type CompiledConditions,
  meetsConditions,
  type PolicyCircumstances,
  policyValues,
} from "./policy-values.ts";

interface CompiledValidation {
  readonly expression: CompiledExpression;
  readonly byExpression: CompiledExpression | undefined;
  readonly message: string;
  readonly reason: string;
}

export interface CompiledValidatingPolicy extends CompiledConditions {
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledExpression[];
  readonly ignoresFailures: boolean;
}

export const validatingPolicies: PolicySort<
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  CompiledValidatingPolicy
> = {
  policies: resources.validatingAdmissionPolicies,
  bindings: resources.validatingAdmissionPolicyBindings,
  compile({ spec = {} }) {
    const compiler = new PolicyCompiler(spec.paramKind !== undefined);
    const common = compileConditions(compiler, spec);
    return {
      ...common,
      validations: (spec.validations ?? []).map(
        ({ expression, messageExpression = "", message = "", reason = "Invalid" }) => ({
          expression: compiler.condition(expression),
          byExpression: messageExpression === "" ? undefined : compiler.message(messageExpression),
          message,
          reason,
        }),
      ),
      annotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) =>
        compiler.auditAnnotation(valueExpression),
      ),
      ignoresFailures: spec.failurePolicy === "Ignore",
    };
  },
};

export interface Refusal {
  readonly message: string;
  /** Undefined: the policy could not be evaluated. */
  readonly reason: string | undefined;
}

/** What a policy has against a request. */
export interface Findings {
  readonly refusals: readonly Refusal[];
  /** Annotations for the audit log that cannot be made: the request fails, whatever the binding wants done about refusals. */
  readonly failedAnnotations: readonly Refusal[];
}

const nothing: Findings = { refusals: [], failedAnnotations: [] };

/** upstream: apiserver/pkg/admission/plugin/policy/validating/validator.go#Validate */
export function* validateByPolicy(
  policy: CompiledValidatingPolicy,
  circumstances: PolicyCircumstances,
): Steps<Findings> {
  const failed = (message: string): Findings =>
    policy.ignoresFailures ? nothing : { ...nothing, refusals: [{ message, reason: undefined }] };
  const isMeant = yield* meetsConditions(policy, circumstances);
  if (typeof isMeant === "string") return failed(isMeant);
  if (!isMeant) return nothing;
  try {
    const refusals = yield* refusalsOf(policy, circumstances);
    return { refusals, failedAnnotations: yield* failedAnnotations(policy, circumstances) };
  } catch (error) {
    if (error instanceof OutOfBudgetError) return failed(error.message);
    throw error;
  }
}

function* refusalsOf(
  { validations, variables, ignoresFailures }: CompiledValidatingPolicy,
  circumstances: PolicyCircumstances,
): Steps<readonly Refusal[]> {
  const values = policyValues(circumstances, true);
  const evaluation = new Evaluation({ values, variables }, POLICY_BUDGET);
  const outcomes: Evaluated[] = [];
  for (const { expression } of validations) {
    outcomes.push(yield* evaluation.evaluate(expression));
    yield;
  }
  const messages = yield* messagesOf({ validations, variables }, circumstances, evaluation.left);
  return validations.flatMap((validation, index): readonly Refusal[] => {
    const outcome = outcomes[index];
    const problem = outcome !== undefined && "problem" in outcome ? outcome.problem : undefined;
    const cannotTell = problem ?? (typeof messages === "string" ? messages : undefined);
    if (cannotTell !== undefined) return ignoresFailures ? [] : [{ message: cannotTell, reason: undefined }];
    if (outcome !== undefined && "value" in outcome && outcome.value === true) return [];
    const own = typeof messages === "string" ? undefined : messages[index];
    const { message, expression, reason } = validation;
    const said = own || message.trim() || `failed expression: ${expression.text.trim()}`;
    return [{ message: said, reason }];
  });
}

/** By the expressions for them, of those that have one; a text says why there are none. */
function* messagesOf(
  { validations, variables }: Pick<CompiledValidatingPolicy, "validations" | "variables">,
  circumstances: PolicyCircumstances,
  budget: number,
): Steps<readonly (string | undefined)[] | string> {
  if (validations.every(({ byExpression }) => byExpression === undefined)) return [];
  const evaluation = new Evaluation({ values: policyValues(circumstances, false), variables }, budget);
  try {
    const messages: (string | undefined)[] = [];
    for (const { byExpression } of validations) {
      const outcome = byExpression && (yield* evaluation.evaluate(byExpression));
      messages.push(outcome !== undefined && "value" in outcome ? messageOf(outcome.value) : undefined);
      yield;
    }
    return messages;
  } catch (error) {
    if (error instanceof OutOfBudgetError) return `failed messageExpression: ${error.message}`;
    throw error;
  }
}

const MOST_BYTES = 5 * 1024;

/** What is too long, or of more than one line, is no message. */
function messageOf(value: Value): string | undefined {
  if (typeof value !== "string") return undefined;
  const message = value.trim();
  return Buffer.byteLength(message) > MOST_BYTES || message.includes("\n") ? undefined : message;
}

function* failedAnnotations(
  { annotations, variables, ignoresFailures }: CompiledValidatingPolicy,
  circumstances: PolicyCircumstances,
): Steps<readonly Refusal[]> {
  if (annotations.length === 0) return [];
  const values = policyValues(circumstances, false);
  const evaluation = new Evaluation({ values, variables }, POLICY_BUDGET);
  const failed: Refusal[] = [];
  for (const annotation of annotations) {
    const outcome = yield* evaluation.evaluate(annotation);
    if ("problem" in outcome && !ignoresFailures)
      failed.push({ message: outcome.problem, reason: undefined });
    yield;
  }
  return failed;
}
