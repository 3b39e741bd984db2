import type { Steps } from "../../pkg/api/steps.ts";
import type { ExpressionWarning } from "../../pkg/api/types/admissionregistration-v1.gen.ts";
import { compile } from "../../pkg/cel/compile.ts";
import type { Environment } from "../../pkg/cel/environment.ts";
import { type KnownTypes, typedPolicyEnvironment } from "../../pkg/cel/request-types.ts";
import { type DeclaredType, declaredType } from "../../pkg/cel/schemas/declared-type.ts";
import type { OpenApiSchema } from "../../pkg/cel/schemas/open-api-schema.ts";
import { dynType, type Type } from "../../pkg/cel/types.ts";
import { typeOfVariable } from "../../pkg/cel/variable-type.ts";
import type { CachedPolicy } from "./fields.ts";
import { type GroupVersionKind, nameOfKind } from "./matched-kinds.ts";

/** A kind, and what is known of its objects. */
export interface KindSchema {
  readonly kind: GroupVersionKind;
  readonly schema: OpenApiSchema;
}

export interface PolicySchemas {
  /** Of the kinds that the policy is about. */
  readonly kinds: readonly KindSchema[];
  /** Undefined where nothing is known of the kind. */
  readonly params: KindSchema | undefined;
}

/** What is wrong with the expressions of a policy, if objects are as their schemas say. upstream: typechecking.go#Check */
export function* checkTypes(
  { spec }: CachedPolicy,
  { kinds, params }: PolicySchemas,
  uniqueNumber: number,
): Steps<readonly ExpressionWarning[]> {
  if (spec === undefined) return [];
  const typeOf = (known: KindSchema): DeclaredType | undefined =>
    declaredType(known.schema, true, `${known.kind.kind}${uniqueNumber}`);
  const paramsType = spec.paramKind && { type: params && typeOf(params) };
  const environments: (readonly [GroupVersionKind, Environment])[] = [];
  for (const known of kinds) {
    const types = { object: typeOf(known), params: paramsType };
    environments.push([known.kind, yield* environmentOf(types, spec.variables ?? [])]);
  }
  const warnings: ExpressionWarning[] = [];
  for (const [index, { expression, messageExpression = "" }] of (spec.validations ?? []).entries()) {
    for (const [field, text] of Object.entries({ expression, messageExpression })) {
      if (text === "") continue;
      const warning = yield* warningOf(text, environments);
      if (warning !== "") warnings.push({ fieldRef: `spec.validations[${index}].${field}`, warning });
    }
  }
  return warnings;
}

/** Where a variable is wrong, it may be anything, and nobody is told. */
function* environmentOf(
  types: KnownTypes,
  variables: readonly { readonly name: string; readonly expression: string }[],
): Steps<Environment> {
  const known = new Map<string, Type>();
  for (const { name, expression } of variables) {
    const made = compile(expression, typedPolicyEnvironment(types, known));
    known.set(name, typeof made === "string" ? dynType : typeOfVariable(made.checked.type));
    yield;
  }
  return typedPolicyEnvironment(types, known);
}

function* warningOf(
  text: string,
  environments: readonly (readonly [GroupVersionKind, Environment])[],
): Steps<string> {
  const found: string[] = [];
  for (const [kind, environment] of environments) {
    const made = compile(text, environment);
    if (typeof made === "string") found.push(`${nameOfKind(kind)}: ${made}\n`);
    yield;
  }
  return found.join("\n");
}
