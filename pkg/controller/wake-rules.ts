import { SelectorError } from "../api/labels.ts";
import { type PartialObject, keyOf, type Stored } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { Logger } from "../log/logger.ts";
import type { OwnerCache, Wake, WakeRule } from "./cache.ts";
import type { Change } from "./change.ts";
import { labelsChanged, managerChanged, referencedOwner } from "./owner-lookup.ts";

/** Every change of an object is a reason to look at it. */
export function itself<T extends PartialObject>(change: Change<T>, wake: Wake): void {
  wake(keyOf(change.object));
}

/** The rule for some sorts of changes; the others wake nobody. */
export function onlyWhen<T extends PartialObject, K = string>(
  types: readonly Change<T>["type"][],
  rule: WakeRule<T, K>,
): WakeRule<T, K> {
  return (change, wake) => {
    if (types.includes(change.type)) rule(change, wake);
  };
}

/** Wakes the namespace that the object is in. */
export function itsNamespace<T extends PartialObject>(change: Change<T>, wake: Wake): void {
  wake(change.object.metadata.namespace ?? "");
}

export interface OwnerRule<O extends PartialObject, C extends PartialObject> {
  readonly owners: OwnerCache<O>;
  /** Whether the owner would adopt the object; a SelectorError means no. Absent: the owners adopt nothing. */
  readonly selects?: (owner: Stored<O>, object: Stored<C>) => boolean;
  /** Told of what was created and deleted, before the owner is woken. */
  readonly observer?: {
    creationObserved(owner: Stored<O>): void;
    deletionObserved(owner: Stored<O>, key: string): void;
  };
  /** Wakes the owner once more, after so many milliseconds, for an object that was updated. */
  readonly againAfterMs?: (owner: Stored<O>, before: Stored<C>, after: Stored<C>) => number | undefined;
  /** Whether the owner has anything to do with an object that goes; left out, it has. */
  readonly minds?: (owner: Stored<O>, object: Stored<C>) => boolean;
  /** Owners are woken after this long, so that several changes are looked at together. */
  readonly afterMs?: number;
  readonly log?: Logger;
}

/** How objects wake those who own them, as far as it is not the same for all. */
export type OwningRule<O extends PartialObject, C extends PartialObject> = Omit<
  OwnerRule<O, C>,
  "owners" | "observer" | "log"
>;

/**
 * A change of an object wakes the owner that controls it, or did so before the change. An object that nobody controls
 * wakes everyone who would adopt it. One that is being deleted counts as gone: its owner need not wait for its end.
 */
export function itsOwner<O extends PartialObject, C extends PartialObject>(
  rule: OwnerRule<O, C>,
): WakeRule<C> {
  const { lister, resource } = rule.owners;
  const ownerOf = (object: Stored<C>): Stored<O> | undefined => {
    const namespace = resource.namespaced ? object.metadata.namespace : undefined;
    return referencedOwner(lister, resource.kind, namespace, controllerOf(object));
  };

  const gone = (object: Stored<C>, wake: Wake): void => {
    const owner = ownerOf(object);
    if (owner === undefined || rule.minds?.(owner, object) === false) return;
    rule.observer?.deletionObserved(owner, keyOf(object));
    wake(keyOf(owner), rule.afterMs);
  };
  const added = (object: Stored<C>, wake: Wake): void => {
    // After a restart an object may be seen for the first time while it is being deleted: no creation to be counted.
    if (object.metadata.deletionTimestamp !== undefined) return gone(object, wake);
    if (controllerOf(object) === undefined) return wakeAdopters(rule, object, wake);
    const owner = ownerOf(object);
    if (owner === undefined) return;
    rule.observer?.creationObserved(owner);
    wake(keyOf(owner), rule.afterMs);
  };
  const updated = (before: Stored<C>, after: Stored<C>, wake: Wake): void => {
    const hasMoved = managerChanged(before, after);
    const isOpenToOthers = hasMoved || labelsChanged(before, after);
    if (after.metadata.deletionTimestamp !== undefined) {
      gone(after, wake);
      // It was taken away and deleted between two looks: its former owner lacks it.
      if (hasMoved) gone(before, wake);
      return;
    }
    const former = hasMoved ? ownerOf(before) : undefined;
    if (former !== undefined) wake(keyOf(former), rule.afterMs);
    if (controllerOf(after) === undefined) {
      if (isOpenToOthers) wakeAdopters(rule, after, wake);
      return;
    }
    const owner = ownerOf(after);
    if (owner === undefined) return;
    wake(keyOf(owner), rule.afterMs);
    const againAfterMs = rule.againAfterMs?.(owner, before, after);
    if (againAfterMs !== undefined) wake(keyOf(owner), againAfterMs);
  };

  return (change, wake) => {
    if (change.type === "added") added(change.object, wake);
    else if (change.type === "deleted") gone(change.object, wake);
    else if (!change.resync) updated(change.before, change.object, wake);
  };
}

function wakeAdopters<O extends PartialObject, C extends PartialObject>(
  rule: OwnerRule<O, C>,
  orphan: Stored<C>,
  wake: Wake,
): void {
  const adopters = adoptersOf(rule, orphan);
  if (adopters.length > 1) {
    rule.log?.warn("More than one owner selects an object that nobody controls", {
      object: keyOf(orphan),
      kind: rule.owners.resource.kind,
      owners: adopters.map(keyOf),
    });
  }
  for (const owner of adopters) wake(keyOf(owner), rule.afterMs);
}

/** The owners of the orphan's namespace that select it. An object without labels is selected by nobody. */
export function adoptersOf<O extends PartialObject, C extends PartialObject>(
  { owners, selects }: Pick<OwnerRule<O, C>, "owners" | "selects">,
  orphan: Stored<C>,
): readonly Stored<O>[] {
  const { namespace = "", labels = {} } = orphan.metadata;
  if (selects === undefined || Object.keys(labels).length === 0) return [];
  return owners.lister.inNamespace(namespace).filter((owner) => {
    try {
      return selects(owner, orphan);
    } catch (error) {
      if (error instanceof SelectorError) return false;
      throw error;
    }
  });
}
