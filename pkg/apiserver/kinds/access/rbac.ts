import { dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { pathSegment } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  ensure,
  items,
  present,
  sameValue,
  setZeroDefault,
  strings,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { parseSelector, validateLabelSelector } from "../label-selector.ts";
import type { TableColumn } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const group = "rbac.authorization.k8s.io";

function validateRules(draft: Draft, namespaced: boolean, errors: FieldErrors): void {
  for (const [index, rule] of items(draft, "rules").entries()) {
    const path = `rules[${index}]`;
    if (strings(rule, "verbs").length === 0) {
      errors.required(`${path}.verbs`, "verbs must contain at least one value");
    }
    const urls = strings(rule, "nonResourceURLs");
    const lists = ["apiGroups", "resources", "resourceNames"];
    if (urls.length > 0) {
      const at = `${path}.nonResourceURLs`;
      if (namespaced) errors.invalid(at, urls, "namespaced rules cannot apply to non-resource URLs");
      if (lists.some((key) => strings(rule, key).length > 0)) {
        errors.invalid(at, urls, "rules cannot apply to both regular resources and non-resource URLs");
      }
      continue;
    }
    if (strings(rule, "apiGroups").length === 0) {
      errors.required(`${path}.apiGroups`, "resource rules must supply at least one api group");
    }
    if (strings(rule, "resources").length === 0) {
      errors.required(`${path}.resources`, "resource rules must supply at least one resource");
    }
  }
}

function validateAggregation(draft: Draft, errors: FieldErrors): void {
  const aggregation = child(draft, "aggregationRule");
  if (aggregation === undefined) return;
  const path = "aggregationRule.clusterRoleSelectors";
  const selectors = items(aggregation, "clusterRoleSelectors");
  if (selectors.length === 0) {
    errors.required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const [index, selector] of selectors.entries()) {
    validateLabelSelector(selector, `${path}[${index}]`, errors);
    if (parseSelector(selector) === undefined)
      errors.invalid(`${path}[${index}]`, null, "invalid label selector.");
  }
}

function roleRules(namespaced: boolean): KindSpec {
  return {
    nameFormat: "pathSegment",
    validate(draft, errors) {
      validateRules(draft, namespaced, errors);
      if (!namespaced) validateAggregation(draft, errors);
    },
  };
}

function setBindingDefaults(draft: Draft): void {
  setZeroDefault(ensure(draft, "roleRef"), "apiGroup", group);
  for (const subject of items(draft, "subjects")) {
    const kind = text(subject, "kind");
    if (kind === "User" || kind === "Group") setZeroDefault(subject, "apiGroup", group);
  }
}

function validateBinding(draft: Draft, namespaced: boolean, errors: FieldErrors): void {
  const ref = child(draft, "roleRef");
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (text(ref, "apiGroup") !== group)
    errors.notSupported("roleRef.apiGroup", text(ref, "apiGroup"), [group]);
  if (!kinds.includes(text(ref, "kind"))) errors.notSupported("roleRef.kind", text(ref, "kind"), kinds);
  const name = text(ref, "name");
  if (name === "") errors.required("roleRef.name");
  else errors.invalidEach("roleRef.name", name, pathSegment(name));
  for (const [index, subject] of items(draft, "subjects").entries()) {
    validateSubject(subject, namespaced, `subjects[${index}]`, errors);
  }
}

function validateSubject(subject: Json, namespaced: boolean, path: string, errors: FieldErrors): void {
  const name = text(subject, "name");
  if (name === "") errors.required(`${path}.name`);
  const apiGroup = text(subject, "apiGroup");
  const kind = text(subject, "kind");
  if (kind === "ServiceAccount") {
    if (name !== "") errors.invalidEach(`${path}.name`, name, dnsSubdomainProblems(name));
    if (apiGroup !== "") errors.notSupported(`${path}.apiGroup`, apiGroup, [""]);
    if (!namespaced && text(subject, "namespace") === "") errors.required(`${path}.namespace`);
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) errors.notSupported(`${path}.apiGroup`, apiGroup, [group]);
  } else errors.notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"]);
}

function subjectColumn(title: string, kind: string): TableColumn {
  return column(
    title,
    (binding) =>
      items(binding, "subjects")
        .filter((subject) => text(subject, "kind") === kind)
        .map((subject) =>
          kind === "ServiceAccount"
            ? `${text(subject, "namespace")}/${text(subject, "name")}`
            : text(subject, "name"),
        )
        .join(", "),
    { wide: true },
  );
}

function bindingRules(namespaced: boolean): KindSpec {
  return {
    nameFormat: "pathSegment",
    setDefaults: setBindingDefaults,
    validate: (draft, errors) => validateBinding(draft, namespaced, errors),
    validateChange(draft, before, errors) {
      if (present(before, "roleRef") && !sameValue(draft["roleRef"], before["roleRef"])) {
        errors.invalid("roleRef", draft["roleRef"], "cannot change roleRef");
      }
    },
    columns: [
      nameColumn,
      column("Role", (binding) => {
        const ref = child(binding, "roleRef");
        return `${text(ref, "kind")}/${text(ref, "name")}`;
      }),
      ageColumn,
      subjectColumn("Users", "User"),
      subjectColumn("Groups", "Group"),
      subjectColumn("ServiceAccounts", "ServiceAccount"),
    ],
  };
}

export const rbacKinds = [
  defineKind(resources.roles, roleRules(true)),
  defineKind(resources.clusterRoles, roleRules(false)),
  defineKind(resources.roleBindings, bindingRules(true)),
  defineKind(resources.clusterRoleBindings, bindingRules(false)),
];
