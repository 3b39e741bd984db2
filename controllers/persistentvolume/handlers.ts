import { keyOf } from "../../pkg/api/object.ts";
import { claimKeysOf } from "../../pkg/api/pod-claims.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import {
  BIND_COMPLETED,
  claimKeyOf,
  isAnnotated,
  isDefaultClass,
  isDelayed,
  VOLUMES_OF_CLAIM,
} from "../../pkg/api/volumes/claim-facts.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { offerIfFree, type PersistentVolumeContext } from "./context.ts";
import { type CachedPod, CLAIMS_OF_VOLUME, isOver, UNBOUND_OF_CLASS } from "./fields.ts";

/** What is known of volumes follows each of their changes, before anybody is woken by it. */
export function followVolume(change: Change<PersistentVolume>, context: PersistentVolumeContext): void {
  const { free, latest, times, collector } = context;
  const { name, uid } = change.object.metadata;
  const cached = context.volumes.lister.get(undefined, name);
  latest.seen(name, cached);
  const known = latest.of(name, cached);
  if (known === undefined) free.forget(name);
  else free.show(known);
  if (change.type === "deleted") times.succeeded(uid);
  collector.volume(change);
}

/** A volume wakes the claim that it is bound to or kept for, those that name it, and one that it may be for. */
export function volumeRule(context: PersistentVolumeContext): WakeRule<PersistentVolume> {
  const { claims } = context;
  return (change, wake) => {
    const { object } = change;
    const { name } = object.metadata;
    const key = claimKeyOf(object);
    if (key !== undefined) wake(key);
    for (const claim of claims.lister.byIndex(CLAIMS_OF_VOLUME, name)) wake(keyOf(claim));
    if (change.type !== "deleted") offerIfFree(context, name, wake);
  };
}

/** A claim that comes, goes or gets another volume wakes its volumes. */
export function claimRule({ volumes }: PersistentVolumeContext): WakeRule<PersistentVolumeClaim> {
  return (change, wake) => {
    const { object } = change;
    if (change.type === "updated" && change.before.spec?.volumeName === object.spec?.volumeName) return;
    const named = object.spec?.volumeName ?? "";
    if (named !== "") wake(named);
    for (const { metadata } of volumes.lister.byIndex(VOLUMES_OF_CLAIM, keyOf(object)))
      if (metadata.name !== named) wake(metadata.name);
  };
}

/**
 * A class wakes the claims that are not bound and name it; a default class, those that name none. Claims of one that is gone
 * wait for no pod any more.
 */
export function classRule({ claims }: PersistentVolumeContext): WakeRule<StorageClass> {
  return ({ type, object }, wake) => {
    const names =
      type !== "deleted" && isDefaultClass(object) ? [object.metadata.name, ""] : [object.metadata.name];
    for (const name of names)
      for (const claim of claims.lister.byIndex(UNBOUND_OF_CLASS, name)) wake(keyOf(claim));
  };
}

/** A pod that comes tells claims that wait for a first one that it is there. */
export function podRule({ claims, classes }: PersistentVolumeContext): WakeRule<CachedPod> {
  return ({ type, object }, wake) => {
    if (type !== "added" || (object.spec?.nodeName ?? "") !== "") return;
    for (const key of claimKeysOf(object)) {
      const claim = claims.lister.getByKey(key);
      if (claim === undefined || isAnnotated(claim, BIND_COMPLETED)) continue;
      if (isDelayed(classes.lister.get(undefined, claim.spec?.storageClassName ?? ""))) wake(key);
    }
  };
}

/** A pod that ends lets go of volumes that are to be recycled. */
export function podEndRule({ volumes }: PersistentVolumeContext): WakeRule<CachedPod> {
  return ({ type, object }, wake) => {
    if (type !== "deleted" && !isOver(object)) return;
    for (const key of claimKeysOf(object))
      for (const { metadata, spec } of volumes.lister.byIndex(VOLUMES_OF_CLAIM, key))
        if (spec?.persistentVolumeReclaimPolicy === "Recycle") wake(metadata.name);
  };
}
