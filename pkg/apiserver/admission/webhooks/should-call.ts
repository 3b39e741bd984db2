import { child, isJson, type Json, stringMap } from "../../../api/json.ts";
import { selectorFromSpec } from "../../../api/label-selector.ts";
import type { Labels } from "../../../api/labels.ts";
import { resources } from "../../../api/resources.ts";
import type { Authorize } from "../../../cel/library/authorizer.ts";
import type { RbacAuthorizer } from "../../auth/rbac-authorizer.ts";
import type { UserInfo } from "../../server/access.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import type { ServedResource } from "../../server/served-resource.ts";
import { forbidden, notFound, type StatusError } from "../../server/status-error.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { conditionsHold } from "../conditions.ts";
import { admissionRequest } from "./admission-review.ts";
import type { AdmittedObjects } from "./admitted-objects.ts";
import { ruleMatches } from "./match-rule.ts";
import type { Webhook } from "./webhook.ts";

const OWN_GROUP = "admissionregistration.k8s.io";

/** What says who admits is admitted by nobody, or nobody could mend it any more. */
export function isExempt({ resource }: AdmissionAttributes): boolean {
  return resource.group === OWN_GROUP;
}

/**
 * The version of the resource in which the webhook wants to see the request; undefined: it is not interested. Throws
 * where that cannot be found out. upstream: apiserver/pkg/admission/plugin/webhook/generic/webhook.go#ShouldCallHook
 */
export function interestOf(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  objects: AdmittedObjects,
  reader: ClusterReader,
): ServedResource | undefined {
  const { spec } = webhook;
  const namespace = matchNamespace(spec.namespaceSelector, attributes, objects, reader);
  if (namespace === false) return undefined;
  if (!matchObjects(spec.objectSelector, objects)) return undefined;
  const served = servedFor(webhook, attributes);
  if (served === undefined) return undefined;
  // Only whom the request concerns minds that its namespace is not there.
  if (namespace !== true) throw namespace;
  return served;
}

/** What conditions are held against. */
export interface Circumstances {
  readonly attributes: AdmissionAttributes;
  /** The resource in the version that the objects are shown in. */
  readonly served: ServedResource;
  readonly objects: AdmittedObjects;
  /** Undefined: everybody may do everything. */
  readonly rbac: RbacAuthorizer | undefined;
}

/** Failing to evaluate them is failing to call the webhook. */
export function meetsConditions({ spec }: Webhook, circumstances: Circumstances): boolean {
  const conditions = spec.matchConditions ?? [];
  if (conditions.length === 0) return true;
  const { attributes } = circumstances;
  const { object, oldObject, ...request } = admissionRequest("", attributes, circumstances);
  const { resource, subresource, namespace, name } = attributes;
  const input = {
    object: nullable(object),
    oldObject: nullable(oldObject),
    request,
    authorize: authorizing(circumstances),
    question: { group: resource.group, resource: resource.plural, subresource, namespace, name },
  };
  const holds = conditionsHold(
    conditions.map(({ expression }) => expression.trim()),
    input,
  );
  if (typeof holds === "boolean") return holds;
  if (spec.failurePolicy === "Ignore") return false;
  throw forbidden(attributes.resource, attributes.name, holds);
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

function servedFor({ spec }: Webhook, attributes: AdmissionAttributes): ServedResource | undefined {
  const rules = spec.rules ?? [];
  const { served } = attributes;
  if (rules.some((rule) => ruleMatches(rule, attributes, served.resource))) return served;
  if (spec.matchPolicy === "Exact") return undefined;
  // Earlier rules count first.
  const others = attributes.equivalents();
  for (const rule of rules) {
    const found = others.find(({ resource }) => ruleMatches(rule, attributes, resource));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A StatusError where the namespace is not there. */
function matchNamespace(
  spec: Webhook["spec"]["namespaceSelector"],
  attributes: AdmissionAttributes,
  objects: AdmittedObjects,
  reader: ClusterReader,
): boolean | StatusError {
  const { namespace, resource } = attributes;
  const isNamespace = resource.plural === "namespaces";
  if (namespace === "" && !isNamespace) return true;
  const selector = selectorFromSpec(spec ?? {});
  if (selector.empty) return true;
  const isWritten = attributes.operation === "CREATE" || attributes.operation === "UPDATE";
  if (isNamespace && attributes.subresource === "" && isWritten)
    return selector.matches(labelsOf(objects.object));
  const found = reader.get(resources.namespaces, "", namespace);
  return found === undefined
    ? notFound(resources.namespaces, namespace)
    : selector.matches(found.metadata.labels);
}

function matchObjects(spec: Webhook["spec"]["objectSelector"], { object, before }: AdmittedObjects): boolean {
  const selector = selectorFromSpec(spec ?? {});
  if (selector.empty) return true;
  return [object, before].some((one) => hasMetadata(one) && selector.matches(labelsOf(one)));
}

/** The options of a connection have none. */
function hasMetadata(object: object | undefined): boolean {
  return object !== undefined && "metadata" in object;
}

function labelsOf(object: object | undefined): Labels {
  return stringMap(child(object as Record<string, unknown>, "metadata"), "labels");
}
