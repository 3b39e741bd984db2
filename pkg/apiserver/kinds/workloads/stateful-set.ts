import { dnsLabelProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  ensure,
  integer,
  items,
  present,
  sameValue,
  setDefault,
  setZeroDefault,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { parseSelector, validateWorkloadSelector } from "../label-selector.ts";
import { setTemplateDefaults } from "../../../api/defaults/pod-template.ts";
import { validateEverlasting, validatePodTemplate, validateTemplateSelected } from "../pod/pod-template.ts";
import { amountOf, intOrPercent, validateAtMostAll, validateIntOrPercent } from "../rolling-update.ts";
import { setClaimSpecDefaults } from "../../../api/defaults/claim.ts";
import { validateClaimSpec } from "../storage/claim-spec.ts";
import { ageColumn, nameColumn, readyColumn, templateColumns } from "../table.ts";
import { validateCounters, validateNotDecremented, validateNotGreater } from "./workload-status.ts";
import { claimSpecWarnings } from "../warnings/amounts.ts";
import { templateWarnings } from "../warnings/template.ts";

const mutableFields = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  setTemplateDefaults(spec);
  setZeroDefault(spec, "podManagementPolicy", "OrderedReady");
  const strategy = ensure(spec, "updateStrategy");
  if (text(strategy, "type") === "") {
    strategy["type"] = "RollingUpdate";
    setDefault(strategy, "rollingUpdate", {});
  }
  const rollingUpdate = child(strategy, "rollingUpdate");
  if (text(strategy, "type") === "RollingUpdate" && rollingUpdate !== undefined) {
    setDefault(rollingUpdate, "partition", 0);
  }
  const retention = ensure(spec, "persistentVolumeClaimRetentionPolicy");
  setZeroDefault(retention, "whenDeleted", "Retain");
  setZeroDefault(retention, "whenScaled", "Retain");
  setDefault(spec, "replicas", 1);
  setDefault(spec, "revisionHistoryLimit", 10);
  for (const claim of items(spec, "volumeClaimTemplates")) setClaimTemplateDefaults(claim);
}

/** A claim template is a whole claim, with its kind and the status that a new claim has. */
function setClaimTemplateDefaults(claim: Json): void {
  claim["apiVersion"] = "v1";
  claim["kind"] = "PersistentVolumeClaim";
  setClaimSpecDefaults(ensure(claim, "spec"));
  setZeroDefault(ensure(claim, "status"), "phase", "Pending");
}

interface Checks {
  readonly templates: boolean;
  readonly names: boolean;
}

function validateSpec(spec: Json, checks: Checks, errors: FieldErrors): void {
  validatePolicies(spec, errors);
  if (checks.names) {
    for (const [index, claim] of items(spec, "volumeClaimTemplates").entries()) {
      validateClaimSpec(child(claim, "spec") ?? {}, `spec.volumeClaimTemplates[${index}].spec`, errors);
    }
  }
  errors.nonNegative("spec.replicas", integer(spec, "replicas"));
  errors.nonNegative("spec.minReadySeconds", integer(spec, "minReadySeconds"));
  errors.nonNegative("spec.ordinals.start", integer(child(spec, "ordinals"), "start"));
  const service = text(spec, "serviceName");
  if (checks.names && service !== "")
    errors.invalidEach("spec.serviceName", service, dnsLabelProblems(service));
  validateWorkloadSelector(spec, "spec", "statefulset", errors);
  const selector = child(spec, "selector");
  const template = child(spec, "template") ?? {};
  if (parseSelector(selector) === undefined) errors.invalid("spec.selector", selector, "");
  else {
    validateTemplateSelected(selector, template, "spec.template", errors);
    if (checks.templates) validatePodTemplate(templateOfReplica(spec, template), "spec.template", errors);
  }
  validateEverlasting(template, "spec.template", "StatefulSet", errors);
}

function validatePolicies(spec: Json, errors: FieldErrors): void {
  const management = text(spec, "podManagementPolicy");
  if (management === "") errors.required("spec.podManagementPolicy");
  else if (management !== "OrderedReady" && management !== "Parallel") {
    errors.invalid("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'");
  }
  const path = "spec.updateStrategy";
  const strategy = child(spec, "updateStrategy") ?? {};
  const rollingUpdate = child(strategy, "rollingUpdate");
  const type = text(strategy, "type");
  if (type === "") errors.required(path);
  else if (type === "OnDelete") {
    if (rollingUpdate !== undefined) {
      errors.invalid(
        `${path}.rollingUpdate`,
        rollingUpdate,
        "only allowed for updateStrategy 'RollingUpdate'",
      );
    }
  } else if (type !== "RollingUpdate") {
    errors.invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'");
  } else if (rollingUpdate !== undefined) {
    validateRollingUpdate(rollingUpdate, `${path}.rollingUpdate`, errors);
  }
  for (const key of ["whenDeleted", "whenScaled"]) {
    const policy = text(child(spec, "persistentVolumeClaimRetentionPolicy"), key);
    if (policy !== "Retain" && policy !== "Delete") {
      errors.notSupported(`spec.persistentVolumeClaimRetentionPolicy.${key}`, policy, ["Retain", "Delete"]);
    }
  }
}

