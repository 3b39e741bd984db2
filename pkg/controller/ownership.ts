import { messageOf, throwAll } from "../api/errors.ts";
import type { OwnerReference, PartialObject, StoredObject } from "../api/object.ts";
import { controllerOf, newControllerRef } from "../api/owner-references.ts";
import type { Resource } from "../api/resource.ts";
import { isInvalid, isNotFound } from "../client/errors.ts";
import type { Patch, ResourceClient } from "../client/resource-client.ts";
import type { Logger } from "../log/logger.ts";
import { identityOf, isGoneOrReplaced, readLive } from "./read-live.ts";

export type Claim = "keep" | "adopt" | "release";

/**
 * What an owner does with an object that it may own: keep what is its own and matches, release what is its own and no
 * longer matches, adopt an orphan that matches. What belongs to others is left alone. An owner that is being deleted
 * changes nothing, and nobody adopts what is being deleted.
 */
export function decideClaim<T extends PartialObject>(
  owner: StoredObject,
  object: T,
  matches: (object: T) => boolean,
): Claim | undefined {
  const ownerIsLeaving = owner.metadata.deletionTimestamp !== undefined;
  const controller = controllerOf(object);
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) return undefined;
    if (matches(object)) return "keep";
    return ownerIsLeaving ? undefined : "release";
  }
  if (ownerIsLeaving || !matches(object) || object.metadata.deletionTimestamp !== undefined) return undefined;
  // An owner without a namespace (cluster-scoped) may own in all of them.
  const elsewhere = owner.metadata.namespace && owner.metadata.namespace !== object.metadata.namespace;
  return elsewhere ? undefined : "adopt";
}

/** The uid makes the server refuse the patch when another object has taken the name since. */
export function adoptPatch(owner: OwnerReference, uid: string, finalizers: readonly string[] = []): Patch {
  return {
    type: "strategic",
    body: { metadata: { ownerReferences: [owner], uid, ...(finalizers.length > 0 && { finalizers }) } },
  };
}

export function releasePatch(
  ownerUids: readonly string[],
  uid: string,
  finalizers: readonly string[] = [],
): Patch {
  return {
    type: "strategic",
    body: {
      metadata: {
        uid,
        ownerReferences: ownerUids.map((ownerUid) => ({ $patch: "delete", uid: ownerUid })),
        ...(finalizers.length > 0 && { "$deleteFromPrimitiveList/finalizers": finalizers }),
      },
    },
  };
}

export interface Claimer<T extends StoredObject, Claimed extends StoredObject = T> {
  readonly owner: StoredObject;
  readonly ownerResource: Resource;
  /** Asked for the owner past the cache: at most once per claim, and only before an adoption. */
  readonly ownerClient: Pick<ResourceClient, "get">;
  /** Of the claimed objects. */
  readonly resource: Resource;
  /** Patches, takes note of that for the owner, and gives the object as the server has it then. */
  readonly patch: (object: T, patch: Patch) => Promise<Claimed>;
  /** Put on what is adopted, and taken off what is released. */
  readonly finalizers?: readonly string[];
  readonly log: Logger;
}

/**
 * Adopts and releases as decided, and gives the objects that are the owner's then: those that it had as they were given,
 * adopted ones as the server has answered, so that a later write is not refused for its age. What failed is thrown once
 * all objects were tried; objects that have vanished meanwhile are no failure.
 */
export async function claimObjects<T extends StoredObject, Claimed extends StoredObject = T>(
  claimer: Claimer<T, Claimed>,
  objects: readonly T[],
  matches: (object: T) => boolean,
  signal: AbortSignal,
): Promise<readonly (T | Claimed)[]> {
  const claimed: (T | Claimed)[] = [];
  const errors: unknown[] = [];
  let ownerStays: Promise<void> | undefined;
  for (const object of objects) {
    const claim = decideClaim(claimer.owner, object, matches);
    if (claim === undefined) continue;
    try {
      if (claim === "release") {
        await release(claimer, object);
        continue;
      }
      if (claim === "adopt") {
        ownerStays ??= checkOwner(claimer, signal);
        claimed.push(await adopt(claimer, object, ownerStays));
        continue;
      }
      claimed.push(object);
    } catch (error) {
      if (!isNotFound(error)) errors.push(error);
    }
  }
  throwAll(errors);
  return claimed;
}

async function adopt<T extends StoredObject, Claimed extends StoredObject>(
  claimer: Claimer<T, Claimed>,
  object: T,
  ownerStays: Promise<void>,
): Promise<Claimed> {
  const { namespace, name, uid } = object.metadata;
  try {
    await ownerStays;
  } catch (cause) {
    throw new OwnershipError(
      `can't adopt ${claimer.resource.kind} ${namespace ?? ""}/${name} (${uid}): ${messageOf(cause)}`,
      cause,
    );
  }
  const reference = newControllerRef(claimer.owner, claimer.ownerResource);
  return claimer.patch(object, adoptPatch(reference, uid, claimer.finalizers));
}

async function release<T extends StoredObject>(claimer: Claimer<T, StoredObject>, object: T): Promise<void> {
  const { namespace, name, uid } = object.metadata;
  claimer.log.verbose(2, "Releasing an object that no longer matches", {
    kind: claimer.resource.kind,
    namespace,
    name,
  });
  try {
    await claimer.patch(object, releasePatch([claimer.owner.metadata.uid], uid, claimer.finalizers));
  } catch (error) {
    if (isGoneOrReplaced(error)) return;
    if (!isInvalid(error)) throw error;
    // Upstream takes each such answer for an object that has no owner any more. The API server patches such a one in
    // silence, so this is about something else; but one object must not stop its owner.
    claimer.log.warn("An object that no longer matches cannot be released", {
      kind: claimer.resource.kind,
      namespace,
      name,
      error: messageOf(error),
    });
  }
}

/** The cached owner may be out of date: one that is being deleted, or was replaced, must adopt nothing. */
async function checkOwner(
  claimer: Pick<Claimer<never>, "owner" | "ownerClient" | "ownerResource">,
  signal: AbortSignal,
): Promise<void> {
  const { owner, ownerClient, ownerResource } = claimer;
  const { namespace = "", name } = owner.metadata;
  let fresh: PartialObject | undefined;
  try {
    fresh = await readLive(ownerClient, identityOf(owner), signal);
  } catch (cause) {
    throw new OwnershipError(`can't recheck DeletionTimestamp: ${messageOf(cause)}`, cause);
  }
  if (fresh === undefined) {
    throw new OwnershipError(
      `can't recheck DeletionTimestamp: original ${ownerResource.kind} ${namespace}/${name} is gone`,
    );
  }
  const { deletionTimestamp } = fresh.metadata;
  if (deletionTimestamp !== undefined)
    throw new OwnershipError(`${namespace}/${name} has just been deleted at ${deletionTimestamp}`);
}

export class OwnershipError extends Error {
  readonly code = "Ownership";
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "OwnershipError";
  }
}
