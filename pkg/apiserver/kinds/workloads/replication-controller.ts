import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { child, integer, setDefault, stringMap } from "../../../api/json.ts";
import { hostnameWarnings, templateWarnings } from "../warnings/template.ts";
import type { Draft } from "../kind.ts";
import { setTemplateDefaults } from "../../../api/defaults/pod-template.ts";
import {
  templateLabels,
  validateEverlasting,
  validatePodTemplate,
  validateTemplateSelected,
} from "../pod/pod-template.ts";
import { column, formatLabels } from "../table.ts";
import { replicaColumns, replicaSelectableFields, validateReplicaStatus } from "./replica-set.ts";

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  setTemplateDefaults(spec);
  const labels = templateLabels(child(spec, "template"));
  if (Object.keys(labels).length > 0) {
    if (Object.keys(stringMap(spec, "selector")).length === 0) spec["selector"] = { ...labels };
    if (Object.keys(stringMap(draft.metadata, "labels")).length === 0)
      draft.metadata["labels"] = { ...labels };
  }
  setDefault(spec, "replicas", 1);
}

function validate(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const path = "spec.template";
  errors.nonNegative("spec.minReadySeconds", integer(spec, "minReadySeconds"));
  const selector = stringMap(spec, "selector");
  if (Object.keys(selector).length === 0) errors.required("spec.selector");
  errors.nonNegative("spec.replicas", integer(spec, "replicas"));
  const template = child(spec, "template");
  if (template === undefined) {
    errors.required(path);
    return;
  }
  validateTemplateSelected({ matchLabels: selector }, template, path, errors);
  validatePodTemplate(template, path, errors);
  validateEverlasting(template, path, "ReplicationController", errors);
}

const ofTemplate = templateWarnings("spec.template", (object) => child(child(object, "spec"), "template"));

const rules: KindSpec = {
  warnings: (draft, before) => [...hostnameWarnings(draft, before), ...ofTemplate(draft, before)],
  orphanByDefault: true,
  setDefaults,
  validate,
  validateStatus: validateReplicaStatus,
  selectableFields: replicaSelectableFields,
  columns: [
    ...replicaColumns,
    column("Selector", (object) => formatLabels(stringMap(child(object, "spec"), "selector")), {
      wide: true,
    }),
  ],
};

export const replicationControllerKinds = [defineKind(resources.replicationControllers, rules)];
