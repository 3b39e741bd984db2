import { parseIp } from "../../../endpoints/ip-address.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { specOf } from "../define-kind.ts";
import { FieldErrors } from "../field-errors.ts";
import { portNumber } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  count,
  integer,
  items,
  optionalText,
  present,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import type { Draft, FieldError } from "../kind.ts";
import { validateLabels } from "../label-selector.ts";
import { validatePort } from "../pod/probe.ts";
import { repeatedPlaces } from "../repeated.ts";
import { validateOldCidr, validateOldIp } from "./address-checks.ts";
import { validateReachable } from "./endpoints.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const protocols = ["SCTP", "TCP", "UDP"];

function isHeadless(spec: Json): boolean {
  return strings(spec, "clusterIPs")[0] === "None";
}

/** What an address is given by. upstream: core/service/storage/alloc.go looks at it before anything else is. */
export function serviceAddressErrors(spec: Json): readonly FieldError[] {
  const errors = new FieldErrors();
  validateAddresses(spec, errors);
  return errors.list;
}

export function validateService(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const type = text(spec, "type");
  const ports = items(spec, "ports");
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.required("spec.ports");
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    errors.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`);
  }
  if (type === "ExternalName") validateExternalName(spec, errors);
  else validateAddresses(spec, errors);
  validatePorts(spec, ports, errors);
  validateLabels(stringMap(spec, "selector"), "spec.selector", errors);
  validateAffinity(spec, errors);
  for (const [index, address] of strings(spec, "externalIPs").entries()) {
    const path = `spec.externalIPs[${index}]`;
    if (validateOldIp(address, path, errors)) validateReachable(address, path, errors);
  }
  errors.oneOf("spec.type", type, types);
  validatePolicies(spec, type, errors);
}

function validateExternalName(spec: Json, errors: FieldErrors): void {
  if (strings(spec, "clusterIPs").length > 0) {
    errors.forbidden("spec.clusterIPs", "may not be set for ExternalName services");
  }
  for (const key of ["ipFamilies", "ipFamilyPolicy"]) {
    if (present(spec, key)) errors.forbidden(`spec.${key}`, "may not be set for ExternalName services");
  }
  const name = text(spec, "externalName").replace(/\.$/, "");
  if (name === "") errors.required("spec.externalName");
  else errors.invalidEach("spec.externalName", name, dnsSubdomainProblems(name));
}

function validateAddresses(spec: Json, errors: FieldErrors): void {
  const ip = text(spec, "clusterIP");
  const ips = strings(spec, "clusterIPs");
  const path = "spec.clusterIPs";
  if (ip === "") {
    if (ips.length > 0) errors.invalid(path, ips, "must be empty when `clusterIP` is not specified");
  } else if (ips.length === 0) errors.required(path);
  else if (ips[0] !== ip) errors.invalid(path, ips, "first value must match `clusterIP`");
  const families = strings(spec, "ipFamilies");
  const repeated = repeatedPlaces(families);
  for (const [index, family] of families.entries()) {
    if (family !== "IPv4" && family !== "IPv6") {
      errors.notSupported(`spec.ipFamilies[${index}]`, family, ["IPv4", "IPv6"]);
    }
    if (repeated.has(index)) errors.duplicate(`spec.ipFamilies[${index}]`, family);
  }
  const policy = optionalText(spec, "ipFamilyPolicy");
  const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
  if (policy !== undefined && !policies.includes(policy)) {
    errors.notSupported("spec.ipFamilyPolicy", policy, policies);
  }
  let areValid = true;
  for (const [index, address] of ips.entries()) {
    if (index === 0 && address === "None") {
      if (ips.length === 1) continue;
      errors.invalid(path, ips, "'None' must be the first and only value");
      areValid = false;
    } else if (!validateOldIp(address, `${path}[${index}]`, errors)) areValid = false;
  }
  if (ips.length > 2) errors.invalid(path, ips, "may only hold up to 2 values");
  if (areValid && ip !== "None") validateFamilies(ips, families, errors);
}

/** Of addresses that are valid. */
function validateFamilies(ips: readonly string[], families: readonly string[], errors: FieldErrors): void {
  const path = "spec.clusterIPs";
  const own = ips.map((ip) => parseIp(ip)?.family);
  if (ips.length > 1 && new Set(own).size < 2)
    errors.invalid(path, ips, "may specify no more than one IP for each IP family");
  for (const [index, ip] of ips.entries()) {
    const family = families[index];
    if ((family === "IPv4" || family === "IPv6") && own[index] !== family)
      errors.invalid(
        `${path}[${index}]`,
        ip,
        `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
      );
  }
}

