import { count64, items, type Json, present, text } from "../../api/json.ts";
import { labelKeyProblems } from "../../api/labels-validate.ts";
import type { FieldErrors } from "./field-errors.ts";
import { byteLength, regexMessage } from "./formats.ts";

const REASON = 1024;
const MESSAGE = 32 * 1024;
const reasonFormat = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonPattern = new RegExp(`^${reasonFormat}$`);

/** The conditions that newer kinds have in common. upstream: pkg/apis/meta/v1/validation#ValidateConditions */
export function validateConditions(parent: Json | undefined, path: string, errors: FieldErrors): void {
  const types = new Set<string>();
  for (const [index, condition] of items(parent, "conditions").entries()) {
    const at = `${path}.conditions[${index}]`;
    const type = text(condition, "type");
    if (types.has(type)) errors.duplicate(`${at}.type`, type);
    types.add(type);
    errors.invalidEach(`${at}.type`, type, labelKeyProblems(type));
    const status = text(condition, "status");
    const statuses = ["False", "True", "Unknown"];
    if (!statuses.includes(status)) errors.notSupported(`${at}.status`, status, statuses);
    const generation = count64(condition, "observedGeneration");
    if (generation < 0)
      errors.invalid(`${at}.observedGeneration`, generation, "must be greater than or equal to zero");
    if (!present(condition, "lastTransitionTime")) errors.required(`${at}.lastTransitionTime`);
    validateReason(text(condition, "reason"), `${at}.reason`, errors);
    if (byteLength(text(condition, "message")) > MESSAGE) errors.tooLong(`${at}.message`, MESSAGE);
  }
}

function validateReason(reason: string, path: string, errors: FieldErrors): void {
  if (reason === "") {
    errors.required(path);
    return;
  }
  if (!reasonPattern.test(reason)) {
    const message =
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
    const examples = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"];
    errors.invalid(path, reason, regexMessage(message, reasonFormat, ...examples));
  }
  if (byteLength(reason) > REASON) errors.tooLong(path, REASON);
}
