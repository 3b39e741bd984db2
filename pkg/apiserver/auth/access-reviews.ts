import { formatTime } from "../../api/time.ts";
import type { FieldError } from "../kinds/kind.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { child, items, type Json, present, strings, text } from "../../api/json.ts";
import { validateOperator } from "../kinds/label-selector.ts";
import { labelKeyProblems } from "../../api/labels-validate.ts";
import { isEmptyValue } from "../server/object-lifecycle.ts";
import { badRequest } from "../server/status-error.ts";
import type { UserInfo } from "../server/access.ts";
import type { RbacAuthorizer } from "./rbac-authorizer.ts";
import type { AccessAttributes } from "./rbac-rules.ts";

/** The answer to a review is the review itself, with a status; or what is wrong with it. */
export type ReviewResult = { readonly review: Json } | { readonly errors: readonly FieldError[] };

function attributesOfSpec(spec: Json | undefined): AccessAttributes {
  const resource = child(spec, "resourceAttributes");
  const path = child(spec, "nonResourceAttributes");
  return {
    verb: text(resource ?? path, "verb"),
    group: text(resource, "group"),
    resource: text(resource, "resource"),
    subresource: text(resource, "subresource"),
    name: text(resource, "name"),
    namespace: text(resource, "namespace"),
    path: text(path, "path"),
  };
}

function validateTarget(spec: Json | undefined, errors: FieldErrors): void {
  const given = ["resourceAttributes", "nonResourceAttributes"].filter((key) => present(spec, key));
  if (given.length === 2) {
    errors.invalid(
      "spec.nonResourceAttributes",
      spec?.["nonResourceAttributes"],
      "cannot be specified in combination with resourceAttributes",
    );
  } else if (given.length === 0) {
    errors.invalid(
      "spec.resourceAttributes",
      null,
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    );
  }
}

const operators = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

/** Operators that nobody knows yet are let pass. upstream: pkg/apis/authorization/validation */
function validateSelectors(attributes: Json | undefined, errors: FieldErrors): void {
  for (const key of ["fieldSelector", "labelSelector"]) {
    const selector = child(attributes, key);
    if (selector === undefined) continue;
    const path = `spec.resourceAttributes.${key}`;
    const raw = text(selector, "rawSelector");
    const requirements = items(selector, "requirements");
    if (raw !== "" && requirements.length > 0)
      errors.invalid(`${path}.rawSelector`, raw, "may not specified at the same time as requirements");
    if (raw === "" && requirements.length === 0)
      errors.required(
        `${path}.requirements`,
        `when ${path} is specified, requirements or rawSelector is required`,
      );
    for (const [index, requirement] of requirements.entries()) {
      const at = `${path}.requirements[${index}]`;
      if (operators.has(text(requirement, "operator"))) validateOperator(requirement, at, errors);
      const name = text(requirement, "key");
      if (key === "labelSelector") errors.invalidEach(`${at}.key`, name, labelKeyProblems(name));
      else if (name === "") errors.required(`${at}.key`, "must be specified");
    }
  }
}

/** Reviews are not kept: there is nothing to be said of them but where they are made. */
function validateMetadata(review: Json, namespace: string | undefined, errors: FieldErrors): void {
  const { managedFields: _, namespace: own, ...others } = child(review, "metadata") ?? {};
  const isEmpty = Object.values(others).every(isEmptyValue);
  if (isEmpty && (namespace !== undefined || own === undefined)) return;
  const detail = namespace === undefined ? "must be empty" : "must be empty except for namespace";
  errors.invalid("metadata", review["metadata"], detail);
}

function answer(
  review: Json,
  { allowed, reason }: { readonly allowed: boolean; readonly reason: string },
): ReviewResult {
  return { review: { ...review, status: reason === "" ? { allowed } : { allowed, reason } } };
}

/** May somebody else? `namespace` is that of a LocalSubjectAccessReview. */
export function reviewSubjectAccess(
  authorizer: RbacAuthorizer,
  review: Json,
  namespace: string | undefined,
): ReviewResult {
  const errors = new FieldErrors();
  const spec = child(review, "spec");
  validateTarget(spec, errors);
  const username = text(spec, "user");
  const groups = strings(spec, "groups");
  if (username === "" && groups.length === 0) {
    errors.invalid("spec.user", "", "at least one of user or group must be specified");
  }
  validateSelectors(child(spec, "resourceAttributes"), errors);
  validateMetadata(review, namespace, errors);
  const attributes = child(spec, "resourceAttributes");
  if (namespace !== undefined && attributes !== undefined && text(attributes, "namespace") !== namespace) {
    errors.invalid(
      "spec.resourceAttributes.namespace",
      text(attributes, "namespace"),
      "must match metadata.namespace",
    );
  }
  if (namespace !== undefined && present(spec, "nonResourceAttributes"))
    errors.invalid(
      "spec.nonResourceAttributes",
      spec?.["nonResourceAttributes"],
      "disallowed on this kind of request",
    );
  if (errors.list.length > 0) return { errors: errors.list };
  return answer(review, authorizer.decide({ username, groups }, attributesOfSpec(spec)));
}

/** May I? */
export function reviewOwnAccess(authorizer: RbacAuthorizer, review: Json, user: UserInfo): ReviewResult {
  const errors = new FieldErrors();
  const spec = child(review, "spec");
  validateTarget(spec, errors);
  validateSelectors(child(spec, "resourceAttributes"), errors);
  validateMetadata(review, undefined, errors);
  if (errors.list.length > 0) return { errors: errors.list };
  return answer(review, authorizer.decide(user, attributesOfSpec(spec)));
}

/** What may I do in this namespace? */
export function reviewOwnRules(authorizer: RbacAuthorizer, review: Json, user: UserInfo): ReviewResult {
  const namespace = text(child(review, "spec"), "namespace");
  if (namespace === "") throw badRequest("no namespace on request");
  const rules = authorizer.rulesFor(user, namespace);
  const resourceRules = rules
    .filter((rule) => (rule.resources ?? []).length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    }));
  const nonResourceRules = rules
    .filter((rule) => (rule.nonResourceURLs ?? []).length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  const status = { resourceRules, nonResourceRules, incomplete: false };
  return { review: { metadata: {}, spec: {}, status } };
}

/** Who am I? */
export function reviewSelf(user: UserInfo, nowMs: number): ReviewResult {
  const { username, uid, groups, extra } = user;
  const userInfo = {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
  return { review: { metadata: { creationTimestamp: formatTime(nowMs) }, status: { userInfo } } };
}
