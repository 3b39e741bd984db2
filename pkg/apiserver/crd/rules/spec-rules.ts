import { child, flag, items, type Json, sameValue, strings, text } from "../../../api/json.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";
import { validateConversion } from "./conversion-rules.ts";
import { at, index } from "./path.ts";
import {
  validateColumns,
  validateDeprecation,
  validateScalePaths,
  validateSelectableFields,
} from "./version-fields.ts";
import { schemaOf, validateSchema } from "./version-schemas.ts";

/** All that a definition says of what it defines. */
export function validateSpec(spec: Json, errors: FieldErrors): void {
  validateGroup(text(spec, "group"), errors);
  errors.oneOf("spec.scope", text(spec, "scope"), ["Cluster", "Namespaced"]);
  validateVersions(spec, items(spec, "versions"), errors);
  const names = child(spec, "names") ?? {};
  for (const name of ["plural", "singular", "kind", "listKind"])
    if (text(names, name) === "") errors.required(`spec.names.${name}`);
  validateNames(names, "spec.names", errors);
  const conversion = child(spec, "conversion");
  if (conversion !== undefined) validateConversion(conversion, errors);
}

function validateGroup(group: string, errors: FieldErrors): void {
  if (group === "") return errors.required("spec.group");
  const problems = dnsSubdomainProblems(group);
  if (problems.length > 0) errors.invalid("spec.group", group, problems.join(","));
  else if (!group.includes("."))
    errors.invalid("spec.group", group, "should be a domain with at least one dot");
}

export function validateNames(names: Json, path: string, errors: FieldErrors): void {
  const check = (place: string, name: string, mixedCase: boolean): void => {
    const problems = name === "" ? [] : dns1035LabelProblems(mixedCase ? name.toLowerCase() : name);
    const hint = mixedCase ? "may have mixed case, but should otherwise match: " : "";
    if (problems.length > 0) errors.invalid(place, name, hint + problems.join(","));
  };
  for (const field of ["plural", "singular"]) check(at(path, field), text(names, field), false);
  for (const field of ["kind", "listKind"]) check(at(path, field), text(names, field), true);
  for (const field of ["shortNames", "categories"])
    for (const [position, name] of strings(names, field).entries()) {
      const problems = dns1035LabelProblems(name);
      if (problems.length > 0) errors.invalid(index(at(path, field), position), name, problems.join(","));
    }
  const kind = text(names, "kind");
  if (kind !== "" && kind === text(names, "listKind"))
    errors.invalid(at(path, "listKind"), kind, "kind and listKind may not be the same");
}

function validateVersions(spec: Json, versions: readonly Json[], errors: FieldErrors): void {
  const names = versions.map((version) => text(version, "name"));
  for (const [position, name] of names.entries()) {
    const problems = dns1035LabelProblems(name);
    if (problems.length > 0)
      errors.invalid(at(index("spec.versions", position), "name"), name, problems.join(","));
  }
  const firstProblems = names[0] === undefined || names[0] === "" ? [] : dns1035LabelProblems(names[0]);
  if (firstProblems.length > 0) errors.invalid("spec.version", names[0], firstProblems.join(","));
  if (new Set(names).size < names.length)
    errors.invalid("spec.versions", versions, "must contain unique version names");
  if (versions.filter((version) => flag(version, "storage")).length !== 1)
    errors.invalid("spec.versions", versions, "must have exactly one version marked as storage version");
  const hasDefaults = flag(spec, "preserveUnknownFields");
  if (hasDefaults)
    errors.invalid(
      "spec.preserveUnknownFields",
      true,
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    );
  validateParts(versions, errors);
}

/** What is the same in all versions is the definition's own, internally, and paths lead there. */
function validateParts(versions: readonly Json[], errors: FieldErrors): void {
  const [first, ...others] = versions;
  if (first === undefined) return;
  const isShared = (field: string): boolean => others.every((other) => sameValue(other[field], first[field]));
  const shared = {
    schema: isShared("schema"),
    subresources: isShared("subresources"),
    columns: isShared("additionalPrinterColumns"),
    fields: isShared("selectableFields"),
  };
  for (const [position, version] of versions.entries()) {
    const path = index("spec.versions", position);
    validateDeprecation(version, path, errors);
    if (schemaOf(version) === undefined) errors.required(at(path, "schema", "openAPIV3Schema"));
  }
  for (const [position, version] of versions.entries()) {
    const path = index("spec.versions", position);
    const isFirst = position === 0;
    const schema = schemaOf(version);
    const hasStatus = (one: Json): boolean => child(child(one, "subresources"), "status") !== undefined;
    if (schema !== undefined && !shared.schema)
      validateSchema(schema, at(path, "schema"), hasStatus(version), errors);
    if (schema !== undefined && shared.schema && isFirst)
      validateSchema(schema, "spec.validation", versions.some(hasStatus), errors);
    const place = (isSharedPart: boolean, field: string): string =>
      isSharedPart ? `spec.${field}` : at(path, field);
    if (isFirst || !shared.subresources)
      validateScalePaths(child(version, "subresources"), place(shared.subresources, "subresources"), errors);
    if (isFirst || !shared.columns)
      validateColumns(
        items(version, "additionalPrinterColumns"),
        place(shared.columns, "additionalPrinterColumns"),
        errors,
      );
    if (isFirst || !shared.fields)
      validateFields(version, shared, place(shared.fields, "selectableFields"), errors);
  }
}

function validateFields(
  version: Json,
  shared: { readonly schema: boolean; readonly fields: boolean },
  path: string,
  errors: FieldErrors,
): void {
  const fields = items(version, "selectableFields");
  if (fields.length === 0) return;
  const schema = schemaOf(version);
  // Each is looked for where the other is: in the version or in the definition.
  if (shared.fields && (!shared.schema || schema === undefined))
    errors.invalid(path, "", "may only be set when validations.schema is included");
  else if (!shared.fields && (shared.schema || schema === undefined))
    errors.invalid(path, "", "may only be set when `version.schema.openAPIV3Schema` is not included");
  else if (schema !== undefined) validateSelectableFields(fields, schema, path, errors);
}
