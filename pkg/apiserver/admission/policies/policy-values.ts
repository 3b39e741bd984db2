import { asJson } from "../../../api/json.ts";
import type { Steps } from "../../../api/steps.ts";
import type { ApiObject } from "../../../api/object.ts";
import { resources } from "../../../api/resources.ts";
import type { Namespace } from "../../../api/types/core-v1.gen.ts";
import type { Value } from "../../../cel/values.ts";
import { untypedValue } from "../../crd/cel/object-value.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { notFound } from "../../server/status-error.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import type { CompiledExpression } from "../expressions/compiled-expression.ts";
import { conditionsHold } from "../expressions/conditions.ts";
import type { PolicyCompiler } from "../expressions/policy-compiler.ts";
import {
  authorizerValuesOf,
  type Circumstances,
  conditionValues,
  namespaceValue,
  requestValues,
  type Values,
} from "../matching/circumstances.ts";
import { isResource } from "../plugin.ts";

/** What the conditions and variables of every policy are made of. */
export interface CompiledConditions {
  readonly conditions: readonly CompiledExpression[];
  readonly variables: ReadonlyMap<string, CompiledExpression>;
}

export function compileConditions(
  compiler: PolicyCompiler,
  spec: {
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly matchConditions?: readonly { readonly expression: string }[];
  },
): CompiledConditions {
  for (const { name, expression } of spec.variables ?? []) compiler.variable(name, expression);
  const conditions = (spec.matchConditions ?? []).map(({ expression }) => compiler.condition(expression));
  return { conditions, variables: compiler.variables };
}

/** A request as a policy sees it, with params. */
export interface PolicyCircumstances extends Circumstances {
  readonly params: ApiObject | undefined;
  readonly namespace: Namespace | undefined;
}

/** A text says why that cannot be told. */
export function* meetsConditions(
  { conditions, variables }: CompiledConditions,
  circumstances: PolicyCircumstances,
): Steps<boolean | string> {
  if (conditions.length === 0) return true;
  const values = new Map([
    ...conditionValues(circumstances),
    ["params", paramsValue(circumstances)] as const,
  ]);
  return yield* conditionsHold(conditions, { values, variables });
}

/** What the other expressions of a policy may speak of. */
export function policyValues(circumstances: PolicyCircumstances, authorizer: boolean): Values {
  return new Map<string, Value>([
    ...requestValues(circumstances),
    ...(authorizer ? authorizerValuesOf(circumstances) : []),
    ["params", paramsValue(circumstances)],
    ["namespaceObject", namespaceValue(circumstances.namespace)],
  ]);
}

function paramsValue({ params }: PolicyCircumstances): Value {
  return params === undefined ? null : untypedValue(asJson(params));
}

/** The namespace that a request lies in; a namespace lies in none here. Throws a StatusError where it is not there. */
export function namespaceOf(attributes: AdmissionAttributes, reader: ClusterReader): Namespace | undefined {
  const { namespace } = attributes;
  if (namespace === "" || isResource(attributes, resources.namespaces)) return undefined;
  const found = reader.get(resources.namespaces, "", namespace);
  if (found === undefined) throw notFound(resources.namespaces, namespace);
  return found;
}
