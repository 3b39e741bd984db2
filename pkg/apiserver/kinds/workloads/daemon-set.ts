import { parseInt64 } from "../../../api/int64.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  count,
  ensure,
  integer,
  present,
  sameValue,
  setDefault,
  setZeroDefault,
  stringMap,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { selectorIsEmpty, validateLabelSelector } from "../label-selector.ts";
import { setTemplateDefaults } from "../../../api/defaults/pod-template.ts";
import { validateEverlasting, validatePodTemplate, validateTemplateSelected } from "../pod/pod-template.ts";
import { amountOf, intOrPercent, validateAtMostAll, validateIntOrPercent } from "../rolling-update.ts";
import { ageColumn, column, formatLabels, nameColumn, selectorColumn, templateColumns } from "../table.ts";
import { validateCounters, validateNotDecremented } from "./workload-status.ts";
import { templateWarnings } from "../warnings/template.ts";

/** The pods' label for the generation of the template, from before there were revisions; kept as an annotation. */
const templateGeneration = "deprecated.daemonset.template.generation";

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  setTemplateDefaults(spec);
  const strategy = ensure(spec, "updateStrategy");
  setZeroDefault(strategy, "type", "RollingUpdate");
  if (text(strategy, "type") === "RollingUpdate") {
    const rollingUpdate = ensure(strategy, "rollingUpdate");
    setDefault(rollingUpdate, "maxUnavailable", 1);
    setDefault(rollingUpdate, "maxSurge", 0);
  } else {
    // upstream: internally they are numbers, which are there or are zero.
    const rollingUpdate = child(strategy, "rollingUpdate");
    for (const key of ["maxUnavailable", "maxSurge"])
      if (rollingUpdate !== undefined) setDefault(rollingUpdate, key, 0);
  }
  setDefault(spec, "revisionHistoryLimit", 10);
  // Whoever writes the object writes this, too, as upstream's has a field for it, which is always there.
  setDefault(ensure(draft.metadata, "annotations"), templateGeneration, "0");
}

function validate(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const selector = child(spec, "selector");
  const template = child(spec, "template") ?? {};
  validateLabelSelector(selector, "spec.selector", errors);
  validateTemplateSelected(selector, template, "spec.template", errors);
  if (present(spec, "selector") && selectorIsEmpty(selector)) {
    errors.invalid("spec.selector", selector, "empty selector is invalid for daemonset");
  }
  validatePodTemplate(template, "spec.template", errors);
  validateEverlasting(template, "spec.template", "DaemonSet", errors);
  errors.nonNegative("spec.minReadySeconds", integer(spec, "minReadySeconds"));
  validateStrategy(child(spec, "updateStrategy") ?? {}, "spec.updateStrategy", errors);
  errors.nonNegative("spec.revisionHistoryLimit", integer(spec, "revisionHistoryLimit"));
}

function validateStrategy(strategy: Json, path: string, errors: FieldErrors): void {
  const type = text(strategy, "type");
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    errors.notSupported(path, strategy, ["RollingUpdate", "OnDelete"]);
    return;
  }
  const rollingUpdate = child(strategy, "rollingUpdate");
  if (rollingUpdate === undefined) errors.required(`${path}.rollingUpdate`);
  else validateRollingUpdate(rollingUpdate, `${path}.rollingUpdate`, errors);
}

function validateRollingUpdate(rollingUpdate: Json, path: string, errors: FieldErrors): void {
  const maxUnavailable = intOrPercent(rollingUpdate, "maxUnavailable") ?? 0;
  const maxSurge = intOrPercent(rollingUpdate, "maxSurge") ?? 0;
  validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`, errors);
  validateIntOrPercent(maxSurge, `${path}.maxSurge`, errors);
  validateAtMostAll(maxUnavailable, `${path}.maxUnavailable`, errors);
  validateAtMostAll(maxSurge, `${path}.maxSurge`, errors);
  const surges = amountOf(maxSurge) !== 0;
  if (amountOf(maxUnavailable) !== 0) {
    if (surges)
      errors.invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero");
  } else if (!surges) errors.required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
}

function recordTemplateGeneration(draft: Draft, generation: bigint): void {
  ensure(draft.metadata, "annotations")[templateGeneration] = String(generation);
}

function templateGenerationOf(object: Json): bigint {
  const annotation = stringMap(child(object, "metadata"), "annotations")[templateGeneration];
  return parseInt64(annotation ?? "") ?? 0n;
}

const scheduled = (key: string) => (object: Json) => count(child(object, "status"), key);

const rules: KindSpec = {
  setDefaults,
  prepareForCreate(draft) {
    const given = templateGenerationOf(draft);
    recordTemplateGeneration(draft, given < 1n ? 1n : given);
  },
  prepareForUpdate(draft, before, { subresource }) {
    const changed =
      subresource === "" && !sameValue(specOf(draft)["template"], child(before, "spec")?.["template"]);
    recordTemplateGeneration(draft, BigInt.asIntN(64, templateGenerationOf(before) + (changed ? 1n : 0n)));
  },
  validate,
  warnings: templateWarnings("spec.template", (object) => child(child(object, "spec"), "template")),
  validateChange(draft, before, errors) {
    errors.immutable("spec.selector", specOf(draft)["selector"], child(before, "spec")?.["selector"]);
  },
  validateStatus(draft, before, errors) {
    const status = child(draft, "status");
    validateCounters(
      status,
      [
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
      ],
      errors,
    );
    validateNotDecremented(status, child(before, "status"), "collisionCount", errors);
  },
  columns: [
    nameColumn,
    column("Desired", scheduled("desiredNumberScheduled"), { type: "integer" }),
    column("Current", scheduled("currentNumberScheduled"), { type: "integer" }),
    column("Ready", scheduled("numberReady"), { type: "integer" }),
    column("Up-to-date", scheduled("updatedNumberScheduled"), { type: "integer" }),
    column("Available", scheduled("numberAvailable"), { type: "integer" }),
    column("Node Selector", (object) => {
      const podSpec = child(child(child(object, "spec"), "template"), "spec");
      return formatLabels(stringMap(podSpec, "nodeSelector"));
    }),
    ageColumn,
    ...templateColumns((object) => child(child(object, "spec"), "template")),
    selectorColumn,
  ],
};

export const daemonSetKinds = [defineKind(resources.daemonSets, rules)];
