// Questions to the authorizer: authorizer.group("apps").resource("deployments").check("create").allowed().

import { type FunctionOverload, overload } from "../declarations.ts";
import { structType } from "../types.ts";
import type { OpaqueValue, Value } from "../values.ts";
import { asInstance, asText } from "./arguments.ts";

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** Empty where the authorizer could decide. */
  readonly error: string;
}

/** What is asked: for a path, or for a resource. */
export interface AccessQuestion {
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export type Authorize = (question: AccessQuestion, verb: string) => AccessDecision;

const prefix = "kubernetes.authorization.";

class Asked implements OpaqueValue {
  readonly kind = "opaque";
  readonly type;
  readonly question: AccessQuestion;
  readonly authorize: Authorize;

  constructor(typeName: string, authorize: Authorize, question: AccessQuestion) {
    this.type = structType(prefix + typeName);
    this.authorize = authorize;
    this.question = question;
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }

  with(typeName: string, more: AccessQuestion): Asked {
    return new Asked(typeName, this.authorize, { ...this.question, ...more });
  }
}

class Decided implements OpaqueValue {
  readonly kind = "opaque";
  readonly type = structType(`${prefix}Decision`);
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    this.decision = decision;
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** What expressions ask with: the authorizer itself, and a question about a resource that is already put. */
export function authorizerValues(
  authorize: Authorize,
  question: AccessQuestion,
): { readonly authorizer: OpaqueValue; readonly resourceCheck: OpaqueValue } {
  return {
    authorizer: new Asked("Authorizer", authorize, {}),
    resourceCheck: new Asked("ResourceCheck", authorize, question),
  };
}

const asked = (value: Value | undefined): Asked => asInstance(value, Asked);
const decision = (value: Value | undefined): AccessDecision => asInstance(value, Decided).decision;

function check(value: Value | undefined, verb: Value | undefined): Value {
  const { authorize, question } = asked(value);
  return new Decided(authorize(question, asText(verb)));
}

const narrowing = ["subresource", "namespace", "name", "fieldSelector", "labelSelector"] as const;
const resourceCheck = `${prefix}ResourceCheck`;

export const authorizerOverloads: readonly FunctionOverload[] = [
  overload("authorizer_path", `(${prefix}Authorizer).path(string): ${prefix}PathCheck`, (value, path) =>
    asked(value).with("PathCheck", { path: asText(path) }),
  ),
  overload("authorizer_group", `(${prefix}Authorizer).group(string): ${prefix}GroupCheck`, (value, group) =>
    asked(value).with("GroupCheck", { group: asText(group) }),
  ),
  overload(
    "authorizer_serviceaccount",
    `(${prefix}Authorizer).serviceAccount(string, string): ${prefix}Authorizer`,
    (value, namespace, name) =>
      asked(value).with("Authorizer", {
        serviceAccount: { namespace: asText(namespace), name: asText(name) },
      }),
  ),
  overload("pathcheck_check", `(${prefix}PathCheck).check(string): ${prefix}Decision`, check),
  overload(
    "groupcheck_resource",
    `(${prefix}GroupCheck).resource(string): ${resourceCheck}`,
    (value, resource) => asked(value).with("ResourceCheck", { resource: asText(resource) }),
  ),
  ...narrowing.map((name) =>
    overload(
      `resourcecheck_${name.toLowerCase()}`,
      `(${resourceCheck}).${name}(string): ${resourceCheck}`,
      (value, text) => asked(value).with("ResourceCheck", { [name]: asText(text) }),
    ),
  ),
  overload("resourcecheck_check", `(${resourceCheck}).check(string): ${prefix}Decision`, check),
  overload("decision_allowed", `(${prefix}Decision).allowed(): bool`, (value) => decision(value).allowed),
  overload("decision_reason", `(${prefix}Decision).reason(): string`, (value) => decision(value).reason),
  overload(
    "decision_errored",
    `(${prefix}Decision).errored(): bool`,
    (value) => decision(value).error !== "",
  ),
  overload("decision_error", `(${prefix}Decision).error(): string`, (value) => decision(value).error),
];
