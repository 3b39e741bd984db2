import { resources } from "../../../api/resources.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, items, optionalText, present, setDefault, strings, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { ageColumn, column, formatSelector, nameColumn } from "../table.ts";

function validateIngress(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const rules = items(spec, "rules");
  const backend = child(spec, "defaultBackend");
  if (rules.length === 0 && backend === undefined) {
    errors.invalid("spec", rules, "either `defaultBackend` or `rules` must be specified");
  }
  if (backend !== undefined) validateBackend(backend, "spec.defaultBackend", errors);
  for (const [index, rule] of rules.entries()) {
    for (const [at, path] of items(child(rule, "http"), "paths").entries()) {
      validatePath(path, `spec.rules[${index}].http.paths[${at}]`, errors);
    }
  }
}

function validatePath(path: Json, field: string, errors: FieldErrors): void {
  const type = optionalText(path, "pathType");
  const value = text(path, "path");
  if (type === undefined) errors.required(`${field}.pathType`, "pathType must be specified");
  else if (type === "Exact" || type === "Prefix") {
    if (!value.startsWith("/")) errors.invalid(`${field}.path`, value, "must be an absolute path");
  } else if (type === "ImplementationSpecific") {
    if (value !== "" && !value.startsWith("/")) {
      errors.invalid(`${field}.path`, value, "must be an absolute path");
    }
  } else errors.notSupported(`${field}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"]);
  validateBackend(child(path, "backend") ?? {}, `${field}.backend`, errors);
}

function validateBackend(backend: Json, path: string, errors: FieldErrors): void {
  const service = child(backend, "service");
  const resource = child(backend, "resource");
  if (service !== undefined && resource !== undefined) {
    errors.invalid(path, "", "cannot set both resource and service backends");
  } else if (service === undefined && resource === undefined) {
    errors.required(path, "port name or number is required");
  } else if (service !== undefined) {
    const name = text(service, "name");
    if (name === "") errors.required(`${path}.service.name`);
    else errors.invalidEach(`${path}.service.name`, name, dnsSubdomainProblems(name));
    const port = child(service, "port");
    if (!present(port, "name") && !present(port, "number")) {
      errors.required(path, "port name or number is required");
    }
  }
}

function hostsCell(ingress: Json): string {
  const rules = items(child(ingress, "spec"), "rules");
  const hosts = rules.map((rule) => text(rule, "host")).filter((host) => host !== "");
  if (hosts.length === 0) return "*";
  const shown = hosts.slice(0, 3).join(",");
  return hosts.length >= 3 && rules.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown;
}

const ingressRules: KindSpec = {
  generation: true,
  validate: validateIngress,
  columns: [
    nameColumn,
    column("Class", (ingress) => optionalText(child(ingress, "spec"), "ingressClassName") ?? "<none>"),
    column("Hosts", hostsCell),
    column("Address", (ingress) => {
      const points = items(child(child(ingress, "status"), "loadBalancer"), "ingress");
      const addresses = points.map((one) => text(one, "ip") || text(one, "hostname"));
      return [...new Set(addresses.filter((one) => one !== ""))].toSorted().join(",");
    }),
    column("Ports", (ingress) => (items(child(ingress, "spec"), "tls").length > 0 ? "80, 443" : "80")),
    ageColumn,
  ],
};

const networkPolicyRules: KindSpec = {
  generation: true,
  setDefaults(draft) {
    const spec = specOf(draft);
    if (strings(spec, "policyTypes").length === 0) {
      spec["policyTypes"] = items(spec, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    }
    for (const direction of ["ingress", "egress"]) {
      for (const rule of items(spec, direction)) {
        for (const port of items(rule, "ports")) setDefault(port, "protocol", "TCP");
      }
    }
  },
  validate(draft, errors) {
    const spec = specOf(draft);
    validateLabelSelector(child(spec, "podSelector"), "spec.podSelector", errors);
    for (const [index, type] of strings(spec, "policyTypes").entries()) {
      if (type !== "Ingress" && type !== "Egress") {
        errors.notSupported(`spec.policyTypes[${index}]`, type, ["Egress", "Ingress"]);
      }
    }
  },
  columns: [
    nameColumn,
    column("Pod-Selector", (object) => formatSelector(child(child(object, "spec"), "podSelector"))),
    ageColumn,
  ],
};

export const ingressKinds = [
  defineKind(resources.ingresses, ingressRules),
  defineKind(resources.networkPolicies, networkPolicyRules),
];
