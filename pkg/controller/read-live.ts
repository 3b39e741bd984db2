import type { ApiObject, PartialObject, Stored } from "../api/object.ts";
import { ApiError, isInvalid, isNotFound, isUnmetPrecondition } from "../client/errors.ts";
import type { ResourceClient } from "../client/resource-client.ts";

/** What is known of an object, from a cache or a reference. An object itself has one: its metadata. */
export interface Identity {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Required on purpose: a name is not an identity. */
  readonly uid: string | undefined;
}

/** The identity of an object that was read before. */
export function identityOf({ metadata: { namespace, name, uid } }: PartialObject): Identity {
  return { namespace, name, uid };
}

/**
 * The very object as the server has it now, past the cache. Undefined when it is gone, be it that another one has taken
 * its name since.
 */
export async function readLive<T extends ApiObject>(
  client: Pick<ResourceClient<T>, "get">,
  { namespace, name = "", uid }: Identity,
  signal: AbortSignal,
): Promise<Stored<T> | undefined> {
  let live: Stored<T>;
  try {
    live = await client.get({ ...(namespace && { namespace }), name }, {}, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  return uid !== undefined && live.metadata.uid === uid ? live : undefined;
}

/** What a deletion with the uid as its precondition is answered with where the very object is gone. */
export function isGone(error: unknown): boolean {
  return isNotFound(error) || isUnmetPrecondition(error);
}

/** What a patch that names the uid is answered with where the very object is gone: the uid of another cannot be changed. */
export function isGoneOrReplaced(error: unknown): boolean {
  if (isNotFound(error)) return true;
  return (
    error instanceof ApiError &&
    isInvalid(error) &&
    error.causes.some(({ field }) => field === "metadata.uid")
  );
}

export interface LiveChange<T extends ApiObject> {
  readonly client: Pick<ResourceClient<T>, "get">;
  readonly identity: Identity;
  /** What the object is to become; undefined when nothing is to be written. */
  readonly change: (live: Stored<T>) => T | undefined;
  /** Such as client.update or client.updateStatus. */
  readonly write: (changed: T, signal: AbortSignal) => Promise<Stored<T>>;
}

/**
 * Reads the very object and writes what becomes of it: the one way in which something that was read by its name is
 * written. The write carries uid and version of what was read, so that the server refuses it when somebody was quicker.
 * Gives the object as it is then; undefined when it is gone, and nothing was written.
 */
export async function readThenWrite<T extends ApiObject>(
  { client, identity, change, write }: LiveChange<T>,
  signal: AbortSignal,
): Promise<Stored<T> | undefined> {
  const live = await readLive(client, identity, signal);
  if (live === undefined) return undefined;
  const changed = change(live);
  if (changed === undefined) return live;
  const { uid, resourceVersion } = live.metadata;
  return write({ ...changed, metadata: { ...changed.metadata, uid, resourceVersion } }, signal);
}
