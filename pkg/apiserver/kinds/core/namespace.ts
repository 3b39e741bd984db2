import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, keepMetadata, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import {
  asJson,
  child,
  copyField,
  ensure,
  present,
  setZeroDefault,
  strings,
  text,
} from "../../../api/json.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function validateFinalizers(finalizers: readonly string[], indexed: boolean, errors: FieldErrors): void {
  for (const [index, finalizer] of finalizers.entries()) {
    const path = indexed ? `spec.finalizers[${index}]` : "spec.finalizers";
    const problems = labelKeyProblems(finalizer);
    errors.invalidEach(path, finalizer, problems);
    if (problems.length === 0 && !finalizer.includes("/") && !standardFinalizers.has(finalizer)) {
      errors.invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}

const rules: KindSpec = {
  nameFormat: "dns1123Label",
  setDefaults(draft) {
    const name = text(draft.metadata, "name");
    if (name !== "") ensure(draft.metadata, "labels")["kubernetes.io/metadata.name"] = name;
    setZeroDefault(ensure(draft, "status"), "phase", "Active");
  },
  prepareForCreate(draft) {
    draft["status"] = { phase: "Active" };
    const spec = specOf(draft);
    const finalizers = strings(spec, "finalizers");
    if (!finalizers.includes("kubernetes")) spec["finalizers"] = [...finalizers, "kubernetes"];
    ensure(draft.metadata, "labels")["kubernetes.io/metadata.name"] = text(draft.metadata, "name");
  },
  prepareForUpdate(draft, before, { subresource }) {
    // The finalizers of the spec are only ever changed through /finalize.
    if (subresource === "") copyField(specOf(draft), child(before, "spec") ?? {}, "finalizers");
    if (subresource === "finalize") {
      copyField(draft, before, "status");
      keepMetadata(draft, before, ["labels", "annotations", "ownerReferences", "finalizers"]);
    }
  },
  validate: (draft, errors) => validateFinalizers(strings(specOf(draft), "finalizers"), false, errors),
  validateUpdate(draft, _before, errors, { subresource }) {
    if (subresource === "finalize") validateFinalizers(strings(specOf(draft), "finalizers"), true, errors);
  },
  validateStatus(draft, _before, errors) {
    const phase = text(child(draft, "status"), "phase");
    const deleted = present(draft.metadata, "deletionTimestamp");
    const expected = deleted ? "Terminating" : "Active";
    if (phase === expected) return;
    errors.invalid(
      "status.Phase",
      phase,
      `may only be '${expected}' if \`deletionTimestamp\` is ${deleted ? "not empty" : "empty"}`,
    );
  },
  selectableFields: (object) => ({ "status.phase": text(child(asJson(object), "status"), "phase") }),
  columns: [nameColumn, column("Status", (object) => text(child(object, "status"), "phase")), ageColumn],
};

export const namespaceKinds = [defineKind(resources.namespaces, rules)];
