import type { PolicyRule } from "../../api/types/rbac-v1.gen.ts";
import { formatTime } from "../../api/time.ts";
import type { Clock } from "../../clock/clock.ts";
import type { FieldError } from "../kinds/kind.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { child, type Json, present, strings, text } from "../../api/json.ts";
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
  if (namespace !== undefined && text(child(spec, "resourceAttributes"), "namespace") !== namespace) {
    errors.invalid(
      "spec.resourceAttributes.namespace",
      text(child(spec, "resourceAttributes"), "namespace"),
      "must match metadata.namespace",
    );
  }
  if (errors.list.length > 0) return { errors: errors.list };
  return answer(review, authorizer.decide({ username, groups }, attributesOfSpec(spec)));
}

/** May I? */
export function reviewOwnAccess(authorizer: RbacAuthorizer, review: Json, user: UserInfo): ReviewResult {
  const errors = new FieldErrors();
  const spec = child(review, "spec");
  validateTarget(spec, errors);
  if (errors.list.length > 0) return { errors: errors.list };
  return answer(review, authorizer.decide(user, attributesOfSpec(spec)));
}

/** What may I do in this namespace? */
export function reviewOwnRules(authorizer: RbacAuthorizer, review: Json, user: UserInfo): ReviewResult {
  const namespace = text(child(review, "spec"), "namespace");
  if (namespace === "") {
    const errors = new FieldErrors();
    errors.required("spec.namespace", "no namespace on request");
    return { errors: errors.list };
  }
  const rules = user.groups.includes("system:masters") ? masterRules : authorizer.rulesFor(user, namespace);
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
  return { review: { ...review, status: { resourceRules, nonResourceRules, incomplete: false } } };
}

const masterRules: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Who am I? */
export function reviewSelf(review: Json, user: UserInfo, clock: Clock): ReviewResult {
  const { username, uid, groups, extra } = user;
  const userInfo = {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
  const metadata = { creationTimestamp: formatTime(clock.nowMs()) };
  return { review: { ...review, metadata, status: { userInfo } } };
}
