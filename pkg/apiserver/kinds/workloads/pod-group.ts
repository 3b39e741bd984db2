import { child, count64, items, type Json, optionalText, present, text } from "../../../api/json.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { validateConditions } from "../conditions.ts";
import { defineKind, nameAndAge, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { pathSegment } from "../formats.ts";
import type { KindRules } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const MOST_TEMPLATES = 8;
const MOST_CLAIMS = 4;

/** Of features that are off where groups are on. */
const switchedOff = ["schedulingConstraints", "disruptionMode", "priorityClassName", "priority"];

/** Claims of groups stay, as if DRAWorkloadResourceClaims were on as well: a server here does not know gates. */
function dropSwitchedOff(spec: Json): void {
  for (const key of switchedOff) delete spec[key];
}

/** What is not given is written as null, and what a group's pods are disrupted as is said even where nobody asks. */
function writtenForm(spec: Json): void {
  dropSwitchedOff(spec);
  spec["disruptionMode"] = "Pod";
  spec["podGroupTemplateRef"] ??= null;
}

/** Exactly one of the members. upstream: k8s.io/apimachinery/pkg/api/validate/union.go#Union */
function validateUnion(
  parent: Json | undefined,
  members: readonly string[],
  path: string,
  errors: FieldErrors,
): void {
  const given = members.filter((key) => present(parent, key));
  const all = members.map((key) => `\`${key}\``).join(", ");
  if (given.length === 0) errors.invalid(path, "", `must specify one of: ${all}`);
  else if (given.length > 1)
    errors.invalid(path, `{${given.join(", ")}}`, `must specify exactly one of: ${all}`);
}

type Format = (value: string) => readonly string[];

function validateName(value: string, path: string, format: Format, errors: FieldErrors): void {
  if (value === "") errors.required(path);
  else errors.invalidEach(path, value, format(value));
}

function validatePolicy(policy: Json | undefined, path: string, errors: FieldErrors): void {
  validateUnion(policy, ["basic", "gang"], path, errors);
  const gang = child(policy, "gang");
  if (gang === undefined) return;
  const least = count64(gang, "minCount");
  if (least === 0) errors.required(`${path}.gang.minCount`);
  else if (least < 1) errors.invalid(`${path}.gang.minCount`, least, "must be greater than or equal to 1");
}

/** A name may be there once. */
function validateUnique(list: readonly Json[], path: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [index, each] of list.entries()) {
    const name = text(each, "name");
    if (seen.has(name)) errors.duplicate(`${path}[${index}]`, each);
    seen.add(name);
  }
}

function validateClaims(parent: Json | undefined, path: string, errors: FieldErrors): void {
  const claims = items(parent, "resourceClaims");
  const at = `${path}.resourceClaims`;
  if (claims.length > MOST_CLAIMS) {
    errors.tooMany(at, claims.length, MOST_CLAIMS);
    return;
  }
  validateUnique(claims, at, errors);
  for (const [index, claim] of claims.entries()) {
    const one = `${at}[${index}]`;
    const members = ["resourceClaimName", "resourceClaimTemplateName"];
    validateUnion(claim, members, one, errors);
    validateName(text(claim, "name"), `${one}.name`, dnsLabelProblems, errors);
    for (const key of members) {
      const value = optionalText(claim, key);
      if (value !== undefined) errors.invalidEach(`${one}.${key}`, value, dnsSubdomainProblems(value));
    }
  }
}

/** upstream: pkg/apis/scheduling/v1alpha2#Validate_PodGroupSpec */
function validateGroup(spec: Json, errors: FieldErrors): void {
  const reference = child(spec, "podGroupTemplateRef");
  if (reference !== undefined) {
    const path = "spec.podGroupTemplateRef";
    validateUnion(reference, ["workload"], path, errors);
    const workload = child(reference, "workload");
    if (workload !== undefined) {
      validateName(
        text(workload, "workloadName"),
        `${path}.workload.workloadName`,
        dnsSubdomainProblems,
        errors,
      );
      validateName(
        text(workload, "podGroupTemplateName"),
        `${path}.workload.podGroupTemplateName`,
        dnsLabelProblems,
        errors,
      );
    }
  }
  validatePolicy(child(spec, "schedulingPolicy"), "spec.schedulingPolicy", errors);
  validateClaims(spec, "spec", errors);
}

function validateUnchanged(
  spec: Json,
  before: Json | undefined,
  keys: readonly string[],
  errors: FieldErrors,
): void {
  for (const key of keys) errors.unchanged(`spec.${key}`, spec[key], before?.[key]);
}

