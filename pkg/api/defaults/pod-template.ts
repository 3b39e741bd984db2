import { copyJson } from "../json-copy.ts";
import { child, ensure, type Json } from "../json.ts";
import type { PodTemplateSpec } from "../types/core-v1.gen.ts";
import { normalizeWireForm } from "../wire-form.ts";
import { setPodSpecDefaults } from "./pod-spec.ts";

/** Fills the pod template of a workload's spec. */
export function setTemplateDefaults(holder: Json): void {
  const template = child(holder, "template");
  if (template !== undefined) setPodSpecDefaults(ensure(template, "spec"));
}

/** A pod template as the API server returns it in a workload, whatever version has written it. */
export function withTemplateDefaults(template: PodTemplateSpec): PodTemplateSpec {
  const holder: Json & { readonly template: PodTemplateSpec } = { template: copyJson(template) };
  setTemplateDefaults(holder);
  normalizeWireForm(holder, "v1", "PodTemplate");
  return holder.template;
}
