import type { PartialObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "../types/core-v1.gen.ts";
import { type CountedClaim, type CountedPod, isClaim, isPod } from "./fields.ts";
import { podQosClass } from "./qos.ts";

/** Whether a quota limits this object: it has limits that are about the resource, and the object is in all its scopes. */
export function quotaCovers(
  spec: ResourceQuotaSpec,
  limits: readonly string[],
  resource: Resource,
  object: PartialObject,
): boolean {
  return limits.length > 0 && scopesOf(spec).every((scope) => inScope(scope, resource, object));
}

/** What decides on the scopes of an object and may change in its life. */
export function scopeFacts(resource: Resource, object: PartialObject): readonly unknown[] {
  if (isPod(resource, object)) return [isTerminating(object)];
  return isClaim(resource, object) ? attributesClasses(object) : [];
}

function scopesOf(spec: ResourceQuotaSpec): readonly ScopedResourceSelectorRequirement[] {
  const plain = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" as const }));
  return [...plain, ...(spec.scopeSelector?.matchExpressions ?? [])];
}

function inScope(
  scope: ScopedResourceSelectorRequirement,
  resource: Resource,
  object: PartialObject,
): boolean {
  if (isPod(resource, object)) return podInScope(scope, object);
  if (isClaim(resource, object) && scope.scopeName === "VolumeAttributesClass") {
    const names = attributesClasses(object);
    return names.length === 0
      ? valueMatches(scope, undefined)
      : names.some((name) => valueMatches(scope, name));
  }
  // Other kinds know no scopes, so a scoped quota is not about them.
  return false;
}

/** While a volume changes from one class to another it is of both. */
function attributesClasses({ spec, status }: CountedClaim): readonly string[] {
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName;
  const names = [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target];
  return names.flatMap((name) => (name ? [name] : []));
}

function podInScope(scope: ScopedResourceSelectorRequirement, pod: CountedPod): boolean {
  const { spec } = pod;
  if (spec === undefined) return false;
  const isBestEffort = podQosClass(spec) === "BestEffort";
  switch (scope.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return isBestEffort;
    case "NotBestEffort":
      return !isBestEffort;
    case "PriorityClass":
      return valueMatches(scope, spec.priorityClassName === "" ? undefined : spec.priorityClassName);
    case "CrossNamespacePodAffinity":
      return usesOtherNamespaces(pod);
    default:
      return false;
  }
}

function isTerminating({ spec }: CountedPod): boolean {
  return (spec?.activeDeadlineSeconds ?? -1) >= 0;
}

function valueMatches(
  { operator, values }: ScopedResourceSelectorRequirement,
  value: string | undefined,
): boolean {
  switch (operator) {
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "In":
      return value !== undefined && (values ?? []).includes(value);
    case "NotIn":
      return value === undefined || !(values ?? []).includes(value);
    default:
      return false;
  }
}

/** Affinity to pods of other namespaces lets one namespace get in the way of another. */
function usesOtherNamespaces(pod: CountedPod): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => {
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...preferred.map((weighted) => weighted.podAffinityTerm),
    ];
    return terms.some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector !== undefined);
  });
}
