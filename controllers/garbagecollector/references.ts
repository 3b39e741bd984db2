import type { OwnerReference } from "../../pkg/api/object.ts";
import {
  type ObjectIdentity,
  compareIdentities,
  identityKey,
  matchesReference,
  referredIdentity,
} from "./identity.ts";

export interface ReferenceChanges {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  /** Owners that stay but no longer wait for this object. */
  readonly unblocked: readonly OwnerReference[];
}

/** What became of an object's owners, told apart by uid. */
export function referenceChanges(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): ReferenceChanges {
  const old = new Map(before.map((reference) => [reference.uid, reference]));
  const removed = new Map(old);
  const added: OwnerReference[] = [];
  const unblocked: OwnerReference[] = [];
  for (const reference of after) {
    const { uid, blockOwnerDeletion } = reference;
    // A uid that is there twice was added the second time: the two may contradict each other.
    if (!removed.delete(uid)) added.push(reference);
    else if (blockOwnerDeletion !== true && old.get(uid)?.blockOwnerDeletion === true)
      unblocked.push(reference);
  }
  return { added, removed: [...removed.values()], unblocked };
}

/** An object that may depend on others. */
interface Dependent {
  readonly identity: ObjectIdentity;
  readonly owners: readonly OwnerReference[];
}

export interface DependentsByMatch<T> {
  /** They name exactly this owner. */
  readonly matching: readonly T[];
  /** They name its uid, with something else that does not fit. One that names it both ways is in both lists. */
  readonly nonmatching: readonly T[];
}

export function partitionDependents<T extends Dependent>(
  dependents: Iterable<T>,
  owner: ObjectIdentity,
): DependentsByMatch<T> {
  const matching: T[] = [];
  const nonmatching: T[] = [];
  for (const dependent of dependents) {
    // An owner with a namespace owns nothing elsewhere.
    const isElsewhere = owner.namespace !== "" && owner.namespace !== dependent.identity.namespace;
    const named = dependent.owners.filter(({ uid }) => uid === owner.uid);
    const fits = isElsewhere ? [] : named.filter((reference) => matchesReference(reference, owner));
    if (fits.length > 0) matching.push(dependent);
    if (isElsewhere || fits.length < named.length) nonmatching.push(dependent);
  }
  return { matching, nonmatching };
}

/**
 * Who else could be meant by the dependents of an owner that turned out not to exist: the first after it in the order
 * of identities, or else the first of all, so that all of them get their turn.
 */
export function alternateIdentity(
  dependents: Iterable<Dependent>,
  absent: ObjectIdentity,
): ObjectIdentity | undefined {
  const candidates = new Map<string, ObjectIdentity>();
  for (const { identity, owners } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== absent.uid) continue;
      // That the kind has no namespaces is known from the identity that was looked for.
      const isClusterScoped =
        absent.namespace === "" &&
        reference.kind === absent.kind &&
        reference.apiVersion === absent.apiVersion;
      const candidate = referredIdentity(reference, isClusterScoped ? "" : identity.namespace);
      candidates.set(identityKey(candidate), candidate);
    }
  }
  candidates.delete(identityKey(absent));
  const ordered = [...candidates.values()].toSorted(compareIdentities);
  return ordered.find((candidate) => compareIdentities(absent, candidate) < 0) ?? ordered[0];
}
