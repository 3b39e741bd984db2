import type { ApiObject } from "../../api/object.ts";
import { asJson, child, isJson, items, type Json, sameValue, text } from "../../api/json.ts";
import { resources } from "../../api/resources.ts";
import type { PolicyRule, RoleRef } from "../../api/types/rbac-v1.gen.ts";
import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import type { AccessAttributes } from "../auth/rbac-rules.ts";
import { compactRules, describeRule, missingRules, quotedList } from "../auth/rule-cover.ts";
import type { Draft } from "../kinds/kind.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { badRequest, forbidden, internal, notFound, type StatusError } from "../server/status-error.ts";
import { type AdmissionPlugin, isResource } from "./plugin.ts";

const group = "rbac.authorization.k8s.io";
const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/**
 * Nobody gives away what they do not have: neither by a role nor by binding one. The verbs `escalate` and `bind` allow it
 * all the same, and so does membership of system:masters. It looks before the kinds' own validation does, so that what
 * is refused is refused first.
 */
export function roleEscalation(rbac: RbacAuthorizer): AdmissionPlugin {
  return {
    name: "RoleEscalation",
    mutate(attributes, draft) {
      if (draft === undefined || attributes.subresource !== "" || attributes.resource.group !== group) return;
      if (attributes.user.groups.includes("system:masters")) return;
      if (isResource(attributes, resources.roles) || isResource(attributes, resources.clusterRoles))
        checkRole(rbac, attributes, draft);
      else checkBinding(rbac, attributes, draft);
    },
  };
}

function checkRole(rbac: RbacAuthorizer, attributes: AdmissionAttributes, draft: Draft): void {
  const { user, before } = attributes;
  const { plural } = attributes.resource;
  if (rbac.isAllowed(user, wanted(attributes, "escalate", plural, attributes.pathName))) return;
  if (before !== undefined && differsForCollectorOnly(draft, before)) return;
  refuseEscalation(rbac, attributes, items(draft, "rules") as unknown as readonly PolicyRule[]);
  if (!hasAggregation(draft) && !(before !== undefined && hasAggregation(asJson(before)))) return;
  // It can gather anything, now and later.
  if (missingRules(rbac.rulesFor(user, attributes.namespace), everything).length > 0)
    throw refused(attributes, "must have cluster-admin privileges to use the aggregationRule");
}

function checkBinding(rbac: RbacAuthorizer, attributes: AdmissionAttributes, draft: Draft): void {
  const { user, before, namespace, resource } = attributes;
  if (before !== undefined && differsForCollectorOnly(draft, before)) return;
  const ref = child(draft, "roleRef");
  const roleRef: RoleRef = {
    apiGroup: text(ref, "apiGroup"),
    kind: text(ref, "kind"),
    name: text(ref, "name"),
  };
  const plural = { Role: "roles", ClusterRole: "clusterroles" }[roleRef.kind];
  if (plural === undefined)
    throw internal(`unsupported role reference kind: ${JSON.stringify(roleRef.kind)}`);
  const bind = { ...wanted(attributes, "bind", plural, roleRef.name), group: text(ref, "apiGroup") };
  if (rbac.isAllowed(user, bind)) return;
  if (roleRef.kind === "Role" && namespace === "") throw badRequest("Namespace parameter required.");
  const rules = rbac.rulesOf(roleRef, namespace);
  // upstream: whoever looks for the role believes to look for what the request is about.
  if (rules === undefined) throw notFound(resource, roleRef.name);
  refuseEscalation(rbac, attributes, rules);
}

function wanted(
  { namespace }: AdmissionAttributes,
  verb: string,
  resource: string,
  name: string,
): AccessAttributes {
  return { verb, group, resource, subresource: "", name, namespace, path: "" };
}

function refuseEscalation(
  rbac: RbacAuthorizer,
  attributes: AdmissionAttributes,
  rules: readonly PolicyRule[],
): void {
  const { user, namespace, resource } = attributes;
  const missing = missingRules(rbac.rulesFor(user, namespace), rules);
  if (missing.length === 0) return;
  const lines = [...new Set(compactRules(missing).map(describeRule))].sort();
  const who = `user ${JSON.stringify(user.username)} (groups=${quotedList(user.groups)})`;
  const dangling = rbac.danglingFor(user, namespace).map((name) => notFound(resource, name).message);
  const unresolved = [...new Set(dangling)];
  const [only = "", ...more] = unresolved;
  const shown = more.length === 0 ? only : `[${unresolved.join(", ")}]`;
  const errors = only === "" ? "" : `; resolution errors: [${shown}]`;
  const what = "is attempting to grant RBAC permissions not currently held:";
  throw refused(attributes, `${who} ${what}\n${lines.join("\n")}${errors}`);
}

function refused({ resource, name }: AdmissionAttributes, why: string): StatusError {
  return forbidden(resource, name, why);
}

function hasAggregation(role: Json): boolean {
  return items(child(role, "aggregationRule"), "clusterRoleSelectors").length > 0;
}

/** Owners and finalizers: whoever may delete a role may also prepare for that. */
function differsForCollectorOnly(draft: Draft, before: ApiObject): boolean {
  return sameValue(comparable(draft), comparable(asJson(before)));
}

function comparable(object: Json): unknown {
  const {
    ownerReferences: _,
    finalizers: __,
    managedFields: ___,
    ...metadata
  } = child(object, "metadata") ?? {};
  return withoutEmpty({ ...object, metadata });
}

/** Absent, null and empty are the same. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isJson(value)) return value;
  const kept = Object.entries(value)
    .map(([key, member]): [string, unknown] => [key, withoutEmpty(member)])
    .filter(([, member]) => !isEmpty(member));
  return Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJson(value) && Object.keys(value).length === 0;
}
