import { podQosClass } from "../../../api/quota/qos.ts";
import { specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { rangeMessage } from "../formats.ts";
import { copyJson } from "../../../api/json-copy.ts";
import type { Json } from "../../../api/json.ts";
import { child, copyField, int64, items, sameValue, stringMap, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { validatePodAnnotationUpdate } from "./pod-annotations.ts";
import { restoreGatedFields } from "./pod-gated-update.ts";

const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];
const largestDeadline = 2 ** 31 - 1;

/** A pod that exists can change only a few fields of its spec. */
export function validatePodChange(draft: Draft, before: Json, errors: FieldErrors): void {
  validateAnnotationChange(draft, before, errors);
  const spec = specOf(draft);
  const old = child(before, "spec") ?? {};
  for (const key of ["containers", "initContainers"]) {
    if (items(spec, key).length !== items(old, key).length) {
      errors.forbidden(`spec.${key}`, "pod updates may not add or remove containers");
      return;
    }
  }
  if (!validateDeadline(spec, old, errors)) return;
  validateTolerationChange(spec, old, errors);
  validateGateChange(spec, old, errors);
  if (sameValue(spec, old)) return;
  const rest = copyJson(spec);
  for (const key of ["containers", "initContainers"]) restoreImages(rest, old, key);
  for (const key of ["activeDeadlineSeconds", "schedulingGates", "tolerations"]) copyField(rest, old, key);
  if ((int64(old, "terminationGracePeriodSeconds") ?? 0) < 0 && rest["terminationGracePeriodSeconds"] === 1) {
    copyField(rest, old, "terminationGracePeriodSeconds");
  }
  if (items(old, "schedulingGates").length > 0) restoreGatedFields(rest, old, errors);
  if (!sameValue(rest, old)) {
    errors.forbidden(
      "spec",
      `pod updates may not change fields other than ${updatable.join(",")}\n${difference(old, rest)}`,
    );
  }
}

function validateAnnotationChange(draft: Draft, before: Json, errors: FieldErrors): void {
  validatePodAnnotationUpdate(
    stringMap(draft.metadata, "annotations"),
    stringMap(child(before, "metadata"), "annotations"),
    "metadata.annotations",
    errors,
  );
}

/** The fields that differ, for the reader of the message. */
function difference(before: Json, after: Json): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return keys
    .filter((key) => !sameValue(before[key], after[key]))
    .map((key) => `- ${key}: ${JSON.stringify(before[key])}\n+ ${key}: ${JSON.stringify(after[key])}`)
    .join("\n");
}

function restoreImages(rest: Json, old: Json, key: string): void {
  for (const [index, container] of items(rest, key).entries()) {
    copyField(container, items(old, key)[index] ?? {}, "image");
  }
}

/** False when nothing else is worth checking. */
function validateDeadline(spec: Json, old: Json, errors: FieldErrors): boolean {
  const path = "spec.activeDeadlineSeconds";
  const deadline = int64(spec, "activeDeadlineSeconds");
  const before = int64(old, "activeDeadlineSeconds");
  if (deadline === undefined) {
    if (before !== undefined)
      errors.invalid(path, null, "must not update from a positive integer to nil value");
    return true;
  }
  if (deadline < 0 || deadline > largestDeadline) {
    errors.invalid(path, deadline, rangeMessage(0, largestDeadline));
    return false;
  }
  if (before === undefined || before >= deadline) return true;
  errors.invalid(path, deadline, "must be less than or equal to previous value");
  return false;
}

function validateTolerationChange(spec: Json, old: Json, errors: FieldErrors): void {
  const withoutSeconds = ({ tolerationSeconds: _seconds, ...rest }: Json): Json => rest;
  const present = items(spec, "tolerations").map(withoutSeconds);
  for (const toleration of items(old, "tolerations")) {
    if (present.some((one) => sameValue(one, withoutSeconds(toleration)))) continue;
    errors.forbidden(
      "spec.tolerations",
      "existing toleration can not be modified except its tolerationSeconds",
    );
  }
}

function validateGateChange(spec: Json, old: Json, errors: FieldErrors): void {
  const known = new Set(items(old, "schedulingGates").map((gate) => text(gate, "name")));
  for (const [index, gate] of items(spec, "schedulingGates").entries()) {
    const name = text(gate, "name");
    if (known.has(name)) continue;
    errors.forbidden(
      `spec.schedulingGates[${index}].name`,
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    );
  }
}

export function validateEphemeralContainersUpdate(draft: Draft, before: Json, errors: FieldErrors): void {
  validateAnnotationChange(draft, before, errors);
  const path = "spec.ephemeralContainers";
  const containers = items(specOf(draft), "ephemeralContainers");
  for (const old of items(child(before, "spec"), "ephemeralContainers")) {
    const name = JSON.stringify(text(old, "name"));
    const now = containers.find((container) => text(container, "name") === text(old, "name"));
    if (now === undefined)
      errors.forbidden(path, `existing ephemeral containers ${name} may not be removed\n`);
    else if (!sameValue(old, now)) {
      errors.forbidden(
        path,
        `existing ephemeral containers ${name} may not be changed\n${difference(old, now)}`,
      );
    }
  }
}

export function validatePodResize(draft: Draft, before: Json, errors: FieldErrors): void {
  const spec = specOf(draft);
  const old = child(before, "spec") ?? {};
  const qosClass = text(child(before, "status"), "qosClass");
  if (qosClass !== "" && podQosClass(spec) !== qosClass) {
    errors.invalid("spec", qosClass, "Pod QOS Class may not change as a result of resizing");
  }
  for (const key of ["containers", "initContainers"]) {
    const names = items(spec, key).map((container) => text(container, "name"));
    const oldNames = items(old, key).map((container) => text(container, "name"));
    if (names.length !== oldNames.length) {
      errors.forbidden(`spec.${key}`, "containers may not be added or removed on resize");
      return;
    }
    if (names.join() !== oldNames.join()) {
      errors.forbidden(`spec.${key}`, "containers may not be renamed or reordered on resize");
      return;
    }
  }
  if (!sameValue(withoutComputeResources(spec), withoutComputeResources(old))) {
    errors.forbidden("spec", "only cpu and memory resources are mutable");
  }
}

function withoutComputeResources(spec: Json): Json {
  const copy = copyJson(spec);
  const holders = [copy, ...items(copy, "containers"), ...items(copy, "initContainers")];
  for (const holder of holders) {
    delete holder["resizePolicy"];
    const resources = child(holder, "resources");
    if (resources === undefined) continue;
    for (const key of ["requests", "limits"]) {
      const list = child(resources, key);
      if (list === undefined) continue;
      delete list["cpu"];
      delete list["memory"];
      if (Object.keys(list).length === 0) delete resources[key];
    }
    if (Object.keys(resources).length === 0) delete holder["resources"];
  }
  return copy;
}
