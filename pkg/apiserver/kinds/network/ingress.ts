import { resources } from "../../../api/resources.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { parseIp } from "../../../endpoints/ip-address.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { pathSegment, portName, portNumber, wildcardProblems } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import { child, count, descend, items, optionalText, stringMap, strings, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { validateOldIp } from "./address-checks.ts";
import { ingressWarnings } from "../warnings/network.ts";

function validateIngress(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const rules = items(spec, "rules");
  const backend = child(spec, "defaultBackend");
  if (rules.length === 0 && backend === undefined) {
    errors.invalid("spec", rules, "either `defaultBackend` or `rules` must be specified");
  }
  if (backend !== undefined) validateBackend(backend, "spec.defaultBackend", errors);
  for (const [index, rule] of rules.entries()) validateRule(rule, `spec.rules[${index}]`, errors);
  for (const [index, tls] of items(spec, "tls").entries()) {
    for (const [at, host] of strings(tls, "hosts").entries())
      errors.invalidEach(`spec.tls[${index}].hosts[${at}]`, host, hostProblems(host));
    const secret = text(tls, "secretName");
    if (secret !== "")
      errors.invalidEach(`spec.tls[${index}].secretName`, secret, dnsSubdomainProblems(secret));
  }
  const className = optionalText(spec, "ingressClassName");
  if (className === undefined) return;
  errors.invalidEach("spec.ingressClassName", className, dnsSubdomainProblems(className));
}

function validateNew(draft: Draft, errors: FieldErrors): void {
  validateIngress(draft, errors);
  const annotation = stringMap(draft.metadata, "annotations")["kubernetes.io/ingress.class"];
  const className = optionalText(specOf(draft), "ingressClassName");
  if (annotation === undefined || className === undefined || annotation === className) return;
  errors.invalid(
    "annotations.kubernetes.io/ingress.class",
    annotation,
    "must match `ingressClassName` when both are specified",
  );
}

function hostProblems(host: string): readonly string[] {
  return host.includes("*") ? wildcardProblems(host) : dnsSubdomainProblems(host);
}

function validateRule(rule: Json, path: string, errors: FieldErrors): void {
  const host = text(rule, "host");
  if (host !== "" && parseIp(host) !== undefined)
    errors.invalid(`${path}.host`, host, "must be a DNS name, not an IP address");
  if (host !== "") errors.invalidEach(`${path}.host`, host, hostProblems(host));
  const http = child(rule, "http");
  if (http === undefined) return;
  const paths = items(http, "paths");
  if (paths.length === 0) errors.required(`${path}.http.paths`);
  for (const [at, one] of paths.entries()) validatePath(one, `${path}.http.paths[${at}]`, errors);
}

const sequences = ["//", "/./", "/../", "%2f", "%2F"];
const endings = ["/..", "/."];

function validatePath(path: Json, field: string, errors: FieldErrors): void {
  const type = optionalText(path, "pathType");
  const value = text(path, "path");
  if (type === undefined) {
    errors.required(`${field}.pathType`, "pathType must be specified");
    return;
  }
  const isExact = type === "Exact" || type === "Prefix";
  const isOther = type === "ImplementationSpecific";
  if (!value.startsWith("/") && (isExact || (isOther && value !== "")))
    errors.invalid(`${field}.path`, value, "must be an absolute path");
  if (isExact)
    for (const part of sequences)
      if (value.includes(part)) errors.invalid(`${field}.path`, value, `must not contain '${part}'`);
  if (isExact)
    for (const end of endings)
      if (value.endsWith(end)) errors.invalid(`${field}.path`, value, `cannot end with '${end}'`);
  if (!isExact && !isOther)
    errors.notSupported(`${field}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"]);
  validateBackend(child(path, "backend") ?? {}, `${field}.backend`, errors);
}

function validateBackend(backend: Json, path: string, errors: FieldErrors): void {
  const service = child(backend, "service");
  const resource = child(backend, "resource");
  if (service !== undefined && resource !== undefined) {
    errors.invalid(path, "", "cannot set both resource and service backends");
  } else if (service !== undefined) validateService(service, path, errors);
  else if (resource !== undefined) validateResource(resource, `${path}.resource`, errors);
  else errors.invalid(path, "", "resource or service backend is required");
}

function validateService(service: Json, path: string, errors: FieldErrors): void {
  const name = text(service, "name");
  if (name === "") errors.required(`${path}.service.name`);
  else errors.invalidEach(`${path}.service.name`, name, dnsLabelProblems(name));
  const port = child(service, "port");
  const [portText, number] = [text(port, "name"), count(port, "number")];
  if (portText !== "" && number !== 0) errors.invalid(path, "", "cannot set both port name & port number");
  else if (portText !== "") errors.invalidEach(`${path}.service.port.name`, portText, portName(portText));
  else if (number !== 0) errors.invalidEach(`${path}.service.port.number`, number, portNumber(number));
  else errors.required(path, "port name or number is required");
}

function validateResource(resource: Json, path: string, errors: FieldErrors): void {
  const group = optionalText(resource, "apiGroup");
  if (group !== undefined) errors.invalidEach(`${path}.apiGroup`, group, dnsSubdomainProblems(group));
  for (const key of ["kind", "name"]) {
    const value = text(resource, key);
    if (value === "") errors.required(`${path}.${key}`);
    else errors.invalidEach(`${path}.${key}`, value, pathSegment(value));
  }
}

function validateStatus(draft: Draft, before: Json, errors: FieldErrors): void {
  const points = (object: Json): Json[] => items(descend(object, "status", "loadBalancer"), "ingress");
  const known = new Set(points(before).map((one) => text(one, "ip")));
  for (const [index, point] of points(draft).entries()) {
    const path = `status.loadBalancer.ingress[${index}]`;
    const [ip, host] = [text(point, "ip"), text(point, "hostname")];
    if (ip !== "" && !known.has(ip)) validateOldIp(ip, `${path}.ip`, errors);
    if (host === "") continue;
    errors.invalidEach(`${path}.hostname`, host, dnsSubdomainProblems(host));
    if (parseIp(host) !== undefined)
      errors.invalid(`${path}.hostname`, host, "must be a DNS name, not an IP address");
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
  warnings: ingressWarnings,
  validate: validateNew,
  validateUpdate: (draft, _before, errors) => validateIngress(draft, errors),
  validateStatus,
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

export const ingressKinds = [defineKind(resources.ingresses, ingressRules)];
