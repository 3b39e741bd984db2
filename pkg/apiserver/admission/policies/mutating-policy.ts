import { resources } from "../../../api/resources.ts";
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from "../../../api/types/admissionregistration-v1.gen.ts";
import { applyJsonPatch } from "../../../api/patch/json-patch.ts";
import { FailedTestError, PatchError } from "../../../api/patch/patch-error.ts";
import { isList, isMap, type Value } from "../../../cel/values.ts";
import { mergeConfiguration } from "../../apply/merge-configuration.ts";
import { TypedValueError } from "../../apply/typed-value.ts";
import type { Draft } from "../../kinds/kind.ts";
import { serviceUnavailable } from "../../server/status-error.ts";
import type { CompiledExpression } from "../expressions/compiled-expression.ts";
import { Evaluation, OutOfBudgetError, POLICY_BUDGET } from "../expressions/evaluation.ts";
import { PolicyCompiler } from "../expressions/policy-compiler.ts";
import { isObjectLiteral, jsonOf, PatchValueError, requireTypesByPath } from "./patch-values.ts";
import type { PolicySort } from "./policy-source.ts";
import {
  compileConditions,
  type CompiledConditions,
  type PolicyCircumstances,
  policyValues,
} from "./policy-values.ts";

export interface CompiledMutation {
  readonly type: "ApplyConfiguration" | "JSONPatch";
  readonly expression: CompiledExpression;
}

export interface CompiledMutatingPolicy extends CompiledConditions {
  readonly mutations: readonly CompiledMutation[];
  readonly ignoresFailures: boolean;
  readonly reinvoked: boolean;
}

export const mutatingPolicies: PolicySort<
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  CompiledMutatingPolicy
> = {
  policies: resources.mutatingAdmissionPolicies,
  bindings: resources.mutatingAdmissionPolicyBindings,
  compile({ spec = {} }) {
    const compiler = new PolicyCompiler(spec.paramKind !== undefined);
    const common = compileConditions(compiler, spec);
    return {
      ...common,
      mutations: (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) =>
        patchType === "JSONPatch"
          ? { type: patchType, expression: compiler.jsonPatch(jsonPatch?.expression ?? "") }
          : {
              type: "ApplyConfiguration",
              expression: compiler.applyConfiguration(applyConfiguration?.expression ?? ""),
            },
      ),
      ignoresFailures: spec.failurePolicy === "Ignore",
      reinvoked: spec.reinvocationPolicy === "IfNeeded",
    };
  },
};

/** A mutation that cannot be made. */
export class MutationError extends Error {
  readonly code = "Mutation";
}

/** Changes the object as a mutation wants it. Throws a MutationError. */
export async function mutate(
  { type, expression }: CompiledMutation,
  { variables }: CompiledMutatingPolicy,
  circumstances: PolicyCircumstances,
): Promise<void> {
  const { attributes, objects } = circumstances;
  if (objects.object === undefined) return;
  try {
    if ("problem" in expression.compiled) throw new MutationError(expression.compiled.problem);
    const evaluation = new Evaluation(
      { values: policyValues(circumstances, true), variables },
      POLICY_BUDGET,
    );
    const outcome = await attributes.turns.run(evaluation.evaluate(expression));
    if ("problem" in outcome) throw new MutationError(outcome.problem);
    const next =
      type === "JSONPatch"
        ? patched(objects.object, outcome.value)
        : await applied(objects.object, outcome.value, circumstances);
    requireOwnVersion(circumstances);
    objects.replace(next, type === "JSONPatch" ? "refused" : "dropped");
  } catch (error) {
    if (error instanceof OutOfBudgetError || error instanceof PatchValueError)
      throw new MutationError(error.message, { cause: error });
    throw error;
  }
}

/** upstream: mutating/dispatcher.go#dispatchOne knows no way back from another version of a built-in kind. */
function requireOwnVersion({ attributes, served }: PolicyCircumstances): void {
  const asked = attributes.served;
  if (served === asked || served.custom || attributes.bodyKind !== undefined) return;
  const [from, to] = [served.resource, asked.resource].map(({ version, kind }) => `${version}.${kind}`);
  throw new MutationError(`converting (${from ?? ""}) to (${to ?? ""}): unknown conversion`);
}

/** upstream: apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go */
async function applied(
  object: Draft,
  value: Value,
  { objects, attributes }: PolicyCircumstances,
): Promise<unknown> {
  const { schema, kind } = objects;
  if (schema === undefined)
    throw serviceUnavailable(
      `Resource kind ${kind.group}/${kind.version}, Kind=${kind.kind} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
    );
  if (!isMap(value)) throw new Error("the expression was checked to give an Object");
  requireTypesByPath(value);
  const { apiVersion, kind: ownKind } = object;
  const configuration = { ...(jsonOf(value) as object), apiVersion, kind: ownKind };
  try {
    return await attributes.turns.run(mergeConfiguration(schema, object, configuration));
  } catch (error) {
    if (error instanceof TypedValueError)
      throw new MutationError(`error applying patch: ${error.message}`, { cause: error });
    throw error;
  }
}

/** upstream: apiserver/pkg/admission/plugin/policy/mutating/patch/json_patch.go */
function patched(object: Draft, value: Value): unknown {
  const operations = isList(value) ? [...value].map(operationOf) : [];
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    // Not what the patch is for.
    if (error instanceof FailedTestError) return object;
    if (error instanceof PatchError)
      throw new MutationError(`JSON Patch: ${error.message}`, { cause: error });
    throw error;
  }
}

function operationOf(operation: Value): unknown {
  if (!isMap(operation)) throw new Error("the expression was checked to give a list of JSONPatch");
  const textAt = (field: string): string => {
    const text = operation.get(field);
    return typeof text === "string" ? text : "";
  };
  const from = textAt("from");
  const value = operation.get("value");
  return {
    op: textAt("op"),
    path: textAt("path"),
    ...(from === "" ? {} : { from }),
    ...(value === undefined ? {} : { value: jsonOfOperand(value) }),
  };
}

function jsonOfOperand(value: Value): unknown {
  if (isObjectLiteral(value)) requireTypesByPath(value);
  try {
    return jsonOf(value);
  } catch (error) {
    if (!(error instanceof PatchValueError)) throw error;
    throw new PatchValueError(
      `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`,
      { cause: error },
    );
  }
}
