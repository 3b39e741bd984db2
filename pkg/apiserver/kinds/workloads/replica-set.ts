import type { ApiObject } from "../../../api/object.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { asJson, child, count, integer, setDefault } from "../../../api/json.ts";
import { hostnameWarnings, templateWarnings } from "../warnings/template.ts";
import type { Draft } from "../kind.ts";
import { validateWorkloadSelector } from "../label-selector.ts";
import { setTemplateDefaults } from "../../../api/defaults/pod-template.ts";
import { ageColumn, column, nameColumn, selectorColumn, templateColumns } from "../table.ts";
import { validateReplicatedTemplate } from "./replicated-template.ts";
import { validateCounters, validateNotGreater } from "./workload-status.ts";

function validate(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  errors.nonNegative("spec.replicas", integer(spec, "replicas"));
  errors.nonNegative("spec.minReadySeconds", integer(spec, "minReadySeconds"));
  // upstream: ValidateReplicaSetSpec speaks of a deployment here too.
  validateWorkloadSelector(spec, "spec", "deployment", errors);
  validateReplicatedTemplate(spec, "spec.template", errors);
}

/** ReplicaSets and ReplicationControllers count the same things. */
export function validateReplicaStatus(draft: Draft, _before: Json, errors: FieldErrors): void {
  const status = child(draft, "status");
  validateCounters(
    status,
    [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "observedGeneration",
      "terminatingReplicas",
    ],
    errors,
  );
  const counted = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
  validateNotGreater(status, counted, { key: "replicas", name: "status.replicas" }, errors);
  validateNotGreater(status, ["availableReplicas"], { key: "readyReplicas", name: "readyReplicas" }, errors);
}

export function replicaSelectableFields(object: ApiObject): Record<string, string> {
  return { "status.replicas": String(count(child(asJson(object), "status"), "replicas")) };
}

export const replicaColumns = [
  nameColumn,
  column("Desired", (object) => count(child(object, "spec"), "replicas"), { type: "integer" }),
  column("Current", (object) => count(child(object, "status"), "replicas"), { type: "integer" }),
  column("Ready", (object) => count(child(object, "status"), "readyReplicas"), { type: "integer" }),
  ageColumn,
  ...templateColumns((object) => child(child(object, "spec"), "template")),
];

const ofTemplate = templateWarnings("spec.template", (object) => child(child(object, "spec"), "template"));

const rules: KindSpec = {
  warnings: (draft, before) => [...hostnameWarnings(draft, before), ...ofTemplate(draft, before)],
  setDefaults(draft) {
    const spec = specOf(draft);
    setTemplateDefaults(spec);
    setDefault(spec, "replicas", 1);
  },
  validate,
  validateChange(draft, before, errors) {
    errors.immutable("spec.selector", specOf(draft)["selector"], child(before, "spec")?.["selector"]);
  },
  validateStatus: validateReplicaStatus,
  selectableFields: replicaSelectableFields,
  columns: [...replicaColumns, selectorColumn],
};

export const replicaSetKinds = [defineKind(resources.replicaSets, rules)];
