import { child, type Json, optionalText, setDefault, stringMap, strings, text } from "../../../api/json.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { parseIp } from "../../../endpoints/ip-address.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, type KindSpec, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { pathSegment, regexMessage } from "../formats.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { validateCidr, validateIp } from "./address-checks.ts";

const PATH_PATTERN = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

function validateController(controller: string, errors: FieldErrors): void {
  const field = "spec.controller";
  if (controller.length > 250) errors.tooLong(field, 250);
  const slash = controller.indexOf("/");
  const [domain, path] = [controller.slice(0, slash), controller.slice(slash + 1)];
  if (controller === "") errors.required(field);
  else if (slash <= 0 || path === "")
    errors.invalid(field, controller, 'must be a domain-prefixed path (such as "acme.io/foo")');
  else {
    errors.invalidEach(field, domain, dnsSubdomainProblems(domain));
    if (!new RegExp(`^${PATH_PATTERN}$`).test(path))
      errors.invalid(field, path, regexMessage("Invalid path", PATH_PATTERN));
  }
}

function validateParameters(parameters: Json, errors: FieldErrors): void {
  const path = "spec.parameters";
  const group = optionalText(parameters, "apiGroup");
  if (group !== undefined) errors.invalidEach(`${path}.apiGroup`, group, dnsSubdomainProblems(group));
  for (const key of ["kind", "name"]) requireSegment(parameters, key, `${path}.${key}`, errors);
  const scope = text(parameters, "scope");
  const namespace = optionalText(parameters, "namespace");
  const field = `${path}.namespace`;
  if (scope !== "Cluster" && scope !== "Namespace")
    errors.notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"]);
  else if (scope === "Namespace" && namespace === undefined)
    errors.required(field, "`parameters.scope` is set to 'Namespace'");
  else if (scope === "Namespace") errors.invalidEach(field, namespace, dnsLabelProblems(namespace ?? ""));
  else if (namespace !== undefined) errors.forbidden(field, "`parameters.scope` is set to 'Cluster'");
}

function requireSegment(of: Json, key: string, path: string, errors: FieldErrors): void {
  const value = text(of, key);
  if (value === "") errors.required(path);
  else errors.invalidEach(path, value, pathSegment(value));
}

function validateParent(parent: Json | undefined, errors: FieldErrors): void {
  const path = "spec.parentRef";
  if (parent === undefined) return;
  const group = text(parent, "group");
  if (group !== "") errors.invalidEach(`${path}.group`, group, dnsSubdomainProblems(group));
  for (const key of ["resource", "name"]) {
    const value = text(parent, key);
    if (value !== "") errors.invalidEach(`${path}.${key}`, value, pathSegment(value));
  }
  const namespace = text(parent, "namespace");
  errors.invalidEach(`${path}.namespace`, namespace, pathSegment(namespace));
}

function validateRanges(cidrs: readonly string[], errors: FieldErrors): void {
  const path = "spec.cidrs";
  if (cidrs.length === 0) errors.required(path, "at least one CIDR required");
  else if (cidrs.length > 2) errors.invalid(path, { cidrs }, "may only hold up to 2 values");
  else {
    for (const [index, cidr] of cidrs.entries()) validateCidr(cidr, `${path}[${index}]`, errors);
    const [first, second] = cidrs.map((cidr) => parseIp(cidr.split("/")[0] ?? "")?.family);
    if (first !== undefined && first === second)
      errors.invalid(
        path,
        cidrs,
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
      );
  }
}

const classRules: KindSpec = {
  setDefaults(draft) {
    const parameters = child(specOf(draft), "parameters");
    if (parameters !== undefined) setDefault(parameters, "scope", "Cluster");
  },
  validate(draft, errors) {
    const spec = specOf(draft);
    validateController(text(spec, "controller"), errors);
    const parameters = child(spec, "parameters");
    if (parameters !== undefined) validateParameters(parameters, errors);
  },
  validateChange: (draft, before, errors) =>
    errors.immutable(
      "spec.controller",
      text(specOf(draft), "controller"),
      text(child(before, "spec"), "controller"),
    ),
  columns: [
    column(
      "Name",
      (object) => {
        const annotations = stringMap(child(object, "metadata"), "annotations");
        const isDefault = annotations["ingressclass.kubernetes.io/is-default-class"] === "true";
        return `${text(child(object, "metadata"), "name")}${isDefault ? " (default)" : ""}`;
      },
      { format: "name" },
    ),
    column("Controller", (object) => text(child(object, "spec"), "controller")),
    column("Parameters", (object) => {
      const parameters = child(child(object, "spec"), "parameters");
      if (parameters === undefined) return "<none>";
      const group = optionalText(parameters, "apiGroup");
      const kind = group === undefined ? text(parameters, "kind") : `${text(parameters, "kind")}.${group}`;
      return `${kind}/${text(parameters, "name")}`;
    }),
    ageColumn,
  ],
};

export const ingressClassKinds = [
  defineKind(resources.ingressClasses, classRules),
  defineKind(resources.ipAddresses, {
    declaredRules: true,
    nameFormat: "pathSegment",
    validate(draft, errors) {
      const name = text(draft.metadata, "name");
      if (name !== "") validateIp(name, "metadata.name", errors);
      validateParent(child(specOf(draft), "parentRef"), errors);
    },
    columns: [
      nameColumn,
      column("ParentRef", (object) => {
        const parent = child(child(object, "spec"), "parentRef");
        const group = text(parent, "group");
        const plural = group === "" ? text(parent, "resource") : `${text(parent, "resource")}.${group}`;
        return [plural, text(parent, "namespace"), text(parent, "name")]
          .filter((part) => part !== "")
          .join("/");
      }),
    ],
  }),
  defineKind(resources.serviceCIDRs, {
    statusKeepsMetadata: "all",
    validate: (draft, errors) => validateRanges(strings(specOf(draft), "cidrs"), errors),
    columns: [
      nameColumn,
      column("CIDRs", (object) => strings(child(object, "spec"), "cidrs").join(",")),
      ageColumn,
    ],
  }),
];
