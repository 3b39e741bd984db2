import { dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { regexMessage } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import { child, int64, integer, optionalText, present, text } from "../../../api/json.ts";
import { validatePodTemplate } from "../pod/pod-template.ts";
import { validatePodFailurePolicy } from "./pod-failure-policy.ts";
import { validateSuccessPolicy } from "./success-policy.ts";

const mostParallelIndexes = 100_000;
const mostFailedIndexes = 100_000;
const manyCompletions = 100_000;
const limitForManyCompletions = 10_000;

/** A job's spec before its selector has been made, as it is in the template of a cron job. */
export function validateJobSpec(spec: Json, path: string, errors: FieldErrors): void {
  const counters = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ];
  for (const key of counters) errors.nonNegative(`${path}.${key}`, int64(spec, key));
  if (present(spec, "maxFailedIndexes") && !present(spec, "backoffLimitPerIndex")) {
    errors.required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  }
  validateManagedBy(spec, `${path}.managedBy`, errors);
  const mode = optionalText(spec, "completionMode");
  if (mode !== undefined && mode !== "NonIndexed" && mode !== "Indexed") {
    errors.notSupported(`${path}.completionMode`, mode, ["NonIndexed", "Indexed"]);
  }
  if (mode === "Indexed") validateIndexed(spec, path, errors);
  if (mode === undefined || mode === "NonIndexed") {
    for (const key of ["backoffLimitPerIndex", "maxFailedIndexes"]) {
      const value = integer(spec, key);
      if (value !== undefined) errors.invalid(`${path}.${key}`, value, "requires indexed completion mode");
    }
  }
  validatePodFailurePolicy(spec, `${path}.podFailurePolicy`, errors);
  const successPolicy = child(spec, "successPolicy");
  if (successPolicy !== undefined) {
    if (mode === "Indexed") validateSuccessPolicy(spec, successPolicy, `${path}.successPolicy`, errors);
    else errors.invalid(`${path}.successPolicy`, successPolicy, "requires indexed completion mode");
  }
  validateReplacementPolicy(spec, `${path}.podReplacementPolicy`, errors);
  validatePodTemplate(child(spec, "template") ?? {}, `${path}.template`, errors);
  validateRestartPolicy(spec, `${path}.template.spec.restartPolicy`, errors);
}

function validateManagedBy(spec: Json, path: string, errors: FieldErrors): void {
  const managedBy = optionalText(spec, "managedBy");
  if (managedBy === undefined) return;
  if (managedBy === "") errors.required(path);
  else {
    const slash = managedBy.indexOf("/");
    const host = managedBy.slice(0, Math.max(slash, 0));
    const rest = managedBy.slice(slash + 1);
    if (host === "" || rest === "") {
      errors.invalid(path, managedBy, 'must be a domain-prefixed path (such as "acme.io/foo")');
    } else {
      errors.invalidEach(path, host, dnsSubdomainProblems(host));
      if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)) {
        errors.invalid(path, rest, regexMessage("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"));
      }
    }
  }
  if (managedBy.length > 63) errors.tooLong(path, 63);
}

function validateIndexed(spec: Json, path: string, errors: FieldErrors): void {
  const completions = integer(spec, "completions");
  const parallelism = integer(spec, "parallelism") ?? 0;
  const maxFailed = integer(spec, "maxFailedIndexes");
  const failedPath = `${path}.maxFailedIndexes`;
  if (completions === undefined) errors.required(`${path}.completions`, "when completion mode is Indexed");
  if (parallelism > mostParallelIndexes) {
    errors.invalid(
      `${path}.parallelism`,
      parallelism,
      `must be less than or equal to ${mostParallelIndexes} when completion mode is Indexed`,
    );
  }
  if (completions !== undefined && maxFailed !== undefined && maxFailed > completions) {
    errors.invalid(failedPath, maxFailed, "must be less than or equal to completions");
  }
  if (maxFailed !== undefined && maxFailed > mostFailedIndexes) {
    errors.invalid(failedPath, maxFailed, `must be less than or equal to ${mostFailedIndexes}`);
  }
  if ((completions ?? 0) <= manyCompletions || !present(spec, "backoffLimitPerIndex")) return;
  const tooMany = `must be less than or equal to ${limitForManyCompletions} when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (maxFailed === undefined) {
    errors.required(failedPath, `must be specified when completions is above ${manyCompletions}`);
  }
  if (parallelism > limitForManyCompletions) errors.invalid(`${path}.parallelism`, parallelism, tooMany);
  if (maxFailed !== undefined && maxFailed > limitForManyCompletions) {
    errors.invalid(failedPath, maxFailed, tooMany);
  }
}

function validateReplacementPolicy(spec: Json, path: string, errors: FieldErrors): void {
  const policy = optionalText(spec, "podReplacementPolicy");
  if (policy === undefined) return;
  const allowed = present(spec, "podFailurePolicy") ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  if (!allowed.includes(policy)) errors.notSupported(path, policy, allowed);
}

function validateRestartPolicy(spec: Json, path: string, errors: FieldErrors): void {
  const policy = text(child(child(spec, "template"), "spec"), "restartPolicy");
  if (policy === "Always" || policy === "") errors.required(path, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never")
    errors.notSupported(path, policy, ["OnFailure", "Never"]);
  else if (present(spec, "podFailurePolicy") && policy !== "Never") {
    errors.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
