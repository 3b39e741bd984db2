import { parseInt32 } from "../../../api/int64.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { text } from "../../../api/json.ts";

const mirror = "kubernetes.io/config.mirror";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

/** Annotations that mean something for pods. */
export function validatePodAnnotations(
  annotations: Readonly<Record<string, string>>,
  spec: Json,
  path: string,
  errors: FieldErrors,
): void {
  const mirrored = annotations[mirror];
  if (mirrored !== undefined && text(spec, "nodeName") === "") {
    errors.invalid(`${path}[${mirror}]`, mirrored, "must set spec.nodeName if mirror pod annotation is set");
  }
  const cost = annotations[deletionCost];
  if (cost !== undefined && !isDeletionCost(cost)) {
    errors.invalid(`${path}[${deletionCost}]`, cost, "must be a 32bit integer");
  }
}

/** A leading plus or zero is refused, so that equal costs are written alike. */
function isDeletionCost(cost: string): boolean {
  return /^(0|-?[1-9][0-9]*)$/.test(cost) && parseInt32(cost) !== undefined;
}

export function validatePodAnnotationUpdate(
  annotations: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
  path: string,
  errors: FieldErrors,
): void {
  for (const [key, value] of Object.entries(before)) {
    if (annotations[key] === value) continue;
    if (key.startsWith(appArmorPrefix)) {
      errors.forbidden(`${path}[${key}]`, "may not remove or update AppArmor annotations");
    }
    if (key === mirror) errors.forbidden(`${path}[${key}]`, "may not remove or update mirror pod annotation");
  }
  for (const key of Object.keys(annotations)) {
    if (before[key] !== undefined) continue;
    if (key.startsWith(appArmorPrefix))
      errors.forbidden(`${path}[${key}]`, "may not add AppArmor annotations");
    if (key === mirror) errors.forbidden(`${path}[${key}]`, "may not add mirror pod annotation");
  }
}
