import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Volume, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { placeOf } from "./identity.ts";
import { isClaimStale, isOwnershipUpToDate, hasUnexpectedController, ownersOf } from "./retention.ts";
import { claimTemplates } from "./stateful-set.ts";
import type { CachedPod } from "./fields.ts";
import type { Stored, StoredObject } from "../../pkg/api/object.ts";

/** What is to be done about the claims of one pod. */
export interface ClaimsPlan {
  /**
   * The templates of missing claims. Each claim is made out when it is created, as there may be many with many labels.
   */
  readonly create: readonly PersistentVolumeClaim[];
  /** Claims whose owners are not what the retention policy asks for. */
  readonly reown: readonly StoredObject[];
  /** Names of terminating claims: no pod can start with them. */
  readonly leaving: readonly string[];
  /** Names of claims that another controller owns: the retention policy does not apply to them. */
  readonly conflicting: readonly string[];
}

/** Claims of the StatefulSet's namespace by name. The cache knows nothing but their metadata. */
export type ClaimLookup = (name: string) => StoredObject | undefined;

export const NO_CLAIMS: ClaimsPlan = { create: [], reown: [], leaving: [], conflicting: [] };

export function claimName(
  set: Stored<StatefulSet>,
  template: PersistentVolumeClaim,
  ordinal: number,
): string {
  return `${claimPrefix(set, template)}${ordinal}`;
}

function claimPrefix(set: Stored<StatefulSet>, template: PersistentVolumeClaim): string {
  return `${template.metadata.name ?? ""}-${set.metadata.name}-`;
}

/** Whether a claim of this name is, or could be, that of one of its pods. */
export function isClaimNameOf(set: Stored<StatefulSet>, name: string): boolean {
  return claimTemplates(set).some((template) => {
    const prefix = claimPrefix(set, template);
    return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
  });
}

/** Creates missing claims, and gives those that exist their owners. */
export function decideClaims(set: Stored<StatefulSet>, pod: CachedPod, lookup: ClaimLookup): ClaimsPlan {
  const create: PersistentVolumeClaim[] = [];
  const leaving: string[] = [];
  const place = placeOf(pod);
  for (const template of claimTemplates(set)) {
    const claim = lookup(claimName(set, template, place));
    if (claim === undefined) create.push(template);
    else if (claim.metadata.deletionTimestamp !== undefined) leaving.push(claim.metadata.name);
  }
  return { ...decideOwners(set, pod, lookup), create, leaving };
}

/** Gives the claims that exist their owners. */
export function decideOwners(set: Stored<StatefulSet>, pod: CachedPod, lookup: ClaimLookup): ClaimsPlan {
  // Each sync decides on each pod, and as a rule nothing is to be done.
  let plan: { reown: StoredObject[]; conflicting: string[] } | undefined;
  const place = placeOf(pod);
  for (const template of claimTemplates(set)) {
    const claim = lookup(claimName(set, template, place));
    if (claim === undefined) continue;
    const isUpToDate = isOwnershipUpToDate(claim, set, pod);
    const isConflicting = hasUnexpectedController(claim, set, pod);
    if (isUpToDate && !isConflicting) continue;
    plan ??= { reown: [], conflicting: [] };
    if (!isUpToDate) plan.reown.push(claim);
    if (isConflicting) plan.conflicting.push(claim.metadata.name);
  }
  return plan === undefined ? NO_CLAIMS : { ...NO_CLAIMS, ...plan };
}

/** Whether a claim is about to be deleted with an earlier pod of this name: a new pod would lose it. */
export function hasStaleClaim(set: Stored<StatefulSet>, pod: CachedPod, lookup: ClaimLookup): boolean {
  const place = placeOf(pod);
  return claimTemplates(set).some((template) => {
    const claim = lookup(claimName(set, template, place));
    return claim !== undefined && isClaimStale(claim, set, pod);
  });
}

/** The claim that the template describes for this pod, with the owners that the retention policy gives it. */
export function claimFor(
  set: Stored<StatefulSet>,
  pod: CachedPod,
  template: PersistentVolumeClaim,
): PersistentVolumeClaim {
  const { namespace } = set.metadata;
  const metadata = {
    ...template.metadata,
    name: claimName(set, template, placeOf(pod)),
    ...(namespace !== undefined && { namespace }),
    labels: { ...template.metadata.labels, ...set.spec?.selector.matchLabels },
  };
  const ownerReferences = ownersOf({ metadata }, set, pod);
  return { ...template, metadata: { ...metadata, ...(ownerReferences.length > 0 && { ownerReferences }) } };
}

/** Whether the pod mounts its own claims. */
export function storageMatches(set: Stored<StatefulSet>, pod: CachedPod): boolean {
  const volumes = pod.spec?.volumes ?? [];
  const place = placeOf(pod);
  let byName: ReadonlyMap<string, (typeof volumes)[number]> | undefined;
  return claimTemplates(set).every((template, index) => {
    const { name = "" } = template.metadata;
    let mounted = volumes[index];
    // A new pod has its own claims first, in their order. An injected volume may have moved them.
    if (mounted?.name !== name) {
      byName ??= new Map(volumes.map((volume) => [volume.name, volume]));
      mounted = byName.get(name);
    }
    return mounted?.persistentVolumeClaim?.claimName === claimName(set, template, place);
  });
}

/** The pod with its own claims mounted, in place of volumes of the same names. */
export function withStorage(set: Stored<StatefulSet>, pod: Pod): Pod {
  const own = claimTemplates(set).map((template): Volume => ({
    name: template.metadata.name ?? "",
    persistentVolumeClaim: { claimName: claimName(set, template, placeOf(pod)) },
  }));
  const names = new Set(own.map(({ name }) => name));
  const others = (pod.spec?.volumes ?? []).filter(({ name }) => !names.has(name));
  const volumes = [...own, ...others];
  if (volumes.length === 0) return pod;
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], volumes } };
}
