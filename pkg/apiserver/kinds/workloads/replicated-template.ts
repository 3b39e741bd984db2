import type { FieldErrors } from "../field-errors.ts";
import { child, type Json } from "../../../api/json.ts";
import { parseSelector } from "../label-selector.ts";
import { validateEverlasting, validatePodTemplate, validateTemplateSelected } from "../pod/pod-template.ts";

/** The template of a Deployment or ReplicaSet, which share their rules. */
export function validateReplicatedTemplate(spec: Json, path: string, errors: FieldErrors): void {
  const selector = child(spec, "selector");
  if (parseSelector(selector) === undefined) {
    errors.invalid("spec.selector", selector, "invalid label selector");
    return;
  }
  const template = child(spec, "template") ?? {};
  validateTemplateSelected(selector, template, path, errors);
  validatePodTemplate(template, path, errors);
  validateEverlasting(template, path, "ReplicaSet", errors);
}
