import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  copyField,
  count,
  ensure,
  items,
  present,
  sameValue,
  setDefault,
  setZeroDefault,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { ageColumn, column, formatLabels, nameColumn } from "../table.ts";
import { validateService, validateServiceChange } from "./service-validation.ts";
import { serviceWarnings } from "../warnings/network.ts";

export function isExternallyAccessible(spec: Json | undefined): boolean {
  const type = text(spec, "type");
  if (type === "LoadBalancer" || type === "NodePort") return true;
  return type === "ClusterIP" && strings(spec, "externalIPs").length > 0;
}

export function isHeadless(spec: Json | undefined): boolean {
  return strings(spec, "clusterIPs")[0] === "None" || text(spec, "clusterIP") === "None";
}

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  setZeroDefault(spec, "sessionAffinity", "None");
  setAffinityConfig(spec);
  setZeroDefault(spec, "type", "ClusterIP");
  const type = text(spec, "type");
  for (const port of items(spec, "ports")) {
    setZeroDefault(port, "protocol", "TCP");
    setZeroDefault(port, "targetPort", port["port"]);
  }
  if (isExternallyAccessible(spec)) setZeroDefault(spec, "externalTrafficPolicy", "Cluster");
  if (["NodePort", "LoadBalancer", "ClusterIP"].includes(type))
    setDefault(spec, "internalTrafficPolicy", "Cluster");
  if (type === "LoadBalancer") {
    setDefault(spec, "allocateLoadBalancerNodePorts", true);
    for (const ingress of items(child(child(draft, "status"), "loadBalancer"), "ingress")) {
      if (text(ingress, "ip") !== "") setDefault(ingress, "ipMode", "VIP");
    }
  }
}

function setAffinityConfig(spec: Json): void {
  const affinity = text(spec, "sessionAffinity");
  if (affinity === "None") delete spec["sessionAffinityConfig"];
  if (affinity !== "ClientIP") return;
  const clientIp = child(child(spec, "sessionAffinityConfig"), "clientIP");
  if (!present(clientIp, "timeoutSeconds")) {
    spec["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: 10_800 } };
  }
}

/** Clients know clusterIP, newer ones clusterIPs: each write may use either, and both come out alike. */
export function alignClusterIps(spec: Json, before: Json | undefined): void {
  if (before !== undefined) keepAddresses(spec, before);
  const ip = text(spec, "clusterIP");
  const ips = strings(spec, "clusterIPs");
  if (before === undefined) {
    if (ip !== "" && ips.length === 0) spec["clusterIPs"] = [ip];
    return;
  }
  const oldIp = text(before, "clusterIP");
  const oldIps = strings(before, "clusterIPs");
  const ipChanged = ip !== oldIp;
  const ipsChanged = !sameValue(ips, oldIps);
  if (ipChanged && !ipsChanged) {
    if (ip === "") delete spec["clusterIPs"];
    else spec["clusterIPs"] = [ip];
  } else if (ipsChanged && !ipChanged && ips.length === 0) spec["clusterIPs"] = oldIps.slice(0, 1);
}

/** This cluster has IPv4 alone; only a headless service without selector may say otherwise. */
function setIpFamilies(spec: Json): void {
  if (text(spec, "type") === "ExternalName") return;
  const isFree = isHeadless(spec) && Object.keys(stringMap(spec, "selector")).length === 0;
  setDefault(spec, "ipFamilyPolicy", isFree ? "RequireDualStack" : "SingleStack");
  const families = strings(spec, "ipFamilies");
  const addresses = strings(spec, "clusterIPs").filter((address) => address !== "None");
  for (const address of addresses.slice(families.length))
    families.push(address.includes(":") ? "IPv6" : "IPv4");
  if (families.length === 0) families.push("IPv4");
  if (isFree && families.length < 2 && text(spec, "ipFamilyPolicy") !== "SingleStack") {
    families.push(families[0] === "IPv4" ? "IPv6" : "IPv4");
  }
  spec["ipFamilies"] = families;
}

export const needsNodePort = (spec: Json): boolean => {
  const type = text(spec, "type");
  return type === "NodePort" || (type === "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] !== false);
};

/** What the old type needed and the new one cannot have goes, unless the client has changed it on purpose. */
function dropTypeDependentFields(spec: Json, old: Json): void {
  const dropSame = (key: string): void => {
    if (sameValue(spec[key], old[key])) delete spec[key];
  };
  if (text(old, "type") !== "ExternalName" && text(spec, "type") === "ExternalName") {
    for (const key of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]) dropSame(key);
  }
  const ports = items(spec, "ports");
  const nodePorts = (from: readonly Json[]): number[] => from.map((port) => count(port, "nodePort"));
  if (
    needsNodePort(old) &&
    !needsNodePort(spec) &&
    sameValue(nodePorts(ports), nodePorts(items(old, "ports")))
  ) {
    for (const port of ports) delete port["nodePort"];
  }
  if (text(old, "type") === "LoadBalancer" && text(spec, "type") !== "LoadBalancer") {
    dropSame("allocateLoadBalancerNodePorts");
    dropSame("loadBalancerClass");
    dropSame("healthCheckNodePort");
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec)) dropSame("externalTrafficPolicy");
}