function validateRollingUpdate(rollingUpdate: Json, path: string, errors: FieldErrors): void {
  errors.nonNegative(`${path}.partition`, integer(rollingUpdate, "partition"));
  const maxUnavailable = intOrPercent(rollingUpdate, "maxUnavailable");
  if (maxUnavailable === undefined) return;
  validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`, errors);
  if (amountOf(maxUnavailable) === 0) errors.invalid(`${path}.maxUnavailable`, maxUnavailable, "cannot be 0");
  validateAtMostAll(maxUnavailable, `${path}.maxUnavailable`, errors);
}

/** The template as its pods will have it: claims become volumes, hostname and subdomain are the controller's. */
function templateOfReplica(spec: Json, template: Json): Json {
  const claims = new Set(
    items(spec, "volumeClaimTemplates").map((claim) => text(child(claim, "metadata"), "name")),
  );
  const podSpec = child(template, "spec");
  if (podSpec === undefined) return template;
  const volumes = [
    ...Array.from(claims, (name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...items(podSpec, "volumes").filter((volume) => !claims.has(text(volume, "name"))),
  ];
  const { hostname: _hostname, subdomain: _subdomain, ...kept } = podSpec;
  return { ...template, spec: { ...kept, volumes } };
}

function validateUpdate(draft: Draft, before: Json, errors: FieldErrors): void {
  const spec = specOf(draft);
  const oldSpec = child(before, "spec") ?? {};
  const known = new FieldErrors();
  validateSpec(oldSpec, { templates: true, names: false }, known);
  // What was accepted once does not stand in the way of other changes.
  validateSpec(spec, { templates: known.list.length === 0, names: false }, errors);
  const fixed = (from: Json): Json =>
    Object.fromEntries(Object.entries(from).filter(([key]) => !mutableFields.includes(key)));
  if (sameValue(fixed(spec), fixed(oldSpec))) return;
  const listed = mutableFields.map((field) => `'${field}'`);
  errors.forbidden(
    "spec",
    `updates to statefulset spec for fields other than ${listed.slice(0, -1).join(", ")} and ${listed.at(-1)} are forbidden`,
  );
}

function validateStatus(draft: Draft, before: Json, errors: FieldErrors): void {
  const status = child(draft, "status");
  const counted = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
  validateCounters(status, ["replicas", ...counted, "observedGeneration", "collisionCount"], errors);
  validateNotGreater(status, counted, { key: "replicas", name: "status.replicas" }, errors);
  validateNotGreater(
    status,
    ["availableReplicas"],
    { key: "readyReplicas", name: "status.readyReplicas" },
    errors,
  );
  validateNotDecremented(status, child(before, "status"), "collisionCount", errors);
}

const ofTemplate = templateWarnings("spec.template", (object) => child(child(object, "spec"), "template"));

const rules: KindSpec = {
  nameFormat: "dns1123Label",
  setDefaults,
  prepareForCreate: dropMaxUnavailable,
  prepareForUpdate(draft, before) {
    const old = child(child(child(before, "spec"), "updateStrategy"), "rollingUpdate");
    if (!present(old, "maxUnavailable")) dropMaxUnavailable(draft);
  },
  validate: (draft, errors) => validateSpec(specOf(draft), { templates: true, names: true }, errors),
  validateUpdate,
  validateStatus,
  warnings(draft, before, subresource) {
    if (subresource !== "") return [];
    const spec = specOf(draft);
    const where = before === undefined ? "" : ".Spec";
    return [
      ...ofTemplate(draft, before),
      ...items(spec, "volumeClaimTemplates").flatMap((claim, index) =>
        claimSpecWarnings(child(claim, "spec"), `spec.volumeClaimTemplates[${index}]${where}`),
      ),
      ...((integer(spec, "revisionHistoryLimit") ?? 0) < 0
        ? [
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
          ]
        : []),
    ];
  },
  columns: [
    nameColumn,
    readyColumn,
    ageColumn,
    ...templateColumns((object) => child(child(object, "spec"), "template")),
  ],
};

/** maxUnavailable of StatefulSets is behind a gate that is off by default. */
function dropMaxUnavailable(draft: Draft): void {
  const rollingUpdate = child(child(specOf(draft), "updateStrategy"), "rollingUpdate");
  if (rollingUpdate !== undefined) delete rollingUpdate["maxUnavailable"];
}

export const statefulSetKinds = [defineKind(resources.statefulSets, rules)];
