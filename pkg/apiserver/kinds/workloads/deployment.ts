import { resources } from "../../../api/resources.ts";
import { contentChanged, defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  count,
  ensure,
  integer,
  sameValue,
  setDefault,
  setZeroDefault,
  stringMap,
  text,
} from "../../../api/json.ts";
import { hostnameWarnings, templateWarnings } from "../warnings/template.ts";
import type { Draft } from "../kind.ts";
import { validateWorkloadSelector } from "../label-selector.ts";
import { setTemplateDefaults } from "../../../api/defaults/pod-template.ts";
import { amountOf, intOrPercent, validateAtMostAll, validateIntOrPercent } from "../rolling-update.ts";
import { ageColumn, column, nameColumn, readyColumn, selectorColumn, templateColumns } from "../table.ts";
import { validateReplicatedTemplate } from "./replicated-template.ts";
import { validateCounters, validateNotDecremented, validateNotGreater } from "./workload-status.ts";

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  setTemplateDefaults(spec);
  setDefault(spec, "replicas", 1);
  const strategy = ensure(spec, "strategy");
  setZeroDefault(strategy, "type", "RollingUpdate");
  if (text(strategy, "type") === "RollingUpdate") {
    const rollingUpdate = ensure(strategy, "rollingUpdate");
    setDefault(rollingUpdate, "maxUnavailable", "25%");
    setDefault(rollingUpdate, "maxSurge", "25%");
  }
  setDefault(spec, "revisionHistoryLimit", 10);
  setDefault(spec, "progressDeadlineSeconds", 600);
}

function validate(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  errors.nonNegative("spec.replicas", integer(spec, "replicas"));
  validateWorkloadSelector(spec, "spec", "deployment", errors);
  validateReplicatedTemplate(spec, "spec.template", errors);
  validateStrategy(child(spec, "strategy") ?? {}, "spec.strategy", errors);
  errors.nonNegative("spec.minReadySeconds", integer(spec, "minReadySeconds"));
  errors.nonNegative("spec.revisionHistoryLimit", integer(spec, "revisionHistoryLimit"));
  const deadline = integer(spec, "progressDeadlineSeconds");
  if (deadline === undefined) return;
  errors.nonNegative("spec.progressDeadlineSeconds", deadline);
  if (deadline <= count(spec, "minReadySeconds")) {
    errors.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  }
}

function validateStrategy(strategy: Json, path: string, errors: FieldErrors): void {
  const type = text(strategy, "type");
  const rollingUpdate = child(strategy, "rollingUpdate");
  if (type === "Recreate") {
    if (rollingUpdate !== undefined) {
      errors.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type !== "RollingUpdate") errors.notSupported(path, strategy, ["Recreate", "RollingUpdate"]);
  else if (rollingUpdate === undefined) {
    errors.required(`${path}.rollingUpdate`, "this should be defaulted and never be nil");
  } else validateRollingUpdate(rollingUpdate, `${path}.rollingUpdate`, errors);
}

function validateRollingUpdate(rollingUpdate: Json, path: string, errors: FieldErrors): void {
  const maxUnavailable = intOrPercent(rollingUpdate, "maxUnavailable") ?? 0;
  const maxSurge = intOrPercent(rollingUpdate, "maxSurge") ?? 0;
  validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`, errors);
  validateIntOrPercent(maxSurge, `${path}.maxSurge`, errors);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    errors.invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
  validateAtMostAll(maxUnavailable, `${path}.maxUnavailable`, errors);
}

function validateStatus(draft: Draft, before: Json, errors: FieldErrors): void {
  const status = child(draft, "status");
  validateCounters(
    status,
    [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ],
    errors,
  );
  validateNotGreater(
    status,
    ["updatedReplicas", "readyReplicas", "availableReplicas"],
    { key: "replicas", name: "status.replicas" },
    errors,
  );
  validateNotGreater(status, ["availableReplicas"], { key: "readyReplicas", name: "readyReplicas" }, errors);
  validateNotDecremented(status, child(before, "status"), "collisionCount", errors);
}

const ofTemplate = templateWarnings("spec.template", (object) => child(child(object, "spec"), "template"));

const rules: KindSpec = {
  warnings: (draft, before) => [...hostnameWarnings(draft, before), ...ofTemplate(draft, before)],
  // Annotations are copied to the replica sets, so a change of them has to be observed as well.
  generationChanged: (draft, before) =>
    contentChanged(draft, before) ||
    !sameValue(
      stringMap(draft.metadata, "annotations"),
      stringMap(child(asJson(before), "metadata"), "annotations"),
    ),
  statusKeepsMetadata: ["labels"],
  setDefaults,
  validate,
  validateChange(draft, before, errors) {
    errors.immutable("spec.selector", specOf(draft)["selector"], child(before, "spec")?.["selector"]);
  },
  validateStatus,
  columns: [
    nameColumn,
    readyColumn,
    column("Up-to-date", (object) => count(child(object, "status"), "updatedReplicas")),
    column("Available", (object) => count(child(object, "status"), "availableReplicas")),
    ageColumn,
    ...templateColumns((object) => child(child(object, "spec"), "template")),
    selectorColumn,
  ],
};

export const deploymentKinds = [defineKind(resources.deployments, rules)];
