import { dnsLabelProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { autoscalerColumns, metricSources } from "./autoscaler-columns.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { pathSegment } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  count,
  descend,
  ensure,
  integer,
  items,
  optionalText,
  present,
  setDefault,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { validateContainerResourceName } from "../pod/requirements.ts";
import { readQuantity } from "../quantities.ts";

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const scaleDown = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  setDefault(spec, "minReplicas", 1);
  if (items(spec, "metrics").length === 0) {
    spec["metrics"] = [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
      },
    ];
  }
  defaultBehavior(spec);
}

/** What rules do not say. */
export function defaultBehavior(spec: Json): void {
  const behavior = child(spec, "behavior");
  if (behavior === undefined) return;
  for (const [key, rules] of Object.entries({ scaleUp, scaleDown })) {
    const target = ensure(behavior, key);
    for (const [field, value] of Object.entries(rules)) setDefault(target, field, structuredClone(value));
  }
}

function validate(draft: Draft, errors: FieldErrors, before?: Json): void {
  const spec = specOf(draft);
  validateReplicas(spec, errors);
  const target = child(spec, "scaleTargetRef");
  const old = descend(before, "spec", "scaleTargetRef");
  validateTarget(target, "spec.scaleTargetRef", errors);
  const [kind, version] = [text(target, "kind"), text(target, "apiVersion")];
  // What was taken once is not looked at again.
  if (old === undefined || text(old, "kind") !== kind || text(old, "apiVersion") !== version)
    validateVersion(target, kind !== "ReplicationController", "spec.scaleTargetRef", errors);
  const metrics = items(spec, "metrics");
  const scalesFromZero = metrics.some((metric) => ["Object", "External"].includes(text(metric, "type")));
  if (integer(spec, "minReplicas") === 0 && !scalesFromZero) {
    errors.forbidden(
      "spec.metrics",
      "must specify at least one Object or External metric to support scaling to zero replicas",
    );
  }
  for (const [index, metric] of metrics.entries()) {
    validateMetric(metric, `spec.metrics[${index}]`, errors);
  }
  for (const key of ["scaleUp", "scaleDown"]) {
    validateScaling(child(child(spec, "behavior"), key), `spec.behavior.${key}`, errors);
  }
}

function validateReplicas(spec: Json, errors: FieldErrors): void {
  const minimum = integer(spec, "minReplicas");
  const maximum = count(spec, "maxReplicas");
  if (minimum !== undefined && minimum < 1) {
    errors.invalid("spec.minReplicas", minimum, "must be greater than or equal to 1");
  }
  if (maximum === 0) errors.required("spec.maxReplicas", "must be set and greater than 0");
  else if (maximum < 0) errors.invalid("spec.maxReplicas", maximum, "must be greater than or equal to 1");
  if (minimum !== undefined && maximum < minimum) {
    errors.invalid("spec.maxReplicas", maximum, "must be greater than or equal to `minReplicas`");
  }
}

function validateTarget(reference: Json | undefined, path: string, errors: FieldErrors): void {
  for (const key of ["kind", "name"]) validatePathSegment(text(reference, key), `${path}.${key}`, "", errors);
}

function validateVersion(
  reference: Json | undefined,
  needsGroup: boolean,
  path: string,
  errors: FieldErrors,
): void {
  const version = text(reference, "apiVersion");
  if (version.split("/").length > 2)
    errors.invalid(`${path}.apiVersion`, version, `unexpected GroupVersion string: ${version}`);
  else if (needsGroup && (!version.includes("/") || version.startsWith("/")))
    errors.invalid(`${path}.apiVersion`, version, "apiVersion must specify API group");
}

function validatePathSegment(value: string, path: string, missing: string, errors: FieldErrors): void {
  if (value === "") errors.required(path, missing);
  else errors.invalidEach(path, value, pathSegment(value));
}

/** In the order in which they are looked for: of several, the first is looked into. */
const sources = ["object", "external", "pods", "resource", "containerResource"];

function validateMetric(metric: Json, path: string, errors: FieldErrors): void {
  const type = text(metric, "type");
  const types = Object.keys(metricSources);
  if (type === "") errors.required(`${path}.type`, "must specify a metric source type");
  if (!types.includes(type)) errors.notSupported(`${path}.type`, type, types);
  const given = sources.filter((key) => present(metric, key));
  const [first] = given;
  if (first !== undefined) validateSource(first, child(metric, first) ?? {}, `${path}.${first}`, errors);
  const expected = Object.hasOwn(metricSources, type) ? metricSources[type] : undefined;
  if (expected !== undefined && !given.includes(expected))
    errors.required(`${path}.${expected}`, "must populate information for the given metric source");
  if (given.length === 1) return;
  for (const key of given)
    if (key !== expected) errors.forbidden(`${path}.${key}`, "must populate the given metric source only");
}

