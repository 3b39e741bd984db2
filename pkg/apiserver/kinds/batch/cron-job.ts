import { scheduleProblem } from "../../../api/cron/schedule.ts";
import { timeZoneProblem } from "../../../api/cron/time-zone.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  descend,
  ensure,
  flag,
  int64,
  integer,
  items,
  optionalText,
  present,
  setDefault,
  setZeroDefault,
  text,
} from "../../../api/json.ts";
import { hostnameWarnings, templateWarnings } from "../warnings/template.ts";
import type { Draft } from "../kind.ts";
import { setPodSpecDefaults } from "../../../api/defaults/pod-spec.ts";
import { ageColumn, column, formatSelector, nameColumn, since, templateColumns } from "../table.ts";
import { validateJobSpec } from "./job-spec.ts";

function jobSpecOf(object: Json): Json {
  return child(child(child(object, "spec"), "jobTemplate"), "spec") ?? {};
}

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  setZeroDefault(spec, "concurrencyPolicy", "Allow");
  setDefault(spec, "suspend", false);
  setDefault(spec, "successfulJobsHistoryLimit", 3);
  setDefault(spec, "failedJobsHistoryLimit", 1);
  const jobSpec = ensure(ensure(spec, "jobTemplate"), "spec");
  setPodSpecDefaults(ensure(ensure(jobSpec, "template"), "spec"));
  setConditionPatternDefaults(jobSpec);
}

/** A pattern of a pod failure policy that names no status means a condition that is true. */
export function setConditionPatternDefaults(jobSpec: Json): void {
  for (const rule of items(child(jobSpec, "podFailurePolicy"), "rules")) {
    for (const pattern of items(rule, "onPodConditions")) setZeroDefault(pattern, "status", "True");
  }
}

function validateSpec(spec: Json, before: Json | undefined, errors: FieldErrors): void {
  validateSchedule(spec, before, errors);
  errors.nonNegative("spec.startingDeadlineSeconds", int64(spec, "startingDeadlineSeconds"));
  const timeZone = optionalText(spec, "timeZone");
  if (timeZone !== undefined && timeZone !== optionalText(before, "timeZone")) {
    const problem = timeZoneProblem(timeZone);
    if (problem !== undefined) errors.invalid("spec.timeZone", timeZone, problem);
  }
  errors.oneOf("spec.concurrencyPolicy", text(spec, "concurrencyPolicy"), ["Allow", "Forbid", "Replace"]);
  const path = "spec.jobTemplate.spec";
  const jobSpec = child(child(spec, "jobTemplate"), "spec") ?? {};
  validateJobSpec(jobSpec, path, errors);
  if (present(jobSpec, "selector")) {
    errors.invalid(`${path}.selector`, jobSpec["selector"], "`selector` will be auto-generated");
  }
  if (flag(jobSpec, "manualSelector")) {
    errors.notSupported(`${path}.manualSelector`, true, ["nil", "false"]);
  }
  errors.nonNegative("spec.successfulJobsHistoryLimit", integer(spec, "successfulJobsHistoryLimit"));
  errors.nonNegative("spec.failedJobsHistoryLimit", integer(spec, "failedJobsHistoryLimit"));
}

function validateSchedule(spec: Json, before: Json | undefined, errors: FieldErrors): void {
  const path = "spec.schedule";
  const schedule = text(spec, "schedule");
  if (schedule === "") {
    errors.required(path);
    return;
  }
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) errors.invalid(path, schedule, problem);
  if (!schedule.includes("TZ")) return;
  if (!text(before, "schedule").includes("TZ")) {
    errors.invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (present(spec, "timeZone")) {
    errors.invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

const ofTemplate = templateWarnings("spec.jobTemplate.spec.template", (object) =>
  descend(object, "spec", "jobTemplate", "spec", "template"),
);
const OLD_ZONE =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see " +
  "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

const rules: KindSpec = {
  warnings: (draft, before, subresource) => [
    ...hostnameWarnings(draft, before),
    ...ofTemplate(draft, before),
    ...(before !== undefined && subresource === "" && text(specOf(draft), "schedule").includes("TZ")
      ? [OLD_ZONE]
      : []),
  ],
  setDefaults,
  validate(draft, errors) {
    validateSpec(specOf(draft), undefined, errors);
    const name = text(draft.metadata, "name");
    // A job's name is the cron job's with a time of 11 characters behind it, and has 63 at most.
    if (name.length > 52) errors.invalid("metadata.name", name, "must be no more than 52 characters");
  },
  validateUpdate: (draft, before, errors) => validateSpec(specOf(draft), child(before, "spec"), errors),
  columns: [
    nameColumn,
    column("Schedule", (object) => text(child(object, "spec"), "schedule")),
    column("Timezone", (object) => optionalText(child(object, "spec"), "timeZone") ?? "<none>"),
    column("Suspend", (object) => (flag(child(object, "spec"), "suspend") ? "True" : "False"), {
      type: "boolean",
    }),
    column("Active", (object) => items(child(object, "status"), "active").length, { type: "integer" }),
    column("Last Schedule", (object, nowMs) => {
      const time = optionalText(child(object, "status"), "lastScheduleTime");
      return time === undefined ? "<none>" : since(time, nowMs);
    }),
    ageColumn,
    ...templateColumns((object) => child(jobSpecOf(object), "template")),
    column("Selector", (object) => formatSelector(child(jobSpecOf(object), "selector")), { wide: true }),
  ],
};

export const cronJobKinds = [defineKind(resources.cronJobs, rules)];
