import { apiVersionOf, groupResource, type Resource } from "../api/resource.ts";
import { type ApiResource, type ApiSurface, preferredResources } from "../client/discovery-documents.ts";

export interface Watched {
  readonly resource: Resource;
  /** Its list has been read. */
  readonly synced: boolean;
}

export interface MonitorPlan {
  readonly start: readonly Resource[];
  readonly stop: readonly Resource[];
}

/** What tells resources apart: one whose version, kind or scope has changed is another one. */
export function resourceKey({ group, version, plural, kind, namespaced }: Resource): string {
  return JSON.stringify([group, version, plural, kind, namespaced]);
}

/**
 * Which resources are to be watched from now on and which no more, by one answer of the server. It is believed as far
 * as it goes:
 * - Where nothing of what is wanted is in it, it says more of itself than of the cluster: undefined, all stays.
 * - Where a version of a group could not be discovered, whatever of the group is watched with success goes on as it
 *   was, and in the version in which it was: the failure has not deleted anything.
 * - What a group without failures does not list is not served any more.
 */
export function planMonitors(
  watched: readonly Watched[],
  surface: ApiSurface,
  isWanted: (resource: ApiResource) => boolean,
): MonitorPlan | undefined {
  const found = preferredResources(surface).filter(isWanted);
  if (found.length === 0) return undefined;
  const doubtful = groupsInDoubt(surface);
  const kept = watched.filter(({ resource, synced }) => synced && doubtful.has(resource.group));
  const keptNames = new Set(kept.map(({ resource }) => groupResource(resource)));
  const keys = new Set(watched.map(({ resource }) => resourceKey(resource)));
  const wanted = found.filter((resource) => !keptNames.has(groupResource(resource)));
  const wantedKeys = new Set(wanted.map(resourceKey));
  return {
    start: wanted.filter((resource) => !keys.has(resourceKey(resource))),
    stop: watched
      .map(({ resource }) => resource)
      .filter(
        (resource) => !keptNames.has(groupResource(resource)) && !wantedKeys.has(resourceKey(resource)),
      ),
  };
}

function groupsInDoubt({ groups, failures }: ApiSurface): ReadonlySet<string> {
  const isFailed = (group: string, version: string): boolean =>
    failures.has(apiVersionOf({ group, version }));
  return new Set(
    groups.flatMap(({ name, versions }) => (versions.some((each) => isFailed(name, each)) ? [name] : [])),
  );
}
