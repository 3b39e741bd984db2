import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, items, present, stringMap, text } from "../../../api/json.ts";
import { parseSelector, validateLabels } from "../label-selector.ts";
import { validateAnnotations } from "../metadata.ts";
import { validatePodAnnotations } from "./pod-annotations.ts";
import { validatePodSpec } from "./pod-spec.ts";

export function templateLabels(template: Json | undefined): Record<string, string> {
  return stringMap(child(template, "metadata"), "labels");
}

export function validatePodTemplate(template: Json, path: string, errors: FieldErrors): void {
  const metadata = child(template, "metadata");
  const annotations = stringMap(metadata, "annotations");
  const spec = child(template, "spec") ?? {};
  validateLabels(stringMap(metadata, "labels"), `${path}.labels`, errors);
  validateAnnotations(annotations, `${path}.annotations`, errors);
  validatePodAnnotations(annotations, spec, `${path}.annotations`, errors);
  validatePodSpec(spec, `${path}.spec`, { isPod: false, podName: "" }, errors);
  if (items(spec, "ephemeralContainers").length > 0) {
    errors.forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template");
  }
}

/** A workload must not make pods that it does not select. */
export function validateTemplateSelected(
  selector: Json | undefined,
  template: Json,
  path: string,
  errors: FieldErrors,
): void {
  const parsed = parseSelector(selector);
  const labels = templateLabels(template);
  if (parsed === undefined || parsed.matches(labels)) return;
  const shown = child(child(template, "metadata"), "labels") ?? null;
  errors.invalid(`${path}.metadata.labels`, shown, "`selector` does not match template `labels`");
}

/** Pods of these workloads run for ever: another restart policy or a deadline would contradict that. */
export function validateEverlasting(template: Json, path: string, kind: string, errors: FieldErrors): void {
  const spec = child(template, "spec");
  const policy = text(spec, "restartPolicy");
  if (policy !== "Always") errors.notSupported(`${path}.spec.restartPolicy`, policy, ["Always"]);
  if (present(spec, "activeDeadlineSeconds")) {
    errors.forbidden(
      `${path}.spec.activeDeadlineSeconds`,
      `activeDeadlineSeconds in ${kind} is not Supported`,
    );
  }
}