function validateSource(key: string, source: Json, path: string, errors: FieldErrors): void {
  if (key === "object") {
    validateTarget(child(source, "describedObject"), `${path}.describedObject`, errors);
    validateVersion(child(source, "describedObject"), false, `${path}.describedObject`, errors);
  }
  const isOfResource = key === "resource" || key === "containerResource";
  if (isOfResource) validateResource(key, source, path, errors);
  else {
    const name = text(child(source, "metric"), "name");
    validatePathSegment(name, `${path}.metric.name`, "must specify a metric name", errors);
  }
  const target = child(source, "target");
  validateMetricTarget(target, `${path}.target`, errors);
  const has = (field: string): boolean => present(target, field);
  const at = `${path}.target`;
  if (isOfResource) {
    if (!has("averageUtilization") && !has("averageValue")) {
      errors.required(
        `${at}.averageUtilization`,
        "must set either a target raw value or a target utilization",
      );
    }
    if (has("averageUtilization") && has("averageValue")) {
      errors.forbidden(`${at}.averageValue`, "may not set both a target raw value and a target utilization");
    }
  } else if (key === "pods" && !has("averageValue")) {
    errors.required(`${at}.averageValue`, "must specify a positive target averageValue");
  } else if (key === "object" && !has("value") && !has("averageValue")) {
    errors.required(`${at}.averageValue`, "must set either a target value or averageValue");
  } else if (key === "external") {
    if (!has("value") && !has("averageValue")) {
      errors.required(`${at}.averageValue`, "must set either a target value for metric or a per-pod target");
    }
    if (has("value") && has("averageValue")) {
      errors.forbidden(`${at}.value`, "may not set both a target value for metric and a per-pod target");
    }
  }
}

function validateResource(key: string, source: Json, path: string, errors: FieldErrors): void {
  const name = text(source, "name");
  if (name === "") errors.required(`${path}.name`, "must specify a resource name");
  else if (key === "containerResource") validateContainerResourceName(name, `${path}.name`, errors);
  if (key !== "containerResource") return;
  const container = text(source, "container");
  if (container === "") errors.required(`${path}.container`, "must specify a container");
  else errors.invalidEach(`${path}.container`, container, dnsLabelProblems(container));
}

function validateMetricTarget(target: Json | undefined, path: string, errors: FieldErrors): void {
  const type = text(target, "type");
  if (type === "") errors.required(`${path}.type`, "must specify a metric target type");
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    errors.invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue");
  }
  for (const key of ["value", "averageValue"]) {
    const quantity = readQuantity(target?.[key]);
    if (quantity !== undefined && quantity.sign() <= 0) {
      errors.invalid(`${path}.${key}`, quantity.toString(), "must be positive");
    }
  }
  const utilization = integer(target, "averageUtilization");
  if (utilization !== undefined && utilization < 1) {
    errors.invalid(`${path}.averageUtilization`, utilization, "must be greater than 0");
  }
}

function validateScaling(rules: Json | undefined, path: string, errors: FieldErrors): void {
  if (rules === undefined) return;
  const window = integer(rules, "stabilizationWindowSeconds");
  const at = `${path}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0) errors.invalid(at, window, "must be greater than or equal to zero");
  if (window !== undefined && window > 3600) errors.invalid(at, window, "must be less than or equal to 3600");
  const select = optionalText(rules, "selectPolicy");
  const selections = ["Disabled", "Max", "Min"];
  if (select !== undefined && !selections.includes(select)) {
    errors.notSupported(`${path}.selectPolicy`, select, selections);
  }
  const policies = items(rules, "policies");
  if (policies.length === 0) errors.required(`${path}.policies`, "must specify at least one Policy");
  for (const [index, policy] of policies.entries()) {
    const item = `${path}.policies[${index}]`;
    const type = text(policy, "type");
    if (type !== "Pods" && type !== "Percent") errors.notSupported(`${item}.type`, type, ["Percent", "Pods"]);
    for (const key of ["value", "periodSeconds"]) {
      if (count(policy, key) <= 0)
        errors.invalid(`${item}.${key}`, count(policy, key), "must be greater than zero");
    }
    if (count(policy, "periodSeconds") > 1800) {
      errors.invalid(
        `${item}.periodSeconds`,
        count(policy, "periodSeconds"),
        "must be less than or equal to 1800",
      );
    }
  }
  const tolerance = readQuantity(rules["tolerance"]);
  if (tolerance !== undefined && tolerance.sign() < 0) {
    errors.invalid(`${path}.tolerance`, tolerance.toString(), "must be greater than or equal to 0");
  }
}

function validateStatus(draft: Draft, errors: FieldErrors): void {
  for (const key of ["currentReplicas", "desiredReplicas"])
    errors.nonNegative(`status.${key}`, integer(child(draft, "status"), key));
}

/** The rules of autoscalers in an older version: checked and shown is what the newest makes of them. */
export function rulesBy(toNewest: (draft: Draft) => Draft, setMetrics: (draft: Draft) => void): KindSpec {
  return {
    setDefaults(draft) {
      setDefault(specOf(draft), "minReplicas", 1);
      setMetrics(draft);
    },
    validate: (draft, errors) => validate(toNewest(draft), errors),
    validateUpdate: (draft, before, errors) => validate(toNewest(draft), errors, before),
    validateStatus: (draft, _before, errors) => validateStatus(draft, errors),
    columns: autoscalerColumns.map((shown) => ({
      ...shown,
      cell: (object, nowMs) => shown.cell(toNewest(asJson(object) as Draft), nowMs),
    })),
  };
}

export const autoscalerKinds = [
  defineKind(resources.horizontalPodAutoscalers, {
    setDefaults,
    validate: (draft, errors) => validate(draft, errors),
    validateUpdate: (draft, before, errors) => validate(draft, errors, before),
    validateStatus: (draft, _before, errors) => validateStatus(draft, errors),
    columns: autoscalerColumns,
  }),
];
