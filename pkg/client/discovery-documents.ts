import type { Resource } from "../api/resource.ts";
import { apiVersionOf } from "../api/resource.ts";

/** A resource as the API server offers it. */
export interface ApiResource extends Resource {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface ApiGroup {
  /** "" for the core group. */
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
}

/** Everything that the API server offers, as far as it could be learned. */
export interface ApiSurface {
  readonly groups: readonly ApiGroup[];
  readonly resources: readonly ApiResource[];
  /** By apiVersion ("metrics.k8s.io/v1beta1"): what is missing above, and why. It may be there all the same. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Unknown: the server did not say, so that it may be either. */
export type Presence = "offered" | "absent" | "unknown";

/** Whether the server offers the resource in any version. */
export function presenceOf(
  { groups, resources, failures }: ApiSurface,
  { group, plural }: Pick<Resource, "group" | "plural">,
): Presence {
  if (resources.some((each) => each.group === group && each.plural === plural)) return "offered";
  const versions = groups.find(({ name }) => name === group)?.versions ?? [];
  return versions.some((version) => failures.has(apiVersionOf({ group, version }))) ? "unknown" : "absent";
}

/** A document that is not what was asked for: it says nothing of what there is. */
class DiscoveryError extends Error {
  override readonly name = "DiscoveryError";
}

/** apidiscovery.k8s.io/v2: all versions and resources in one document. */
export interface GroupDiscoveryList {
  readonly kind: "APIGroupDiscoveryList";
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly DiscoveredResource[];
    }[];
  }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

export function isGroupDiscoveryList(document: unknown): document is GroupDiscoveryList {
  return (document as { readonly kind?: unknown } | null)?.kind === "APIGroupDiscoveryList";
}

export function surfaceOfAggregated(list: GroupDiscoveryList): ApiSurface {
  const groups: ApiGroup[] = [];
  const resources: ApiResource[] = [];
  const failures = new Map<string, unknown>();
  for (const { metadata, versions = [] } of list.items ?? []) {
    const group = metadata?.name ?? "";
    groups.push({ name: group, versions: versions.map(({ version }) => version) });
    for (const { version, freshness, resources: discovered = [] } of versions) {
      if (freshness === "Stale") {
        const apiVersion = apiVersionOf({ group, version });
        failures.set(apiVersion, new Error(`stale GroupVersion discovery: ${apiVersion}`));
        continue;
      }
      for (const each of discovered) {
        // Without a kind it is only the parent of its subresources.
        if (each.responseKind?.kind) resources.push(resourceOfDiscovered(group, version, each));
      }
    }
  }
  return { groups, resources, failures };
}

function resourceOfDiscovered(group: string, version: string, each: DiscoveredResource): ApiResource {
  return {
    group,
    version,
    plural: each.resource,
    kind: each.responseKind?.kind ?? "",
    namespaced: each.scope === "Namespaced",
    verbs: each.verbs ?? [],
    subresources: (each.subresources ?? []).map(({ subresource }) => subresource),
    shortNames: each.shortNames ?? [],
    categories: each.categories ?? [],
  };
}

/** metav1.APIVersions: the versions of the core group. */
export function coreVersions(document: unknown): readonly ApiGroup[] {
  mustBe(document, "APIVersions");
  const { versions } = document as { readonly versions?: readonly string[] | null };
  return [{ name: "", versions: versions ?? [] }];
}

interface LegacyGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version: string };
}

/** metav1.APIGroupList: all other groups. */
export function namedGroups(document: unknown): readonly ApiGroup[] {
  mustBe(document, "APIGroupList");
  const { groups } = document as { readonly groups?: readonly LegacyGroup[] | null };
  return (groups ?? []).map(({ name, versions, preferredVersion }) => ({
    name,
    versions: versions
      .map(({ version }) => version)
      // A stable sort: the preferred version goes first, the others keep their order.
      .sort((a, b) => Number(b === preferredVersion?.version) - Number(a === preferredVersion?.version)),
  }));
}

/** Whatever else was answered with 200 (a proxy's page, a Status) is not an empty list. */
function mustBe(document: unknown, kind: string): void {
  const found = (document as { readonly kind?: unknown } | null)?.kind;
  if (found !== kind) throw new DiscoveryError(`discovery gave ${JSON.stringify(found)} instead of ${kind}`);
}

/** metav1.APIResourceList: one version of one group, subresources as entries of their own ("pods/status"). */
interface ApiResourceList {
  readonly resources?:
    | readonly {
        readonly name: string;
        readonly kind: string;
        readonly namespaced?: boolean;
        readonly verbs?: readonly string[];
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
      }[]
    | null;
}

export function resourcesOfLegacy(group: string, version: string, document: unknown): ApiResource[] {
  mustBe(document, "APIResourceList");
  const entries = (document as ApiResourceList).resources ?? [];
  return entries
    .filter(({ name }) => !name.includes("/"))
    .map((each) => ({
      group,
      version,
      plural: each.name,
      kind: each.kind,
      namespaced: each.namespaced ?? false,
      verbs: each.verbs ?? [],
      subresources: entries
        .filter(({ name }) => name.startsWith(`${each.name}/`))
        .map(({ name }) => name.slice(each.name.length + 1)),
      shortNames: each.shortNames ?? [],
      categories: each.categories ?? [],
    }));
}

/** Each resource once: in its group's preferred version, or in the first that has it. */
export function preferredResources(surface: ApiSurface): ApiResource[] {
  const rank = new Map<string, number>();
  for (const { name, versions } of surface.groups) {
    for (const [index, version] of versions.entries())
      rank.set(apiVersionOf({ group: name, version }), index);
  }
  const rankOf = (resource: ApiResource): number => rank.get(apiVersionOf(resource)) ?? Infinity;
  const best = new Map<string, ApiResource>();
  for (const resource of surface.resources) {
    const name = `${resource.group}/${resource.plural}`;
    const other = best.get(name);
    if (other === undefined || rankOf(resource) < rankOf(other)) best.set(name, resource);
  }
  return [...best.values()];
}
