import { semanticEqual } from "../../pkg/api/equality.ts";
import type { ApiObject, ObjectMeta, ObjectRef, PartialObject } from "../../pkg/api/object.ts";
import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import { isConflict, isNotFound, isUnreachable, isUnsupportedMediaType } from "../../pkg/client/errors.ts";
import type { PropagationPolicy } from "../../pkg/api/propagation-policy.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import { readLive } from "../../pkg/controller/read-live.ts";
import { jitter } from "../../pkg/clock/random.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import type { CollectorContext } from "./context.ts";
import { describeIdentity, type ObjectIdentity } from "./identity.ts";
import {
  disownMergePatch,
  disownPatch,
  type MetadataPatch,
  unblockMergePatch,
  unblockPatch,
  withoutFinalizerPatch,
} from "./patches.ts";

/** How long to wait before the second, third and fourth try of a write that met a conflict, and a tenth more. */
const CONFLICT_DELAYS_MS = [10, 50, 250];

/** No resource of that kind is known: it is not served yet, not any more, or never was. */
export class UnknownKindError extends Error {
  readonly code = "UnknownKind";
  constructor(apiVersion: string, kind: string, cause?: unknown) {
    super(
      `unable to get REST mapping for ${apiVersion}/${kind}.`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "UnknownKindError";
  }
}

/** Nothing can be found out about an owner whose namespace nobody knows. */
export class ClusterScopedDependentError extends Error {
  readonly code = "ClusterScopedDependent";
  constructor(dependent: ObjectIdentity, owner: { readonly kind: string; readonly name: string }) {
    super(`${describeIdentity(dependent)} cannot refer to the namespaced owner ${owner.kind} ${owner.name}`);
    this.name = "ClusterScopedDependentError";
  }
}

/** Throws an UnknownKindError when the kind is unknown or the server, which is there, could not tell. */
export async function resourceOf(
  { mapper, monitors }: Pick<CollectorContext, "mapper" | "monitors">,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  signal: AbortSignal,
): Promise<Resource> {
  let resource: Resource | undefined;
  try {
    resource = await mapper.resourceOf(apiVersion, kind, signal);
  } catch (cause) {
    signal.throwIfAborted();
    if (isUnreachable(cause)) throw cause;
    // What is watched is served, whether the server tells of it or not.
    const isMeant = (each: Resource): boolean => each.kind === kind && apiVersionOf(each) === apiVersion;
    const monitor = monitors.all().find((each) => isMeant(each.resource));
    if (monitor !== undefined) return monitor.resource;
    throw new UnknownKindError(apiVersion, kind, cause);
  }
  if (resource === undefined) throw new UnknownKindError(apiVersion, kind);
  return resource;
}

/** The object's metadata; undefined when the server does not have it, be it that another has taken its name. */
export async function readObject(
  context: CollectorContext,
  identity: ObjectIdentity,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  const { client, ref } = await locate(context, identity, signal);
  if (client.resource.namespaced && ref.namespace === undefined)
    throw new ClusterScopedDependentError(identity, identity);
  return readLive(client, { ...ref, uid: identity.uid }, signal);
}

export interface Deletion {
  readonly identity: ObjectIdentity;
  /** The metadata of the object as it was read. */
  readonly read: ObjectMeta;
  readonly policy: PropagationPolicy;
}

/**
 * Deletes the object as it was read. A change that left its owners alone does not save it: an object that is updated all
 * the time would never go.
 */
export async function deleteObject(
  context: CollectorContext,
  { identity, read, policy: propagationPolicy }: Deletion,
  signal: AbortSignal,
): Promise<void> {
  const { client, ref } = await locate(context, identity, signal);
  const { uid } = identity;
  const { resourceVersion = "" } = read;
  const preconditions = resourceVersion === "" ? { uid } : { uid, resourceVersion };
  try {
    await client.delete(ref, { preconditions, propagationPolicy }, signal);
  } catch (error) {
    if (!isConflict(error) || resourceVersion === "") throw error;
    const live = await readObject(context, identity, signal);
    // Gone, or replaced: the next look finds that out.
    if (live === undefined || live.metadata.resourceVersion === resourceVersion) throw error;
    if (!semanticEqual(live.metadata.ownerReferences, read.ownerReferences)) throw error;
    await client.delete(ref, { preconditions: { uid }, propagationPolicy }, signal);
  }
}

/** Strikes these owners off the object. */
export async function disown(
  context: CollectorContext,
  identity: ObjectIdentity,
  ownerUids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const strategic = disownPatch(identity.uid, ownerUids);
  const merge = (metadata: PartialObject["metadata"]): MetadataPatch => disownMergePatch(metadata, ownerUids);
  await patchOwners(context, { identity, strategic, merge }, signal);
}

/** Lets no owner of the object wait for it any more. */
export async function unblockOwners(
  context: CollectorContext,
  latest: ApiObject,
  identity: ObjectIdentity,
  signal: AbortSignal,
): Promise<void> {
  const { ownerReferences = [] } = latest.metadata;
  const strategic = unblockPatch(identity.uid, ownerReferences);
  await patchOwners(context, { identity, strategic, merge: unblockMergePatch }, signal);
}

/** Takes a finalizer off. An object that is gone, or whose name another one has taken, needs nothing more. */
export async function removeFinalizer(
  context: CollectorContext,
  identity: ObjectIdentity,
  finalizer: string,
  signal: AbortSignal,
): Promise<void> {
  const { client, ref } = await locate(context, identity, signal);
  for (let attempt = 0; ; attempt++) {
    const latest = await readObject(context, identity, signal);
    if (latest === undefined) return;
    if (!(latest.metadata.finalizers ?? []).includes(finalizer)) return;
    const body = withoutFinalizerPatch(latest.metadata, finalizer);
    try {
      await client.patch(ref, { type: "merge", body }, {}, signal);
      return;
    } catch (error) {
      const delayMs = CONFLICT_DELAYS_MS[attempt];
      if (isNotFound(error)) return;
      if (!isConflict(error) || delayMs === undefined) throw error;
      await sleep(context.clock, jitter(context.random, delayMs, 0.1), signal);
    }
  }
}

interface OwnersPatch {
  readonly identity: ObjectIdentity;
  /** Touches nothing but the owners named. */
  readonly strategic: MetadataPatch;
  /** For custom resources, which know JSON merge only. */
  readonly merge: (metadata: PartialObject["metadata"]) => MetadataPatch;
}

async function patchOwners(
  context: CollectorContext,
  { identity, strategic, merge }: OwnersPatch,
  signal: AbortSignal,
): Promise<void> {
  const { client, ref } = await locate(context, identity, signal);
  try {
    await client.patch(ref, { type: "strategic", body: strategic }, {}, signal);
  } catch (error) {
    if (!isUnsupportedMediaType(error)) throw error;
    const lister = context.monitors.find(client.resource)?.informer.lister;
    const cached = lister?.get(identity.namespace, identity.name);
    const known =
      cached?.metadata.uid === identity.uid ? cached : await readObject(context, identity, signal);
    if (known === undefined) return;
    await client.patch(ref, { type: "merge", body: merge(known.metadata) }, {}, signal);
  }
}

async function locate(
  context: CollectorContext,
  identity: ObjectIdentity,
  signal: AbortSignal,
): Promise<{ readonly client: ResourceClient; readonly ref: ObjectRef }> {
  const resource = await resourceOf(context, identity, signal);
  const { namespace, name } = identity;
  const ref = resource.namespaced && namespace !== "" ? { namespace, name } : { name };
  return { client: context.client.metadata(resource), ref };
}
