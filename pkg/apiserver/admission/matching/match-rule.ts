import type { RuleWithOperations } from "../../../api/types/admissionregistration-v1.gen.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";

/** The resource as one of its versions has it. */
interface Versioned {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** upstream: apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go */
export function ruleMatches(
  rule: RuleWithOperations,
  attributes: Pick<AdmissionAttributes, "operation" | "subresource" | "namespace">,
  resource: Versioned,
): boolean {
  const { operation, subresource, namespace } = attributes;
  return (
    scopeMatches(rule.scope, resource, namespace) &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, resource.plural, subresource))
  );
}

/** Namespaces are of the cluster, although they lie in themselves. */
function scopeMatches(scope: string | undefined, resource: Versioned, namespace: string): boolean {
  if (scope === undefined || scope === "*") return true;
  const isOfCluster = namespace === "" || (resource.group === "" && resource.plural === "namespaces");
  return scope === "Cluster" ? isOfCluster : scope === "Namespaced" && !isOfCluster;
}

function includes(values: readonly string[] | undefined, value: string): boolean {
  return values !== undefined && (values.includes("*") || values.includes(value));
}

/** "pods", "pods/status", "pods/*"; "*" in the place of the name stands for every resource. */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const main = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? "" : pattern.slice(slash + 1);
  return (main === "*" || main === plural) && (sub === "*" || sub === subresource);
}
