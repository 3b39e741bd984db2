import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, count, flag, integer, items, present, sameValue, text } from "../../../api/json.ts";
import { conditionIsTrue } from "./job-status-change.ts";

/** What may change in a job that exists: almost nothing, more while it is suspended. */
export function validateJobChange(spec: Json, before: Json, errors: FieldErrors): void {
  const old = child(before, "spec") ?? {};
  validateCompletions(spec, old, errors);
  errors.immutable("spec.selector", spec["selector"], old["selector"]);
  validateTemplate(spec, old, isTemplateMutable(before), errors);
  for (const key of [
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ]) {
    errors.immutable(`spec.${key}`, spec[key], old[key]);
  }
}

/** Indexed jobs can be scaled, as long as all indexes run at once. */
function validateCompletions(spec: Json, old: Json, errors: FieldErrors): void {
  const path = "spec.completions";
  const completions = integer(spec, "completions");
  if (text(spec, "completionMode") !== "Indexed") {
    errors.immutable(path, completions, integer(old, "completions"));
  } else if (completions !== integer(old, "completions") && completions !== undefined) {
    if (completions !== integer(spec, "parallelism")) {
      errors.invalid(path, completions, "can only be modified in tandem with spec.parallelism");
    }
  }
}

/** A suspended job without pods may get new scheduling directives and resources before it goes on. */
function isTemplateMutable(before: Json): boolean {
  const status = child(before, "status");
  const suspended = flag(child(before, "spec"), "suspend");
  const neverStarted = !present(status, "startTime");
  const seenSuspended = conditionIsTrue(items(status, "conditions"), "Suspended");
  return suspended && (neverStarted || seenSuspended) && count(status, "active") === 0;
}

function validateTemplate(spec: Json, old: Json, mutable: boolean, errors: FieldErrors): void {
  const template = child(spec, "template") ?? {};
  const allowed = structuredClone(child(old, "template") ?? {});
  if (!mutable) {
    errors.immutable("spec.template", template, allowed);
    return;
  }
  const podSpec = child(template, "spec") ?? {};
  const allowedSpec = child(allowed, "spec") ?? {};
  allowed["metadata"] = template["metadata"];
  for (const key of ["nodeSelector", "tolerations", "schedulingGates"]) allowedSpec[key] = podSpec[key];
  allowNodeAffinity(podSpec, allowedSpec);
  for (const key of ["containers", "initContainers"]) allowResources(podSpec, allowedSpec, key);
  if (!sameValue(podSpec, allowedSpec)) errors.immutable("spec.template.spec", podSpec, allowedSpec);
}

function allowNodeAffinity(podSpec: Json, allowed: Json): void {
  const affinity = child(podSpec, "affinity");
  const old = child(allowed, "affinity");
  if (affinity === undefined && old !== undefined) {
    delete old["nodeAffinity"];
    if (Object.keys(old).length === 0) delete allowed["affinity"];
  } else if (affinity !== undefined) {
    const { nodeAffinity: _old, ...kept } = old ?? {};
    const nodeAffinity = child(affinity, "nodeAffinity");
    allowed["affinity"] = nodeAffinity === undefined ? kept : { ...kept, nodeAffinity };
  }
}

function allowResources(podSpec: Json, allowed: Json, key: string): void {
  const containers = items(podSpec, key);
  const old = items(allowed, key);
  if (containers.length !== old.length) return;
  for (const [index, container] of containers.entries()) {
    const counterpart = old[index];
    if (counterpart !== undefined && text(counterpart, "name") === text(container, "name")) {
      counterpart["resources"] = container["resources"];
    }
  }
}
