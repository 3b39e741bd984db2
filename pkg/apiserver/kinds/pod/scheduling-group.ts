import { asJson, child, descend, type Json, optionalText, present } from "../../../api/json.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import { groupResource } from "../../../api/resource.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { KindRules } from "../kind.ts";

/** Where kinds have what a pod is to be. */
const podSpecs: Readonly<Record<string, readonly string[]>> = {
  pods: ["spec"],
  podtemplates: ["template", "spec"],
  replicationcontrollers: ["spec", "template", "spec"],
  "daemonsets.apps": ["spec", "template", "spec"],
  "deployments.apps": ["spec", "template", "spec"],
  "replicasets.apps": ["spec", "template", "spec"],
  "statefulsets.apps": ["spec", "template", "spec"],
  "jobs.batch": ["spec", "template", "spec"],
  "cronjobs.batch": ["spec", "jobTemplate", "spec", "template", "spec"],
};

const FIELD = "schedulingGroup";

/** For servers without groups of pods: the group of a pod is taken, and not kept unless it was there before. */
export function withoutSchedulingGroups(rules: KindRules): KindRules {
  const path = podSpecs[groupResource(rules.resource)];
  if (path === undefined) return rules;
  const drop = (draft: Json, before?: Json): void => {
    const spec = descend(draft, ...path);
    if (spec !== undefined && !present(before && descend(before, ...path), FIELD)) delete spec[FIELD];
  };
  return {
    ...rules,
    prepareForCreate(draft, context) {
      drop(draft);
      rules.prepareForCreate?.(draft, context);
    },
    prepareForUpdate(draft, before, context) {
      drop(draft, asJson(before));
      rules.prepareForUpdate?.(draft, before, context);
    },
  };
}

/** upstream: pkg/apis/core/validation#validateSchedulingGroup */
export function validateSchedulingGroup(spec: Json, path: string, errors: FieldErrors): void {
  const group = child(spec, FIELD);
  if (group === undefined) return;
  const at = `${path}.${FIELD}.podGroupName`;
  const name = optionalText(group, "podGroupName");
  if (name === undefined) errors.invalid(at, null, "must specify one of: `podGroupName`");
  else errors.invalidEach(at, name, dnsSubdomainProblems(name));
}
