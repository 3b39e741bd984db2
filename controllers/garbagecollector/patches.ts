import type { PartialObject, OwnerReference } from "../../pkg/api/object.ts";

/** The body of a patch that touches metadata alone. */
export interface MetadataPatch {
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Strategic merge: strikes off owners. The uid makes the server refuse it for another object of that name. */
export function disownPatch(uid: string, ownerUids: readonly string[]): MetadataPatch {
  return {
    metadata: { uid, ownerReferences: ownerUids.map((ownerUid) => ({ $patch: "delete", uid: ownerUid })) },
  };
}

/** Strategic merge: the owners need not wait for the object any more. */
export function unblockPatch(uid: string, owners: readonly OwnerReference[]): MetadataPatch {
  const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  return { metadata: { uid, ownerReferences: blocking.map(unblocked) } };
}

/** JSON merge, which replaces the list as a whole, so that the version must be the one that was read. */
export function disownMergePatch(
  metadata: PartialObject["metadata"],
  ownerUids: readonly string[],
): MetadataPatch {
  const { ownerReferences = [] } = metadata;
  return ownersMergePatch(
    metadata,
    ownerReferences.filter(({ uid }) => !ownerUids.includes(uid)),
  );
}

export function unblockMergePatch(metadata: PartialObject["metadata"]): MetadataPatch {
  return ownersMergePatch(metadata, (metadata.ownerReferences ?? []).map(unblocked));
}

export function withoutFinalizerPatch(metadata: PartialObject["metadata"], finalizer: string): MetadataPatch {
  const { resourceVersion, finalizers = [] } = metadata;
  const others = finalizers.filter((name) => name !== finalizer);
  return { metadata: { resourceVersion, finalizers: others.length === 0 ? null : others } };
}

function ownersMergePatch(
  metadata: PartialObject["metadata"],
  owners: readonly OwnerReference[],
): MetadataPatch {
  const { resourceVersion } = metadata;
  return { metadata: { resourceVersion, ownerReferences: owners.length === 0 ? null : owners } };
}

function unblocked(reference: OwnerReference): OwnerReference {
  return { ...reference, blockOwnerDeletion: false };
}
