import { dnsLabelProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  count,
  ensure,
  flag,
  integer,
  items,
  optionalText,
  present,
  setDefault,
  stringMap,
  text,
} from "../../../api/json.ts";
import { hostnameWarnings, templateWarnings } from "../warnings/template.ts";
import type { Draft } from "../kind.ts";
import { parseSelector, validateLabelSelector } from "../label-selector.ts";
import { setTemplateDefaults } from "../../../api/defaults/pod-template.ts";
import { templateLabels, validateTemplateSelected } from "../pod/pod-template.ts";
import { ageColumn, column, nameColumn, selectorColumn, shortDuration, templateColumns } from "../table.ts";
import { setConditionPatternDefaults } from "./cron-job.ts";
import { validateJobSpec } from "./job-spec.ts";
import { conditionIsTrue } from "./job-status-change.ts";
import { validateJobStatus } from "./job-status.ts";
import { validateJobChange } from "./job-update.ts";

const uidLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"];
const nameLabels = ["job-name", "batch.kubernetes.io/job-name"];

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  setTemplateDefaults(spec);
  if (!present(spec, "completions") && !present(spec, "parallelism")) spec["completions"] = 1;
  setDefault(spec, "parallelism", 1);
  setDefault(spec, "backoffLimit", present(spec, "backoffLimitPerIndex") ? 2 ** 31 - 1 : 6);
  const labels = templateLabels(child(spec, "template"));
  if (Object.keys(labels).length > 0 && Object.keys(stringMap(draft.metadata, "labels")).length === 0) {
    // The very same labels: those that prepareForCreate adds to the template appear in both places.
    draft.metadata["labels"] = child(child(child(spec, "template"), "metadata"), "labels");
  }
  setDefault(spec, "completionMode", "NonIndexed");
  setDefault(spec, "suspend", false);
  setDefault(
    spec,
    "podReplacementPolicy",
    present(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed",
  );
  setDefault(spec, "manualSelector", false);
  setConditionPatternDefaults(spec);
}

/** Unless the client selects by hand, a job selects the pods that carry its uid. */
function generateSelector(draft: Draft): void {
  const spec = specOf(draft);
  if (flag(spec, "manualSelector")) return;
  const labels = ensure(ensure(ensure(spec, "template"), "metadata"), "labels");
  // Labels that are there already and do not fit are refused by validation.
  for (const key of nameLabels) labels[key] ??= text(draft.metadata, "name");
  for (const key of uidLabels) labels[key] ??= text(draft.metadata, "uid");
  const matchLabels = ensure(ensure(spec, "selector"), "matchLabels");
  matchLabels["batch.kubernetes.io/controller-uid"] ??= text(draft.metadata, "uid");
  takeTemplateLabels(draft);
}

/** upstream: SetDefaults_Job runs again when the stored job is read. */
function takeTemplateLabels(draft: Draft): void {
  const labels = templateLabels(child(specOf(draft), "template"));
  if (Object.keys(labels).length > 0 && Object.keys(stringMap(draft.metadata, "labels")).length === 0)
    draft.metadata["labels"] = { ...labels };
}

function validate(draft: Draft, errors: FieldErrors, withPrefixedLabels: boolean): void {
  const spec = specOf(draft);
  validateGeneratedSelector(draft, spec, withPrefixedLabels, errors);
  validateJobSpec(spec, "spec", errors);
  if (present(spec, "selector")) validateLabelSelector(child(spec, "selector"), "spec.selector", errors);
  else errors.required("spec.selector");
  validateTemplateSelected(child(spec, "selector"), child(spec, "template") ?? {}, "spec.template", errors);
  const completions = count(spec, "completions");
  if (text(spec, "completionMode") !== "Indexed" || completions <= 0) return;
  const name = text(draft.metadata, "name");
  const hostname = `${name}-${completions - 1}`;
  if (dnsLabelProblems(hostname).length > 0) {
    errors.invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${hostname}`);
  }
}

function validateGeneratedSelector(
  draft: Draft,
  spec: Json,
  withPrefixedLabels: boolean,
  errors: FieldErrors,
): void {
  const selector = child(spec, "selector");
  if (flag(spec, "manualSelector") || selector === undefined) return;
  const expected: Record<string, string> = {};
  const labels = templateLabels(child(spec, "template"));
  for (const [index] of withPrefixedLabels ? uidLabels.entries() : [[0] as const]) {
    expected[uidLabels[index] ?? ""] = text(draft.metadata, "uid");
    expected[nameLabels[index] ?? ""] = text(draft.metadata, "name");
  }
  for (const [key, value] of Object.entries(expected)) {
    requireTemplateLabel(labels, key, value, errors);
  }
  if (parseSelector(selector)?.matches(expected) === false) {
    errors.invalid("spec.selector", selector, "`selector` not auto-generated");
  }
}

function requireTemplateLabel(
  labels: Readonly<Record<string, string>>,
  key: string,
  value: string,
  errors: FieldErrors,
): void {
  const path = "spec.template.metadata.labels";
  const actual = labels[key];
  if (actual === undefined) errors.required(`${path}[${key}]`, `must be '${value}'`);
  else if (actual !== value) errors.invalid(`${path}[${key}]`, labels, `must be '${value}'`);
}

function completionsCell(object: Json): string {
  const spec = child(object, "spec");
  const succeeded = count(child(object, "status"), "succeeded");
  const completions = integer(spec, "completions");
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = count(spec, "parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell(object: Json, nowMs: number): string {
  const status = child(object, "status");
  const start = optionalText(status, "startTime");
  if (start === undefined) return "";
  const end = optionalText(status, "completionTime");
  return shortDuration((end === undefined ? nowMs : Date.parse(end)) - Date.parse(start));
}

function statusCell(object: Json): string {
  const conditions = items(child(object, "status"), "conditions");
  if (conditionIsTrue(conditions, "Complete")) return "Complete";
  if (conditionIsTrue(conditions, "Failed")) return "Failed";
  if (present(child(object, "metadata"), "deletionTimestamp")) return "Terminating";
  const shown = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
  return shown.find((type) => conditionIsTrue(conditions, type)) ?? "Running";
}

const ofTemplate = templateWarnings("spec.template", (object) => child(child(object, "spec"), "template"));

const rules: KindSpec = {
  warnings: (draft, before) => [...hostnameWarnings(draft, before), ...ofTemplate(draft, before)],
  orphanByDefault: true,
  setDefaults,
  prepareForCreate: generateSelector,
  prepareForUpdate: takeTemplateLabels,
  validate: (draft, errors) => validate(draft, errors, true),
  validateUpdate(draft, before, errors) {
    const labels = templateLabels(child(child(before, "spec"), "template"));
    const hadLabels = [uidLabels[1], nameLabels[1]].every((key) => labels[key ?? ""] !== undefined);
    validate(draft, errors, hadLabels);
    validateJobChange(specOf(draft), before, errors);
  },
  validateStatus: validateJobStatus,
  selectableFields: (object) => ({
    "status.successful": String(count(child(asJson(object), "status"), "succeeded")),
  }),
  columns: [
    nameColumn,
    column("Status", statusCell),
    column("Completions", completionsCell),
    column("Duration", durationCell),
    ageColumn,
    ...templateColumns((object) => child(child(object, "spec"), "template")),
    selectorColumn,
  ],
};

export const jobKinds = [defineKind(resources.jobs, rules)];
