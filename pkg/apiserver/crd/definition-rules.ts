import { child, flag, items, type Json, setZeroDefault, strings, text } from "../../api/json.ts";
import { resources } from "../../api/resources.ts";
import { defineKind } from "../kinds/define-kind.ts";
import type { FieldErrors } from "../kinds/field-errors.ts";
import type { Draft } from "../kinds/kind.ts";
import { unknownFormats, validateApproval, validateNew } from "./definition-checks.ts";
import { defaultServicePort } from "./rules/conversion-rules.ts";
import { validateNames, validateSpec } from "./rules/spec-rules.ts";

/** The rules of CustomResourceDefinitions themselves. */
export const definitionRules = defineKind(resources.customResourceDefinitions, {
  setDefaults,
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
  validate: (draft, errors) => {
    validateNew(draft, errors, () => validateStatus(draft, errors));
  },
  validateUpdate: (draft, before, errors) => {
    validateSpec(child(draft, "spec") ?? {}, errors);
    validateStatus(draft, errors);
    validateApproval(draft, before, errors);
    validateChange(draft, before, errors);
  },
  validateStatus: (draft, _before, errors) => validateAcceptedNames(draft, errors),
  warnings: (draft, before) => {
    const old = new Set(before === undefined ? [] : unknownFormats(before as unknown as Json));
    return unknownFormats(draft)
      .filter((format) => !old.has(format))
      .map((format) => `unrecognized format ${JSON.stringify(format)}`);
  },
});

function setDefaults(draft: Draft): void {
  const spec = child(draft, "spec");
  const names = child(spec, "names");
  if (spec === undefined || names === undefined) return;
  const kind = text(names, "kind");
  setZeroDefault(names, "singular", kind.toLowerCase());
  if (kind !== "") setZeroDefault(names, "listKind", `${kind}List`);
  spec["conversion"] ??= { strategy: "None" };
  defaultServicePort(child(spec, "conversion"));
}

/** Of several, which are wrong anyway, the first counts. */
function storageVersions(definition: Json): readonly string[] {
  return items(child(definition, "spec"), "versions")
    .filter((version) => flag(version, "storage"))
    .map((version) => text(version, "name"))
    .slice(0, 1);
}

function validateChange(draft: Json, before: Json, errors: FieldErrors): void {
  const spec = child(draft, "spec");
  const old = child(before, "spec");
  const names = child(spec, "names");
  const oldNames = child(old, "names");
  if (isEstablished(before)) {
    errors.immutable("spec.scope", text(spec, "scope"), text(old, "scope"));
    errors.immutable("spec.names.kind", text(names, "kind"), text(oldNames, "kind"));
  }
  errors.immutable("spec.group", text(spec, "group"), text(old, "group"));
  errors.immutable("spec.names.plural", text(names, "plural"), text(oldNames, "plural"));
}

function isEstablished(definition: Json): boolean {
  return items(child(definition, "status"), "conditions").some(
    (condition) => condition["type"] === "Established" && condition["status"] === "True",
  );
}

function validateAcceptedNames(draft: Json, errors: FieldErrors): void {
  validateNames(child(child(draft, "status"), "acceptedNames") ?? {}, "status.acceptedNames", errors);
}

function validateStatus(draft: Json, errors: FieldErrors): void {
  validateAcceptedNames(draft, errors);
  const stored = strings(child(draft, "status"), "storedVersions");
  const path = "status.storedVersions";
  if (stored.length === 0) return errors.invalid(path, stored, "must have at least one stored version");
  // A name that comes twice counts once.
  const left = new Set(stored);
  for (const version of items(child(draft, "spec"), "versions")) {
    const name = text(version, "name");
    if (!left.delete(name) && flag(version, "storage"))
      errors.invalid(path, stored, `must have the storage version ${name}`);
  }
  for (const [index, version] of stored.entries())
    if (left.has(version))
      errors.invalid(
        `${path}[${index}]`,
        version,
        `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until ` +
          `a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
      );
}