function prepareForUpdate(draft: Draft, before: Json, subresource: string): void {
  if (subresource !== "") return;
  const spec = specOf(draft);
  const old = child(before, "spec") ?? {};
  alignClusterIps(spec, old);
  dropTypeDependentFields(spec, old);
  keepFamilies(spec, old);
  setIpFamilies(spec);
  if (text(spec, "type") !== "LoadBalancer") ensure(draft, "status")["loadBalancer"] = {};
}

/** Addresses that an update leaves out are the ones that the service has. */
function keepAddresses(spec: Json, old: Json): void {
  if ([spec, old].some((each) => text(each, "type") === "ExternalName")) return;
  if (text(spec, "clusterIP") === "") copyField(spec, old, "clusterIP");
  if (strings(spec, "clusterIPs").length === 0) copyField(spec, old, "clusterIPs");
}

/** The same of its families, and of how many there are. */
export function keepFamilies(spec: Json, old: Json): void {
  if (text(spec, "type") === "ExternalName") return;
  if (!present(spec, "ipFamilyPolicy")) copyField(spec, old, "ipFamilyPolicy");
  if (strings(spec, "ipFamilies").length === 0) copyField(spec, old, "ipFamilies");
}

function externalIp(service: Json): string {
  const spec = child(service, "spec");
  const external = strings(spec, "externalIPs");
  if (text(spec, "type") === "ExternalName") return text(spec, "externalName");
  if (text(spec, "type") !== "LoadBalancer") return external.join(",") || "<none>";
  const ingress = items(child(child(service, "status"), "loadBalancer"), "ingress");
  const balanced = ingress.map((one) => text(one, "ip") || text(one, "hostname")).filter((one) => one !== "");
  return [...new Set(balanced)].toSorted().concat(external).join(",") || "<pending>";
}

function portsCell(service: Json): string {
  const ports = items(child(service, "spec"), "ports").map((port) => {
    const nodePort = count(port, "nodePort");
    const outer = nodePort > 0 ? `:${nodePort}` : "";
    return `${count(port, "port")}${outer}/${text(port, "protocol")}`;
  });
  return ports.join(",") || "<none>";
}

const rules: KindSpec = {
  nameFormat: "dns1123Label",
  setDefaults,
  prepareForCreate(draft, { subresource }) {
    // An apply to the status may create a service, as it is.
    if (subresource !== "") return;
    const spec = specOf(draft);
    alignClusterIps(spec, undefined);
    setIpFamilies(spec);
  },
  prepareForUpdate: (draft, before, { subresource }) => prepareForUpdate(draft, before, subresource),
  validate: validateService,
  validateChange: validateServiceChange,
  warnings: serviceWarnings,
  selectableFields: (object) => {
    const spec = child(asJson(object), "spec");
    return { "spec.clusterIP": text(spec, "clusterIP"), "spec.type": text(spec, "type") };
  },
  columns: [
    nameColumn,
    column("Type", (service) => text(child(service, "spec"), "type")),
    column("Cluster-IP", (service) => strings(child(service, "spec"), "clusterIPs")[0] ?? "<none>"),
    column("External-IP", externalIp),
    column("Port(s)", portsCell),
    ageColumn,
    column("Selector", (service) => formatLabels(stringMap(child(service, "spec"), "selector")), {
      wide: true,
    }),
  ],
};

export const serviceKinds = [defineKind(resources.services, rules)];