/** upstream: pkg/apis/scheduling/validation#ValidatePodGroupStatusUpdate, and what its types declare */
function validateGroupStatus(status: Json | undefined, spec: Json | undefined, errors: FieldErrors): void {
  validateConditions(status, "status", errors);
  const known = new Set(items(spec, "resourceClaims").map((claim) => text(claim, "name")));
  const path = "status.resourceClaimStatuses";
  const told = items(status, "resourceClaimStatuses");
  for (const [index, each] of told.entries()) {
    const name = text(each, "name");
    const message = "must match the name of an entry in `spec.resourceClaims`";
    if (!known.has(name)) errors.invalid(`${path}[${index}].name`, name, message);
  }
  if (told.length > MOST_CLAIMS) {
    errors.tooMany(path, told.length, MOST_CLAIMS);
    return;
  }
  validateUnique(told, path, errors);
  for (const [index, each] of told.entries()) {
    const name = optionalText(each, "resourceClaimName");
    if (name !== undefined)
      errors.invalidEach(`${path}[${index}].resourceClaimName`, name, dnsSubdomainProblems(name));
  }
}

/** upstream: pkg/apis/scheduling/v1alpha2#Validate_WorkloadSpec */
function validateWorkload(spec: Json, errors: FieldErrors): void {
  const owner = child(spec, "controllerRef");
  if (owner !== undefined) {
    const group = text(owner, "apiGroup");
    const path = "spec.controllerRef";
    if (group !== "") errors.invalidEach(`${path}.apiGroup`, group, dnsSubdomainProblems(group));
    for (const key of ["kind", "name"]) validateName(text(owner, key), `${path}.${key}`, pathSegment, errors);
  }
  const path = "spec.podGroupTemplates";
  const templates = items(spec, "podGroupTemplates");
  if (templates.length === 0) errors.required(path);
  if (templates.length > MOST_TEMPLATES) {
    errors.tooMany(path, templates.length, MOST_TEMPLATES);
    return;
  }
  validateUnique(templates, path, errors);
  for (const [index, template] of templates.entries()) {
    const at = `${path}[${index}]`;
    validateName(text(template, "name"), `${at}.name`, dnsLabelProblems, errors);
    validatePolicy(child(template, "schedulingPolicy"), `${at}.schedulingPolicy`, errors);
    validateClaims(template, at, errors);
  }
}

function stateCell(group: Json): string {
  const conditions = items(child(group, "status"), "conditions");
  const latest = (type: string): Json | undefined =>
    conditions.findLast((each) => text(each, "type") === type);
  const target = latest("DisruptionTarget");
  if (target !== undefined) return text(target, "reason");
  const scheduled = latest("PodGroupScheduled");
  if (scheduled === undefined) return "Pending";
  return text(scheduled, "status") === "True" ? "Scheduled" : "Unschedulable";
}

function workloadCell(group: Json): string {
  const reference = child(child(group, "spec"), "podGroupTemplateRef");
  return reference === undefined ? "<none>" : text(child(reference, "workload"), "workloadName");
}

const ofGroups = ["podGroupTemplateRef", "schedulingPolicy", "resourceClaims"];

/** Served where servers are told to, which stands for the feature gate GenericWorkload. */
export const podGroupKinds: readonly KindRules[] = [
  {
    ...defineKind(resources.podGroups, {
      statusKeepsMetadata: "all",
      prepareForCreate: (draft) => {
        writtenForm(specOf(draft));
        draft["status"] = {};
      },
      prepareForUpdate: (draft, _before, { subresource }) => {
        if (subresource === "") writtenForm(specOf(draft));
      },
      validate: (draft, errors) => validateGroup(specOf(draft), errors),
      validateUpdate: (draft, before, errors) =>
        validateUnchanged(specOf(draft), child(before, "spec"), ofGroups, errors),
      validateStatus: (draft, _before, errors) =>
        validateGroupStatus(child(draft, "status"), child(draft, "spec"), errors),
      columns: [
        nameColumn,
        column("Policy", (group) =>
          present(child(child(group, "spec"), "schedulingPolicy"), "gang") ? "Gang" : "Basic",
        ),
        column("Workload", workloadCell),
        column("Status", stateCell),
        ageColumn,
      ],
    }),
    reset: { "": [["status"]], status: [["metadata"], ["spec"]] },
  },
  defineKind(resources.workloads, {
    columns: nameAndAge,
    prepareForCreate(draft) {
      for (const template of items(specOf(draft), "podGroupTemplates")) {
        dropSwitchedOff(template);
        template["schedulingConstraints"] = null;
      }
    },
    validate: (draft, errors) => validateWorkload(specOf(draft), errors),
    validateUpdate: (draft, before, errors) =>
      validateUnchanged(specOf(draft), child(before, "spec"), ["controllerRef", "podGroupTemplates"], errors),
  }),
];
