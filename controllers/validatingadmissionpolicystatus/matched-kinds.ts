import type { CachedPolicy } from "./fields.ts";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource as the API server offers it. */
export interface OfferedResource extends GroupVersionKind {
  readonly plural: string;
}

const MOST_KINDS = 10;

/**
 * The kinds that a policy names as being about, in order; what it names by wildcards is not looked for. `unknown`: a
 * resource that it names is not offered, as far as is known. upstream: typechecking.go#typesToCheck
 */
export function matchedKinds(
  policy: CachedPolicy,
  offered: readonly OfferedResource[],
): { readonly kinds: readonly GroupVersionKind[]; readonly unknown: boolean } {
  const kinds = new Map<string, GroupVersionKind>();
  let unknown = false;
  for (const rule of policy.spec?.matchConstraints?.resourceRules ?? []) {
    let count = 0;
    for (const wanted of namedResources(rule)) {
      const found = offered.filter((one) => isMeant(one, wanted));
      unknown ||= found.length === 0;
      for (const kind of found) {
        kinds.set(nameOfKind(kind), { group: kind.group, version: kind.version, kind: kind.kind });
        if (++count === MOST_KINDS) return { kinds: inOrder(kinds), unknown };
      }
    }
  }
  return { kinds: inOrder(kinds), unknown };
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
}

interface Wanted {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

function* namedResources({ apiGroups = [], apiVersions = [], resources = [] }: Rule): Generator<Wanted> {
  if ([...apiGroups, ...apiVersions].some((one) => one.includes("*"))) return;
  const plurals = resources.filter((one) => !/[*/]/.test(one)).toSorted();
  for (const group of apiGroups.toSorted())
    for (const version of apiVersions.toSorted())
      for (const plural of plurals) yield { group, version, plural };
}

/** upstream: the mapper of resources takes a group without a name for any group. */
function isMeant(one: OfferedResource, { group, version, plural }: Wanted): boolean {
  return one.plural === plural && one.version === version && (group === "" || one.group === group);
}

function inOrder(kinds: ReadonlyMap<string, GroupVersionKind>): readonly GroupVersionKind[] {
  return [...kinds.values()].toSorted(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** As Go prints it: "apps/v1, Kind=Deployment". */
export const nameOfKind = ({ group, version, kind }: GroupVersionKind): string =>
  `${group}/${version}, Kind=${kind}`;
