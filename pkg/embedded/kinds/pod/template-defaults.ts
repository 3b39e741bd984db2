import type { PodTemplateSpec } from "../../../api/types/core-v1.gen.ts";
import { copyJson } from "../json-copy.ts";
import type { Json } from "../json.ts";
import { normalizeWireForm } from "../wire-form.ts";
import { setTemplateDefaults } from "./pod-template.ts";

/** A pod template as the API server returns it in a workload, whatever version has written it. */
export function withTemplateDefaults(template: PodTemplateSpec): PodTemplateSpec {
  const holder: Json & { readonly template: PodTemplateSpec } = { template: copyJson(template) };
  setTemplateDefaults(holder);
  normalizeWireForm(holder, "v1", "PodTemplate");
  return holder.template;
}