function validatePorts(spec: Json, ports: readonly Json[], errors: FieldErrors): void {
  const seen = { names: new Set<string>(), nodePorts: new Set<string>(), ports: new Set<string>() };
  for (const [index, port] of ports.entries()) {
    const path = `spec.ports[${index}]`;
    const name = text(port, "name");
    if (name === "") {
      if (ports.length > 1) errors.required(`${path}.name`);
    } else {
      errors.invalidEach(`${path}.name`, name, dnsLabelProblems(name));
      if (seen.names.has(name)) errors.duplicate(`${path}.name`, name);
      seen.names.add(name);
    }
    errors.invalidEach(`${path}.port`, count(port, "port"), portNumber(count(port, "port")));
    const protocol = text(port, "protocol");
    errors.oneOf(`${path}.protocol`, protocol, protocols);
    validatePort(port["targetPort"], `${path}.targetPort`, errors);
    const application = optionalText(port, "appProtocol");
    if (application !== undefined) {
      errors.invalidEach(`${path}.appProtocol`, application, labelKeyProblems(application));
    }
    const nodePort = count(port, "nodePort");
    if (nodePort !== 0) {
      if (text(spec, "type") === "ClusterIP") {
        errors.forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'");
      }
      if (seen.nodePorts.has(`${protocol}/${nodePort}`)) errors.duplicate(`${path}.nodePort`, nodePort);
      seen.nodePorts.add(`${protocol}/${nodePort}`);
    }
    const key = `${protocol}/${count(port, "port")}`;
    if (seen.ports.has(key)) errors.duplicate(path, { protocol, port: count(port, "port") });
    seen.ports.add(key);
  }
}

function validateAffinity(spec: Json, errors: FieldErrors): void {
  const affinity = text(spec, "sessionAffinity");
  errors.oneOf("spec.sessionAffinity", affinity, ["ClientIP", "None"]);
  const path = "spec.sessionAffinityConfig";
  if (affinity === "None" && present(spec, "sessionAffinityConfig")) {
    errors.forbidden(path, "must not be set when session affinity is None");
  }
  const seconds = integer(child(child(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds");
  if (affinity === "ClientIP" && seconds !== undefined && (seconds <= 0 || seconds > 86_400)) {
    errors.invalid(`${path}.clientIP.timeoutSeconds`, seconds, "must be greater than 0 and less than 86400");
  }
}

function validatePolicies(spec: Json, type: string, errors: FieldErrors): void {
  const isBalanced = type === "LoadBalancer";
  const sources = strings(spec, "loadBalancerSourceRanges");
  const path = "spec.LoadBalancerSourceRanges";
  if (sources.length > 0 && !isBalanced)
    errors.forbidden(path, "may only be used when `type` is 'LoadBalancer'");
  for (const [index, source] of sources.entries())
    validateOldCidr(source.trim(), `${path}[${index}]`, errors);
  for (const key of ["allocateLoadBalancerNodePorts", "loadBalancerClass"]) {
    if (present(spec, key) && !isBalanced) {
      errors.forbidden(`spec.${key}`, "may only be used when `type` is 'LoadBalancer'");
    }
  }
  const isReachable = type === "ClusterIP" && strings(spec, "externalIPs").length > 0;
  const isExternal = isBalanced || type === "NodePort" || isReachable;
  const external = text(spec, "externalTrafficPolicy");
  if (isExternal) errors.oneOf("spec.externalTrafficPolicy", external, ["Cluster", "Local"]);
  else if (external !== "") {
    errors.invalid(
      "spec.externalTrafficPolicy",
      external,
      "may only be set for externally-accessible services",
    );
  }
  const healthPort = count(spec, "healthCheckNodePort");
  if (healthPort !== 0 && !(isBalanced && external === "Local")) {
    errors.invalid(
      "spec.healthCheckNodePort",
      healthPort,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
  }
  const internal = optionalText(spec, "internalTrafficPolicy");
  if (internal !== undefined && internal !== "Cluster" && internal !== "Local") {
    errors.notSupported("spec.internalTrafficPolicy", internal, ["Cluster", "Local"]);
  }
  const distribution = optionalText(spec, "trafficDistribution");
  const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  if (distribution !== undefined && !distributions.includes(distribution)) {
    errors.notSupported("spec.trafficDistribution", distribution, distributions);
  }
}

/** The first address of a service is for life, unless it stops having one. */
export function validateServiceChange(draft: Draft, before: Json, errors: FieldErrors): void {
  const spec = specOf(draft);
  const old = child(before, "spec") ?? {};
  if (text(spec, "type") === "ExternalName" || text(old, "type") === "ExternalName") return;
  const [oldFirst] = strings(old, "clusterIPs");
  const ips = strings(spec, "clusterIPs");
  if (oldFirst !== undefined && ips[0] !== oldFirst) {
    errors.invalid("spec.clusterIPs[0]", ips, "may not change once set");
  }
  const [oldFamily] = strings(old, "ipFamilies");
  const [family] = strings(spec, "ipFamilies");
  if (oldFamily !== undefined && family !== oldFamily) {
    errors.invalid("spec.ipFamilies[0]", strings(spec, "ipFamilies"), "may not change once set");
  }
}
