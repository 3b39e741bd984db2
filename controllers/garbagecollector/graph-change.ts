import { semanticEqual } from "../../pkg/api/equality.ts";
import type { PartialObject, OwnerReference } from "../../pkg/api/object.ts";
import { describeIdentity, identityOf, type ObjectIdentity } from "./identity.ts";

/** The finalizer under which an object waits for its dependents to go. */
export const FOREGROUND = "foregroundDeletion";
/** The finalizer under which an object waits for its dependents to be made orphans. */
export const ORPHAN = "orphan";

/** What is remembered of an object that an informer has shown. */
export interface Sighting {
  readonly owners: readonly OwnerReference[];
  readonly beingDeleted: boolean;
  /** A deletion under this finalizer began with this sighting. */
  readonly startsForeground: boolean;
  readonly startsOrphaning: boolean;
  readonly waitsForDependents: boolean;
}

/**
 * Something that the graph has yet to learn: an object was seen or deleted, or (absent) the server does not have it, or
 * (unlisted) an informer that took up its work again does not have it.
 */
export class GraphChange {
  readonly type: "seen" | "deleted" | "absent" | "unlisted";
  readonly identity: ObjectIdentity;
  readonly sighting: Sighting | undefined;

  private constructor(type: GraphChange["type"], identity: ObjectIdentity, sighting?: Sighting) {
    this.type = type;
    this.identity = identity;
    this.sighting = sighting;
  }

  static seen(object: PartialObject, before?: PartialObject): GraphChange {
    return new GraphChange("seen", identityOf(object), {
      owners: object.metadata.ownerReferences ?? [],
      beingDeleted: isBeingDeleted(object),
      startsForeground: startsWaiting(object, before, FOREGROUND),
      startsOrphaning: startsWaiting(object, before, ORPHAN),
      waitsForDependents: isBeingDeleted(object) && hasFinalizer(object, FOREGROUND),
    });
  }

  static deleted(object: PartialObject): GraphChange {
    return new GraphChange("deleted", identityOf(object));
  }

  static absent(identity: ObjectIdentity): GraphChange {
    return new GraphChange("absent", identity);
  }

  static unlisted(identity: ObjectIdentity): GraphChange {
    return new GraphChange("unlisted", identity);
  }

  toString(): string {
    return `${this.type} ${describeIdentity(this.identity)}`;
  }
}

export function hasFinalizer(object: PartialObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

export function isBeingDeleted(object: PartialObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** An informer may show a creation and a deletion as one: then there is no state before. */
function startsWaiting(after: PartialObject, before: PartialObject | undefined, finalizer: string): boolean {
  if (!isBeingDeleted(after) || !hasFinalizer(after, finalizer)) return false;
  return before === undefined || !isBeingDeleted(before) || !hasFinalizer(before, finalizer);
}

/** Most updates change neither owners nor anything about a deletion. */
export function concernsGraph(before: PartialObject, after: PartialObject): boolean {
  const { ownerReferences: formerOwners, finalizers: formerFinalizers } = before.metadata;
  const { ownerReferences, finalizers } = after.metadata;
  return (
    isBeingDeleted(before) !== isBeingDeleted(after) ||
    !semanticEqual(formerOwners, ownerReferences) ||
    !semanticEqual(formerFinalizers, finalizers)
  );
}
