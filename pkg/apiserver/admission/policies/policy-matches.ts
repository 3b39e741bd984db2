import type { ApiObject } from "../../../api/object.ts";
import type { MatchResources } from "../../../api/types/admissionregistration-v1.gen.ts";
import type { ServedResource } from "../../server/served-resource.ts";
import { StatusError } from "../../server/status-error.ts";
import type { Store } from "../../storage/store.ts";
import { matchResources, type PolicyRequest } from "./match-resources.ts";
import { collectParams, paramResource } from "./params.ts";
import { PolicyConfigurationError } from "./policy-configuration-error.ts";
import type { BindingObject, BoundPolicy, PolicyObject } from "./policy-source.ts";

/** A policy that is about a request. */
export interface PolicyMatch<P, B, C> {
  readonly policy: P & ApiObject;
  readonly compiled: C;
  readonly binding: B & ApiObject;
  /** The version of the resource that it is about. */
  readonly served: ServedResource;
  readonly params: readonly (ApiObject | undefined)[];
}

/** A policy of which that cannot be told. */
export interface PolicyProblem<P, B> {
  readonly policy: P & ApiObject;
  readonly binding: (B & ApiObject) | undefined;
  readonly problem: string;
}

/** In order of the policies' names, and of their bindings'. */
export async function matchesOf<P extends PolicyObject, B extends BindingObject, C>(
  policies: readonly BoundPolicy<P, B, C>[],
  request: PolicyRequest,
  store: Store,
): Promise<readonly (PolicyMatch<P, B, C> | PolicyProblem<P, B>)[]> {
  const found: (PolicyMatch<P, B, C> | PolicyProblem<P, B>)[] = [];
  for (const bound of policies) {
    const { policy, compiled } = bound;
    const outcome = matchPolicy(policy, request);
    if (outcome === undefined) continue;
    if ("problem" in outcome) {
      found.push({ policy, binding: undefined, problem: `failed to configure policy: ${outcome.problem}` });
      continue;
    }
    for (const binding of bound.bindings) {
      const { matchResources: match, paramRef } = binding.spec ?? {};
      try {
        if (match !== undefined && matchResources(complete(match), request) === undefined) continue;
        const params = await collectParams(outcome.params, paramRef, request.attributes, store);
        found.push({ policy, compiled, binding, served: outcome.served, params });
      } catch (error) {
        found.push({ policy, binding, problem: `failed to configure binding: ${problemOf(error)}` });
      }
    }
  }
  return found;
}

type PolicyOutcome =
  | { readonly served: ServedResource; readonly params: ServedResource | undefined }
  | { readonly problem: string };

function matchPolicy({ spec }: PolicyObject, request: PolicyRequest): PolicyOutcome | undefined {
  try {
    if (spec?.matchConstraints === undefined)
      throw new PolicyConfigurationError("policy contained no match constraints, a required field");
    const served = matchResources(complete(spec.matchConstraints), request);
    return served && { served, params: paramResource(spec.paramKind, request.attributes) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function complete(match: MatchResources): MatchResources {
  for (const [name, selector] of [
    ["namespace", match.namespaceSelector],
    ["object", match.objectSelector],
  ] as const) {
    if (selector === undefined)
      throw new PolicyConfigurationError(
        `a nil ${name} selector was passed, please ensure selectors are initialized properly`,
      );
  }
  return match;
}

/** Of what others throw this is nobody's policy. */
function problemOf(error: unknown): string {
  if (error instanceof PolicyConfigurationError || error instanceof StatusError) return error.message;
  throw error;
}
