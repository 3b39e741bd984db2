import { resources } from "../../api/resources.ts";
import { defineKind } from "../kinds/define-kind.ts";
import type { FieldErrors } from "../kinds/field-errors.ts";
import { child, flag, items, type Json, setZeroDefault, stringMap, strings, text } from "../../api/json.ts";
import { column, nameColumn } from "../kinds/table.ts";

/** The rules of CustomResourceDefinitions themselves. */
export const definitionRules = defineKind(resources.customResourceDefinitions, {
  generation: true,
  columns: [
    nameColumn,
    column("Created At", (object) => text(child(object, "metadata"), "creationTimestamp"), { type: "date" }),
  ],
  setDefaults: (draft) => {
    const spec = child(draft, "spec");
    const names = child(spec, "names");
    if (spec === undefined || names === undefined) return;
    setZeroDefault(names, "singular", text(names, "kind").toLowerCase());
    setZeroDefault(names, "listKind", `${text(names, "kind")}List`);
    spec["conversion"] ??= { strategy: "None" };
  },
  prepareForCreate: (draft) => {
    draft["status"] = {
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: storageVersions(draft),
    };
  },
  prepareForUpdate: (draft, before, context) => {
    if (context.subresource !== "") return;
    const status = child(draft, "status");
    if (status === undefined) return;
    const stored = new Set([
      ...strings(child(before, "status"), "storedVersions"),
      ...storageVersions(draft),
    ]);
    status["storedVersions"] = [...stored];
  },
  validate: (draft, errors) => validateDefinition(draft, errors),
  validateChange: (draft, before, errors) => {
    const spec = child(draft, "spec");
    const old = child(before, "spec");
    for (const field of ["group", "scope"]) errors.immutable(`spec.${field}`, spec?.[field], old?.[field]);
    const names = child(spec, "names");
    for (const field of ["plural", "kind"])
      if (isEstablished(before))
        errors.immutable(`spec.names.${field}`, names?.[field], child(old, "names")?.[field]);
  },
});

function isEstablished(definition: Json): boolean {
  return items(child(definition, "status"), "conditions").some(
    (condition) => condition["type"] === "Established" && condition["status"] === "True",
  );
}

function storageVersions(definition: Json): readonly string[] {
  return items(child(definition, "spec"), "versions")
    .filter((version) => flag(version, "storage"))
    .map((version) => text(version, "name"));
}

const protectedGroup = /(^|\.)(k8s|kubernetes)\.io$/;
const approval = "api-approved.kubernetes.io";

function validateDefinition(draft: Json, errors: FieldErrors): void {
  const metadata = child(draft, "metadata");
  const spec = child(draft, "spec");
  const names = child(spec, "names");
  const group = text(spec, "group");
  const plural = text(names, "plural");
  const name = text(metadata, "name");
  if (name !== `${plural}.${group}`)
    errors.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group');
  if (protectedGroup.test(group) && stringMap(metadata, "annotations")[approval] === undefined)
    errors.required(
      `metadata.annotations[${approval}]`,
      `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`,
    );
  if (group === "") errors.required("spec.group");
  else if (!group.includes("."))
    errors.invalid("spec.group", group, "should be a domain with at least one dot");
  errors.oneOf("spec.scope", text(spec, "scope"), ["Cluster", "Namespaced"]);
  if (plural === "") errors.required("spec.names.plural");
  if (text(names, "kind") === "") errors.required("spec.names.kind");
  validateVersions(items(spec, "versions"), errors);
}

function validateVersions(versions: readonly Json[], errors: FieldErrors): void {
  if (versions.length === 0) errors.required("spec.versions", "must have at least one version");
  const storage = versions.filter((version) => flag(version, "storage"));
  if (storage.length !== 1)
    errors.invalid("spec.versions", versions, "must have exactly one version marked as storage version");
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    const name = text(version, "name");
    if (seen.has(name)) errors.invalid("spec.versions", versions, "must contain unique version names");
    seen.add(name);
    const schema = child(child(version, "schema"), "openAPIV3Schema");
    if (schema === undefined) errors.required(`${path}.schema.openAPIV3Schema`);
    else validateStructure(schema, `${path}.schema.openAPIV3Schema`, errors, true);
    if (flag(version, "deprecated") && text(version, "deprecationWarning").length > 256)
      errors.tooLong(`${path}.deprecationWarning`, 256);
  }
}

/** A structural schema says the type of everything, so that values can be pruned and completed by it. */
function validateStructure(schema: Json, path: string, errors: FieldErrors, isRoot: boolean): void {
  const type = text(schema, "type");
  const open = flag(schema, "x-kubernetes-preserve-unknown-fields");
  if (isRoot && type !== "object") {
    if (type === "") errors.required(`${path}.type`, "must not be empty at the root");
    else errors.invalid(`${path}.type`, type, "must be object at the root");
  } else if (type === "" && !flag(schema, "x-kubernetes-int-or-string") && !open) {
    errors.required(`${path}.type`, "must not be empty for specified object fields");
  }
  if (type === "array" && child(schema, "items") === undefined)
    errors.required(`${path}.items`, "must be specified");
  for (const [name, property] of Object.entries(child(schema, "properties") ?? {}))
    validateStructure(property as Json, `${path}.properties[${name}]`, errors, false);
  const element = child(schema, "additionalProperties");
  if (element !== undefined) validateStructure(element, `${path}.additionalProperties`, errors, false);
  const item = child(schema, "items");
  if (item !== undefined) validateStructure(item, `${path}.items`, errors, false);
}
