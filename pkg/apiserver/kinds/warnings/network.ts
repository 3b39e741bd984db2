import { child, items, type Json, optionalText, strings, stringMap, text } from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import type { Draft } from "../kind.ts";
import { cidrWarnings, ipWarnings } from "../network/address-checks.ts";

const HINTS = "service.kubernetes.io/topology-aware-hints";
const MODE = "service.kubernetes.io/topology-mode";
const INGRESS_CLASS = "kubernetes.io/ingress.class";

/** upstream: pkg/api/service/warnings.go */
export function serviceWarnings(
  draft: Draft,
  _before: ApiObject | undefined,
  subresource: string,
): readonly string[] {
  if (subresource !== "") return balancerWarnings(draft, subresource);
  const spec = child(draft, "spec") ?? {};
  const type = text(spec, "type");
  const addresses = strings(spec, "clusterIPs").filter((address) => address !== "None");
  return [
    ...(Object.hasOwn(stringMap(draft.metadata, "annotations"), HINTS)
      ? [`annotation ${HINTS} is deprecated, please use ${MODE} instead`]
      : []),
    ...addresses.flatMap((address, index) => ipWarnings(`spec.clusterIPs[${index}]`, address)),
    ...(type === "ClusterIP" && text(spec, "clusterIP") === "None" ? headlessWarnings(spec) : []),
    ...addressWarnings(spec, type),
    ...(optionalText(spec, "trafficDistribution") === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

function headlessWarnings(spec: Json): readonly string[] {
  const ignored = [
    ...(text(spec, "loadBalancerIP") === "" ? [] : ["loadBalancerIP"]),
    ...(strings(spec, "externalIPs").length === 0 ? [] : ["externalIPs"]),
    ...(text(spec, "sessionAffinity") === "None" ? [] : ["SessionAffinity"]),
  ];
  return ignored.map((name) => `spec.${name} is ignored for headless services`);
}

function addressWarnings(spec: Json, type: string): readonly string[] {
  const external = strings(spec, "externalIPs");
  const isHeadless = type === "ClusterIP" && text(spec, "clusterIP") === "None";
  const balancer = text(spec, "loadBalancerIP");
  return [
    ...external.flatMap((address, index) => ipWarnings(`spec.externalIPs[${index}]`, address)),
    ...(external.length > 0 && !isHeadless && type !== "ExternalName"
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : []),
    ...(balancer === "" ? [] : ipWarnings("spec.loadBalancerIP", balancer)),
    ...strings(spec, "loadBalancerSourceRanges").flatMap((range, index) =>
      cidrWarnings(`spec.loadBalancerSourceRanges[${index}]`, range),
    ),
    ...(type === "ExternalName" && external.length > 0
      ? ['spec.externalIPs is ignored when spec.type is "ExternalName"']
      : []),
    ...(type !== "ExternalName" && text(spec, "externalName") !== ""
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
  ];
}

/** Of the status of a service or an ingress. */
export function balancerWarnings(draft: Draft, subresource: string): readonly string[] {
  if (subresource !== "status") return [];
  return items(child(child(draft, "status"), "loadBalancer"), "ingress").flatMap((point, index) =>
    ipWarnings(`status.loadBalancer.ingress[${index}]`, text(point, "ip")),
  );
}

export function ingressWarnings(
  draft: Draft,
  before: ApiObject | undefined,
  subresource: string,
): readonly string[] {
  if (before !== undefined) return balancerWarnings(draft, subresource);
  const isOld = Object.hasOwn(stringMap(draft.metadata, "annotations"), INGRESS_CLASS);
  return isOld && optionalText(child(draft, "spec"), "ingressClassName") === undefined
    ? [`annotation "${INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]
    : [];
}

export function networkPolicyWarnings(draft: Draft): readonly string[] {
  const spec = child(draft, "spec");
  return (
    [
      ["ingress", "from"],
      ["egress", "to"],
    ] as const
  ).flatMap(([direction, peers]) =>
    items(spec, direction).flatMap((rule, index) =>
      items(rule, peers).flatMap((peer, at) => {
        const block = child(peer, "ipBlock");
        const path = `spec.${direction}[${index}].${peers}[${at}].ipBlock`;
        return [
          ...cidrWarnings(`${path}.cidr`, text(block, "cidr")),
          ...strings(block, "except").flatMap((range, place) =>
            cidrWarnings(`${path}.except[${place}]`, range),
          ),
        ];
      }),
    ),
  );
}
