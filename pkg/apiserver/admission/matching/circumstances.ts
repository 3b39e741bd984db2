import { isJson, type Json } from "../../../api/json.ts";
import type { Namespace } from "../../../api/types/core-v1.gen.ts";
import { type Authorize, authorizerValues } from "../../../cel/library/authorizer.ts";
import type { Value } from "../../../cel/values.ts";
import type { RbacAuthorizer } from "../../auth/rbac-authorizer.ts";
import { untypedValue } from "../../crd/cel/object-value.ts";
import type { UserInfo } from "../../server/access.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { admissionRequest, type SeenRequest } from "./admission-request.ts";

/** What expressions are held against. */
export interface Circumstances extends SeenRequest {
  readonly attributes: AdmissionAttributes;
  /** Undefined: everybody may do everything. */
  readonly rbac: RbacAuthorizer | undefined;
}

export type Values = ReadonlyMap<string, Value>;

/** What conditions may speak of. upstream: they are not given the namespace, although they may speak of it. */
export function conditionValues(circumstances: Circumstances): Values {
  const { attributes } = circumstances;
  // upstream: they are told the resource of the request, whatever version they see the objects in.
  const asked = { ...circumstances, resource: attributes.served };
  return new Map([...requestValues(asked), ...authorizerValuesOf(circumstances), ["namespaceObject", null]]);
}

/** The request and its objects. */
export function requestValues(circumstances: Circumstances): Values {
  const { object, oldObject, ...request } = admissionRequest("", circumstances.attributes, circumstances);
  return new Map<string, Value>([
    ["object", untypedValue(nullable(object))],
    ["oldObject", untypedValue(nullable(oldObject))],
    ["request", untypedValue(request)],
  ]);
}

export function authorizerValuesOf(circumstances: Circumstances): Values {
  const { resource, subresource, namespace, name } = circumstances.attributes;
  const question = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  const { authorizer, resourceCheck } = authorizerValues(authorizing(circumstances), question);
  return new Map([
    ["authorizer", authorizer],
    ["authorizer.requestResource", resourceCheck],
  ]);
}

/** Of a namespace, what expressions may see. */
export function namespaceValue(namespace: Namespace | undefined): Value {
  if (namespace === undefined) return null;
  const { metadata, spec = {}, status = {} } = namespace;
  const { ownerReferences: _, managedFields: _managed, selfLink: _link, ...seen } = metadata;
  return untypedValue({ metadata: seen, spec, status });
}

function authorizing({ attributes, rbac }: Circumstances): Authorize {
  return ({ serviceAccount, path = "", ...question }, verb) => {
    if (rbac === undefined) return { allowed: true, reason: "", error: "" };
    const { group = "", resource = "", subresource = "", namespace = "", name = "" } = question;
    const user = serviceAccount === undefined ? attributes.user : accountUser(serviceAccount);
    const wanted = { verb, group, resource, subresource, namespace, name, path };
    return { ...rbac.decide(user, wanted), error: "" };
  };
}

function accountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { username: `system:serviceaccount:${namespace}:${name}`, groups };
}

const nullable = (object: unknown): Json | null => (isJson(object) ? object : null);
