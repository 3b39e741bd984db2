import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../pkg/api/types/core-v1.gen.ts";
import { placeOf } from "./identity.ts";
import { isClaimStale, isOwnershipUpToDate, hasUnexpectedController, ownersOf } from "./retention.ts";
import { claimTemplates } from "./stateful-set.ts";

/** What is to be done about the claims of one pod. */
export interface ClaimsPlan {
  /**
   * The templates of missing claims. Each claim is made out when it is created, as there may be many with many labels.
   */
  readonly create: readonly PersistentVolumeClaim[];
  /** Claims whose owners are not what the retention policy asks for. */
  readonly reown: readonly PersistentVolumeClaim[];
  /** Names of terminating claims: no pod can start with them. */
  readonly leaving: readonly string[];
  /** Names of claims that another controller owns: the retention policy does not apply to them. */
  readonly conflicting: readonly string[];
}

/** Claims of the StatefulSet's namespace by name, as the cache knows them. */
export type ClaimLookup = (name: string) => PersistentVolumeClaim | undefined;

export const NO_CLAIMS: ClaimsPlan = { create: [], reown: [], leaving: [], conflicting: [] };

export function claimName(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${claimPrefix(set, template)}${ordinal}`;
}

function claimPrefix(set: StatefulSet, template: PersistentVolumeClaim): string {
  return `${template.metadata.name ?? ""}-${set.metadata.name ?? ""}-`;
}

/** Whether a claim of this name is, or could be, that of one of its pods. */
export function isClaimNameOf(set: StatefulSet, name: string): boolean {
  return claimTemplates(set).some((template) => {
    const prefix = claimPrefix(set, template);
    return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
  });
}

/** Creates missing claims, and gives those that exist their owners. */
export function decideClaims(set: StatefulSet, pod: Pod, lookup: ClaimLookup): ClaimsPlan {
  const missing = claimTemplates(set).filter(
    (template) => lookup(claimName(set, template, placeOf(pod))) === undefined,
  );
  const leaving = existingClaims(set, pod, lookup).filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  return {
    ...decideOwners(set, pod, lookup),
    create: missing,
    leaving: leaving.map(({ metadata }) => metadata.name ?? ""),
  };
}

/** Gives the claims that exist their owners. */
export function decideOwners(set: StatefulSet, pod: Pod, lookup: ClaimLookup): ClaimsPlan {
  const existing = existingClaims(set, pod, lookup);
  const conflicting = existing.filter((claim) => hasUnexpectedController(claim, set, pod));
  return {
    create: [],
    reown: existing.filter((claim) => !isOwnershipUpToDate(claim, set, pod)),
    leaving: [],
    conflicting: conflicting.map(({ metadata }) => metadata.name ?? ""),
  };
}

/** Whether a claim is about to be deleted with an earlier pod of this name: a new pod would lose it. */
export function hasStaleClaim(set: StatefulSet, pod: Pod, lookup: ClaimLookup): boolean {
  return existingClaims(set, pod, lookup).some((claim) => isClaimStale(claim, set, pod));
}

/** The claim that the template describes for this pod, with the owners that the retention policy gives it. */
export function claimFor(set: StatefulSet, pod: Pod, template: PersistentVolumeClaim): PersistentVolumeClaim {
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
export function storageMatches(set: StatefulSet, pod: Pod): boolean {
  const volumes = new Map(pod.spec?.volumes?.map((volume) => [volume.name, volume]));
  return claimTemplates(set).every((template) => {
    const mounted = volumes.get(template.metadata.name ?? "")?.persistentVolumeClaim?.claimName;
    return mounted === claimName(set, template, placeOf(pod));
  });
}

/** The pod with its own claims mounted, in place of volumes of the same names. */
export function withStorage(set: StatefulSet, pod: Pod): Pod {
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

function existingClaims(set: StatefulSet, pod: Pod, lookup: ClaimLookup): readonly PersistentVolumeClaim[] {
  return claimTemplates(set).flatMap((template) => lookup(claimName(set, template, placeOf(pod))) ?? []);
}
