import { items, type Json, present, text } from "../../../api/json.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";
import { findField } from "./field-path.ts";
import { at, index } from "./path.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** The form of x-kubernetes-validations; what the rules mean is looked at when all else is in order. */
export function validateRules(schema: Json, path: string, errors: FieldErrors): void {
  for (const [position, rule] of items(schema, "x-kubernetes-validations").entries())
    validateRule(schema, rule, index(at(path, "x-kubernetes-validations"), position), errors);
}

function validateRule(schema: Json, rule: Json, path: string, errors: FieldErrors): void {
  const expression = text(rule, "rule").trim();
  const message = text(rule, "message");
  if (expression === "") errors.required(at(path, "rule"), "rule is not specified");
  else if (message !== "" && message.trim() === "")
    errors.invalid(at(path, "message"), message, "must be non-empty if specified");
  else if (hasBreak(message.trim()))
    errors.invalid(at(path, "message"), message, "must not contain line breaks");
  else if (hasBreak(expression) && message === "")
    errors.required(at(path, "message"), "message must be specified if rule contains line breaks");
  const messageExpression = text(rule, "messageExpression");
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.required(at(path, "messageExpression"), "messageExpression must be non-empty if specified");
  const reason = text(rule, "reason");
  if (present(rule, "reason") && !reasons.includes(reason))
    errors.notSupported(at(path, "reason"), reason, reasons);
  validateFieldPath(schema, text(rule, "fieldPath"), at(path, "fieldPath"), errors);
}

function validateFieldPath(schema: Json, fieldPath: string, path: string, errors: FieldErrors): void {
  if (fieldPath === "") return;
  if (fieldPath.trim() === "") errors.invalid(path, fieldPath, "must be non-empty if specified");
  if (hasBreak(fieldPath)) errors.invalid(path, fieldPath, "must not contain line breaks");
  if ("problem" in findField(schema, fieldPath, true))
    errors.invalid(path, fieldPath, "must be a valid path");
}

function hasBreak(value: string): boolean {
  return /[\n\r]/.test(value);
}
