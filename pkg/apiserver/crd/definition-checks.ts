import { child, items, type Json, optionalText, stringMap, text } from "../../api/json.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import type { FieldError } from "../kinds/kind.ts";
import { formatOf } from "./formats.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";
import { validateSpec } from "./rules/spec-rules.ts";
import { someSchema } from "./rules/subschemas.ts";
import { schemaOf } from "./rules/version-schemas.ts";

/** What the server would say of a new definition whose defaults are filled in. */
export function definitionProblems(definition: Json): readonly FieldError[] {
  const errors = new FieldErrors();
  validateNew(definition, errors);
  return errors.list;
}

/** All checks of a new definition, in the server's order; those of the status are its own. */
export function validateNew(draft: Json, errors: FieldErrors, ofStatus?: () => void): void {
  validateName(draft, errors);
  validateSpec(child(draft, "spec") ?? {}, errors);
  ofStatus?.();
  validateApproval(draft, undefined, errors);
}

function validateName(draft: Json, errors: FieldErrors): void {
  const spec = child(draft, "spec");
  const name = text(child(draft, "metadata"), "name");
  // A name that is missing is missed elsewhere.
  if (name !== "" && name !== `${text(child(spec, "names"), "plural")}.${text(spec, "group")}`)
    errors.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group');
}

const protectedGroup = /(^|\.)(k8s|kubernetes)\.io$/;
const approval = "api-approved.kubernetes.io";
const seeRule = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Groups of the project itself are for APIs that it has approved of. */
export function validateApproval(draft: Json, before: Json | undefined, errors: FieldErrors): void {
  if (!protectedGroup.test(text(child(draft, "spec"), "group"))) return;
  const given = approvalOf(draft);
  const state = approvalState(given);
  if (state === "granted" || (before !== undefined && approvalState(approvalOf(before)) === state)) return;
  const path = `metadata.annotations[${approval}]`;
  const rule = `protected groups must have approval annotation "${approval}"`;
  if (state === "missing") errors.required(path, `${rule}, ${seeRule}`);
  else
    errors.invalid(
      path,
      given,
      `${rule} with either a URL or a reason starting with "unapproved", ${seeRule}`,
    );
}

function approvalOf(definition: Json): string {
  return optionalText(stringMap(child(definition, "metadata"), "annotations"), approval) ?? "";
}

function approvalState(annotation: string): "missing" | "granted" | "invalid" {
  if (annotation === "") return "missing";
  return annotation.startsWith("unapproved") || /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]+/.test(annotation)
    ? "granted"
    : "invalid";
}

/** The formats that nobody knows, of all schemas. */
export function unknownFormats(definition: Json): readonly string[] {
  const found: string[] = [];
  for (const version of items(child(definition, "spec"), "versions"))
    someSchema(schemaOf(version), (schema) => {
      const format = text(schema, "format");
      const shape: OpenApiSchema = { type: text(schema, "type"), format };
      if (format !== "" && formatOf(shape) === undefined) found.push(format);
      return false;
    });
  return found;
}
