import { apiVersionOf, groupResource, type Resource } from "../../pkg/api/resource.ts";

/** A resource as discovery tells of it. */
export interface Discovered extends Resource {
  readonly verbs: readonly string[];
}

/** One needs all of them to count objects, and a quota is about what can be created and deleted. */
const NEEDED_VERBS = ["create", "list", "watch", "delete"];

/** Events never had quotas: the others are not stored at all. */
const IGNORED: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "events",
  "events.events.k8s.io",
]);

export function isQuotable(resource: Discovered): boolean {
  return (
    resource.namespaced &&
    NEEDED_VERBS.every((verb) => resource.verbs.includes(verb)) &&
    !IGNORED.has(groupResource(resource))
  );
}

/** "apps/v1/deployments" */
export function monitorKey(resource: Resource): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}

export interface MonitorsPlan {
  readonly start: readonly Resource[];
  readonly stop: readonly Resource[];
}

/**
 * Which resources are to be watched from now on and which no more. What discovery failed to tell of is kept. Undefined
 * when it told of nothing at all, which says more of the failure than of the cluster.
 */
export function planMonitors(
  watched: readonly Resource[],
  discovered: readonly Discovered[],
  failedVersions: ReadonlySet<string>,
): MonitorsPlan | undefined {
  const wanted = new Map(discovered.filter(isQuotable).map((resource) => [monitorKey(resource), resource]));
  if (wanted.size === 0 && failedVersions.size > 0) return undefined;
  const known = new Set(watched.map(monitorKey));
  return {
    start: [...wanted].filter(([key]) => !known.has(key)).map(([, resource]) => resource),
    stop: watched.filter(
      (resource) => !wanted.has(monitorKey(resource)) && !failedVersions.has(apiVersionOf(resource)),
    ),
  };
}
