import { apiVersionOf } from "../../api/resource.ts";
import type { Subresource } from "../kinds/kind.ts";
import type { ServedResource } from "../server/served-resource.ts";
import { compareVersions } from "./version-order.ts";

/** The resources of one group, versions in order of preference. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly ApiVersion[];
}

export interface ApiVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/** Groups in the order in which they are first served, the core group first. */
export function apiGroups(served: readonly ServedResource[]): readonly ApiGroup[] {
  const groups = new Map<string, Map<string, ServedResource[]>>([["", new Map()]]);
  for (const resource of served) {
    const { group, version } = resource.resource;
    const versions = groups.get(group) ?? new Map<string, ServedResource[]>();
    groups.set(group, versions);
    const resources = versions.get(version) ?? [];
    versions.set(version, resources);
    resources.push(resource);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .sort(([a], [b]) => compareVersions(a, b))
      .map(([version, resources]) => ({ version, resources: resources.sort(byPlural) })),
  }));
}

function byPlural(a: ServedResource, b: ServedResource): number {
  return a.resource.plural < b.resource.plural ? -1 : 1;
}

/** The old form of discovery: one list per group version. */
export function resourceList(group: string, { version, resources }: ApiVersion): object {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap((served) => [mainEntry(served), ...subresourceEntries(served)]),
  };
}

function mainEntry({ resource, rules, verbs }: ServedResource): object {
  return {
    name: resource.plural,
    singularName: rules.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...verbs].sort(),
    ...names(rules),
  };
}

function subresourceEntries({ resource, subresources }: ServedResource): readonly object[] {
  return [...subresources.values()].map(({ name, kind, verbs }) => ({
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...foreignVersion(kind, resource),
    kind: kind?.kind ?? resource.kind,
    verbs: [...verbs].sort(),
  }));
}

function foreignVersion(
  kind: Subresource["kind"],
  of: { readonly group: string; readonly version: string },
): object {
  if (kind === undefined || (kind.group === of.group && kind.version === of.version)) return {};
  return { group: kind.group, version: kind.version };
}

function names(rules: {
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}): object {
  return {
    ...(rules.shortNames.length === 0 ? {} : { shortNames: rules.shortNames }),
    ...(rules.categories.length === 0 ? {} : { categories: rules.categories }),
  };
}

export function groupDocument(group: ApiGroup): object {
  const versions = group.versions.map(({ version }) => ({
    groupVersion: apiVersionOf({ group: group.name, version }),
    version,
  }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

/** Everything in one document, as newer clients ask for it; `version` is that of apidiscovery.k8s.io. */
export function aggregatedDiscovery(groups: readonly ApiGroup[], version: string): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group.name === "" ? {} : { name: group.name },
      versions: group.versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(discoveryEntry),
        freshness: "Current",
      })),
    })),
  };
}

function discoveryEntry({ resource, rules, verbs, subresources }: ServedResource): object {
  const ownKind = { group: "", version: "", kind: resource.kind };
  const below = [...subresources.values()].map(({ name, kind, verbs }) => ({
    subresource: name,
    responseKind:
      kind === undefined || (kind.group === resource.group && kind.version === resource.version)
        ? { ...ownKind, kind: kind?.kind ?? resource.kind }
        : { group: kind.group, version: kind.version, kind: kind.kind },
    verbs: [...verbs].sort(),
  }));
  return {
    resource: resource.plural,
    responseKind: ownKind,
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: rules.singular,
    verbs: [...verbs].sort(),
    ...names(rules),
    ...(below.length === 0 ? {} : { subresources: below }),
  };
}
