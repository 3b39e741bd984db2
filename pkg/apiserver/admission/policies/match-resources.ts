import type {
  MatchResources,
  NamedRuleWithOperations,
} from "../../../api/types/admissionregistration-v1.gen.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import type { ServedResource } from "../../server/served-resource.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import type { AdmittedObjects } from "../matching/admitted-objects.ts";
import { ruleMatches } from "../matching/match-rule.ts";
import { matchNamespace, matchObjects } from "../matching/selectors.ts";

/** A request that policies are held against. */
export interface PolicyRequest {
  readonly attributes: AdmissionAttributes;
  readonly objects: AdmittedObjects;
  readonly reader: ClusterReader;
}

/**
 * The version of the resource in which a policy or binding is about the request; undefined: it is not. Throws where that
 * cannot be found out. upstream: apiserver/pkg/admission/plugin/policy/matching/matching.go#Matches
 */
export function matchResources(
  match: MatchResources,
  { attributes, objects, reader }: PolicyRequest,
): ServedResource | undefined {
  const namespace = matchNamespace(match.namespaceSelector, attributes, objects, reader);
  if (namespace === false || !matchObjects(match.objectSelector, objects)) return undefined;
  const { excludeResourceRules = [], resourceRules = [], matchPolicy } = match;
  if (matchRules(excludeResourceRules, matchPolicy, attributes) !== undefined) return undefined;
  const found =
    resourceRules.length === 0 ? attributes.served : matchRules(resourceRules, matchPolicy, attributes);
  // Only whom the request concerns minds that its namespace is not there.
  if (found !== undefined && namespace !== true) throw namespace;
  return found;
}

function matchRules(
  rules: readonly NamedRuleWithOperations[],
  matchPolicy: string | undefined,
  attributes: AdmissionAttributes,
): ServedResource | undefined {
  const { served, name } = attributes;
  const isMeant = ({ resourceNames = [] }: NamedRuleWithOperations): boolean =>
    resourceNames.length === 0 || resourceNames.includes(name);
  if (rules.some((rule) => ruleMatches(rule, attributes, served.resource) && isMeant(rule))) return served;
  if (matchPolicy === undefined || matchPolicy === "Exact" || rules.length === 0) return undefined;
  // Earlier rules count first.
  const others = attributes.equivalents();
  for (const rule of rules) {
    const found = others.find(({ resource }) => ruleMatches(rule, attributes, resource) && isMeant(rule));
    if (found !== undefined) return found;
  }
  return undefined;
}
