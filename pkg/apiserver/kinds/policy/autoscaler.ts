import { resources } from "../../../api/resources.ts";
import { autoscalerColumns, metricSources } from "./autoscaler-columns.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { pathSegment } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  count,
  ensure,
  integer,
  items,
  optionalText,
  present,
  setDefault,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
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
  const behavior = child(spec, "behavior");
  if (behavior === undefined) return;
  for (const [key, rules] of Object.entries({ scaleUp, scaleDown })) {
    const target = ensure(behavior, key);
    for (const [field, value] of Object.entries(rules)) setDefault(target, field, structuredClone(value));
  }
}

function validate(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  validateReplicas(spec, errors);
  validateTarget(child(spec, "scaleTargetRef"), "spec.scaleTargetRef", errors);
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
  for (const key of ["kind", "name"]) {
    const value = text(reference, key);
    if (value === "") errors.required(`${path}.${key}`);
    else errors.invalidEach(`${path}.${key}`, value, pathSegment(value));
  }
  const version = text(reference, "apiVersion");
  if (!version.includes("/") && version !== "v1") {
    errors.invalid(`${path}.apiVersion`, version, "apiVersion must specify API group");
  }
}

function validateMetric(metric: Json, path: string, errors: FieldErrors): void {
  const type = text(metric, "type");
  const types = Object.keys(metricSources);
  if (type === "") errors.required(`${path}.type`, "must specify a metric source type");
  if (!types.includes(type)) errors.notSupported(`${path}.type`, type, types);
  const key = metricSources[type];
  if (key === undefined) return;
  const source = child(metric, key);
  if (source === undefined) {
    errors.required(`${path}.${key}`, "must populate information for the given metric source");
    return;
  }
  for (const other of Object.values(metricSources)) {
    if (other !== key && present(metric, other)) {
      errors.forbidden(`${path}.${other}`, "must populate the given metric source only");
    }
  }
  validateSource(key, source, `${path}.${key}`, errors);
}

function validateSource(key: string, source: Json, path: string, errors: FieldErrors): void {
  if (key === "resource" || key === "containerResource") {
    if (text(source, "name") === "") errors.required(`${path}.name`, "must specify a resource name");
    if (key === "containerResource" && text(source, "container") === "") {
      errors.required(`${path}.container`, "must specify a container");
    }
  } else if (text(child(source, "metric"), "name") === "") {
    errors.required(`${path}.metric.name`, "must specify a metric name");
  }
  if (key === "object") validateTarget(child(source, "describedObject"), `${path}.describedObject`, errors);
  const target = child(source, "target");
  validateMetricTarget(target, `${path}.target`, errors);
  const has = (field: string): boolean => present(target, field);
  const at = `${path}.target`;
  if (key === "resource" || key === "containerResource") {
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

const rules: KindSpec = {
  setDefaults,
  validate,
  validateStatus(draft, _before, errors) {
    for (const key of ["currentReplicas", "desiredReplicas"]) {
      errors.nonNegative(`status.${key}`, integer(child(draft, "status"), key));
    }
  },
  columns: autoscalerColumns,
};

export const autoscalerKinds = [defineKind(resources.horizontalPodAutoscalers, rules)];
