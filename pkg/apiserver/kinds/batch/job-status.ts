import { omitted, type FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, count, flag, integer, optionalText, present, strings, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { StatusChange } from "./job-status-change.ts";
import { parseIndexes } from "./success-policy.ts";

/**
 * A job's status follows rules, so that other controllers than ours can manage jobs too. What was wrong before does not
 * stand in the way of a write that changes something else.
 */
export function validateJobStatus(draft: Draft, before: Json, errors: FieldErrors): void {
  const change = new StatusChange(draft, before);
  validateCounts(change, errors);
  validateUncounted(change, errors);
  validateOutcome(change, errors);
  validateTimes(change, errors);
  validateFinished(change, errors);
  validateIndexes(change, errors);
  validateSuccessCriteria(change, errors);
  validateMonotony(change, errors);
}

const conditionsPath = "status.conditions";

function validateCounts(change: StatusChange, errors: FieldErrors): void {
  for (const key of ["active", "succeeded", "failed", "ready", "terminating"]) {
    errors.nonNegative(`status.${key}`, integer(change.now, key));
  }
}

function validateUncounted({ now }: StatusChange, errors: FieldErrors): void {
  const uncounted = child(now, "uncountedTerminatedPods");
  const seen = new Set<string>();
  for (const key of ["succeeded", "failed"]) {
    for (const [index, uid] of strings(uncounted, key).entries()) {
      const path = `status.uncountedTerminatedPods.${key}[${index}]`;
      if (uid === "") errors.invalid(path, uid, "must not be empty");
      else if (seen.has(uid)) errors.duplicate(path, uid);
      seen.add(uid);
    }
  }
}

function validateOutcome(change: StatusChange, errors: FieldErrors): void {
  const refuse = (detail: string): void => errors.invalid(conditionsPath, omitted, detail);
  if (change.turned("Complete", "Failed") && change.is("Complete") && change.is("Failed")) {
    refuse("cannot set Complete=True and Failed=true conditions");
  }
  if (change.turned("Complete", "FailureTarget") && change.is("Complete") && change.is("FailureTarget")) {
    refuse("cannot set Complete=True and FailureTarget=true conditions");
  }
  const failureChanged = change.turned("Failed") || change.changed("failedIndexes");
  if (failureChanged && change.is("Failed") && !change.is("FailureTarget")) {
    refuse("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  const successChanged = change.turned("Complete", "SuccessCriteriaMet");
  if (successChanged && change.is("Complete") && !change.is("SuccessCriteriaMet")) {
    refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
}

function validateTimes(change: StatusChange, errors: FieldErrors): void {
  const start = optionalText(change.now, "startTime");
  const end = optionalText(change.now, "completionTime");
  const path = "status.completionTime";
  if (change.turned("Complete") || change.changed("completionTime")) {
    if (end !== undefined && !change.is("Complete")) {
      errors.invalid(path, end, "cannot set completionTime when there is no Complete=True condition");
    }
    if (end === undefined && change.is("Complete")) {
      errors.required(path, "completionTime is required for Complete jobs");
    }
  }
  const bothGiven = start !== undefined && end !== undefined;
  if (change.changed("startTime", "completionTime") && bothGiven && Date.parse(end) < Date.parse(start)) {
    errors.invalid(path, end, "must be equal to or after `startTime`");
  }
}

function validateFinished(change: StatusChange, errors: FieldErrors): void {
  if (!change.finished) {
    validateReady(change, errors);
    return;
  }
  const { now, spec } = change;
  const active = count(now, "active");
  const anew = change.finishedChanged;
  if ((anew || change.changed("active")) && active > 0) {
    errors.invalid("status.active", active, "active>0 is invalid for finished job");
  }
  const suspendedWithoutWork = flag(spec, "suspend") && integer(spec, "completions") === 0;
  const startMatters = (anew || change.changed("startTime")) && !suspendedWithoutWork;
  if (startMatters && !present(now, "startTime")) {
    errors.required("status.startTime", "startTime is required for finished job");
  }
  const uncounted = child(now, "uncountedTerminatedPods");
  const left = strings(uncounted, "failed").length + strings(uncounted, "succeeded").length;
  if ((anew || change.changed("uncountedTerminatedPods")) && left > 0) {
    errors.invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job");
  }
  const terminating = count(now, "terminating");
  if ((anew || change.changed("terminating")) && terminating > 0) {
    errors.invalid("status.terminating", terminating, "terminating>0 is invalid for finished job");
  }
  validateReady(change, errors);
}

function validateReady(change: StatusChange, errors: FieldErrors): void {
  const ready = integer(change.now, "ready");
  if (!change.changed("ready", "active") || ready === undefined) return;
  if (ready > count(change.now, "active")) {
    errors.invalid("status.ready", ready, "cannot set more ready pods than active");
  }
}

function validateIndexes(change: StatusChange, errors: FieldErrors): void {
  const { spec, now } = change;
  const completions = integer(spec, "completions");
  const completed = text(now, "completedIndexes");
  const failed = optionalText(now, "failedIndexes");
  const path = "status.failedIndexes";
  const perIndex = present(spec, "backoffLimitPerIndex");
  const parsedCompleted = parseIndexes(completed, completions ?? 0);
  const parsedFailed = parseIndexes(failed ?? "", completions ?? 0);
  if (change.changed("completedIndexes")) {
    if (completions !== undefined && typeof parsedCompleted === "string") {
      errors.invalid(
        "status.completedIndexes",
        completed,
        `error parsing completedIndexes: ${parsedCompleted}`,
      );
    }
    if (completed !== "" && text(spec, "completionMode") !== "Indexed") {
      errors.invalid(
        "status.completedIndexes",
        completed,
        "cannot set non-empty completedIndexes when non-indexed completion mode",
      );
    }
  }
  if (change.changed("failedIndexes") && failed !== undefined) {
    if (completions !== undefined && perIndex && typeof parsedFailed === "string") {
      errors.invalid(path, failed, `error parsing failedIndexes: ${parsedFailed}`);
    }
    if (!perIndex) {
      errors.invalid(path, failed, "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
    }
  }
  if (typeof parsedCompleted === "string" || typeof parsedFailed === "string") return;
  if (!change.changed("failedIndexes", "completedIndexes") || completions === undefined) return;
  for (const [first, last] of parsedFailed) {
    const overlap = parsedCompleted.find(([from, to]) => from <= last && first <= to);
    if (overlap === undefined) continue;
    const index = Math.max(first, overlap[0]);
    errors.invalid(path, failed, `failedIndexes and completedIndexes overlap at index: ${index}`);
    return;
  }
}

function validateSuccessCriteria(change: StatusChange, errors: FieldErrors): void {
  const refuse = (detail: string): void => errors.invalid(conditionsPath, omitted, detail);
  const met = change.is("SuccessCriteriaMet");
  if (met && change.is("Failed")) refuse("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (met && change.is("FailureTarget")) {
    refuse("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (present(change.spec, "successPolicy") && !met && change.is("Complete")) {
    refuse("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

function validateMonotony(change: StatusChange, errors: FieldErrors): void {
  const { now, old, spec } = change;
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (change.was(type) && !change.is(type)) {
      errors.invalid(conditionsPath, omitted, `cannot disable the terminal ${type}=True condition`);
    }
  }
  const isScalable =
    text(spec, "completionMode") === "Indexed" &&
    integer(spec, "completions") === integer(spec, "parallelism");
  for (const key of isScalable ? ["failed"] : ["failed", "succeeded"]) {
    if (count(now, key) < count(old, key)) {
      errors.invalid(`status.${key}`, count(now, key), `cannot decrease the ${key} counter`);
    }
  }
  const [end, oldEnd] = [optionalText(now, "completionTime"), optionalText(old, "completionTime")];
  if (end !== undefined && oldEnd !== undefined && end !== oldEnd) {
    errors.invalid("status.completionTime", end, "field is immutable");
  }
  const startChanged = present(old, "startTime") && change.changed("startTime");
  if (startChanged && !change.resumes && !flag(spec, "suspend")) {
    errors.invalid(
      "status.startTime",
      now["startTime"] ?? null,
      "field is immutable for unsuspended job once set",
    );
  }
  if (change.was("SuccessCriteriaMet") && !change.is("SuccessCriteriaMet")) {
    errors.invalid(conditionsPath, omitted, "cannot disable the SuccessCriteriaMet=True condition");
  }
  if (change.was("Complete") && !change.was("SuccessCriteriaMet") && change.is("SuccessCriteriaMet")) {
    errors.invalid(
      conditionsPath,
      omitted,
      "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
    );
  }
}
