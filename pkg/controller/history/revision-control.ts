import { revisionJson, revisionName, sameData } from "../../api/controller-revision.ts";
import { hashRevisionData } from "../../api/hash.ts";
import type { Int64 } from "../../api/int64.ts";
import { goJson } from "../../api/go-json.ts";
import type { ApiObject, ObjectRef } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { ControllerRevision } from "../../api/types/apps-v1.gen.ts";
import { isAlreadyExists, isConflict } from "../../client/errors.ts";
import type { ResourceClient, WriteOptions } from "../../client/resource-client.ts";
import { identityOf, readLive } from "../read-live.ts";

type Revisions = Pick<ResourceClient<ControllerRevision>, "get" | "create" | "update">;

/** For every write of a revision: the server keeps its data in the bytes that come, and others compare these bytes. */
const IN_GO_BYTES: WriteOptions = { encode: goJson };

const MAX_CONFLICTS = 5;

/** Writes a new revision under the name that it has. */
export async function createRevision(
  client: Pick<Revisions, "create">,
  revision: ControllerRevision,
  signal: AbortSignal,
): Promise<ControllerRevision> {
  return client.create(revision, IN_GO_BYTES, signal);
}

/** Writes a revision that exists, such as under another number. */
export async function updateRevision(
  client: Pick<Revisions, "update">,
  revision: ControllerRevision,
  signal: AbortSignal,
): Promise<ControllerRevision> {
  return client.update(revision, IN_GO_BYTES, signal);
}

export interface CreatedRevision {
  readonly revision: ControllerRevision;
  /** As given, and one more for each name that other data had. */
  readonly collisionCount: number;
}

/**
 * Creates the revision under the name that its hash gives it. Where a revision of that name holds other data, the next
 * collision count gives another name; where it holds the same, that one is it.
 * upstream: pkg/controller/history/controller_history.go#CreateControllerRevision leaves the label of the first hash.
 */
export async function createUniqueRevision(
  client: Pick<Revisions, "get" | "create">,
  owner: ApiObject,
  revision: ControllerRevision,
  collisionCount: number,
  signal: AbortSignal,
): Promise<CreatedRevision> {
  for (let count = collisionCount; ; count++) {
    const named = underHash(owner, revision, count);
    try {
      return { revision: await createRevision(client, named, signal), collisionCount: count };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await client.get(refOf(named), {}, signal);
    // One of another owner that had this name goes with that.
    const isOthers = (controllerOf(existing)?.uid ?? owner.metadata.uid) !== owner.metadata.uid;
    if (!isOthers && sameData(existing.data, named.data))
      return { revision: existing, collisionCount: count };
  }
}

/** Gives the revision another number, on top of what the server has by then. */
export async function renumberRevision(
  client: Pick<Revisions, "get" | "update">,
  revision: ControllerRevision,
  number: Int64,
  signal: AbortSignal,
): Promise<ControllerRevision> {
  let latest = revision;
  for (let conflicts = 0; latest.revision !== number; conflicts++) {
    try {
      return await updateRevision(client, { ...latest, revision: number }, signal);
    } catch (error) {
      if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error;
      const live = await readLive(client, identityOf(revision), signal);
      if (live === undefined) throw error;
      latest = live;
    }
  }
  return latest;
}

function underHash(
  owner: ApiObject,
  revision: ControllerRevision,
  collisionCount: number,
): ControllerRevision {
  const hash = hashRevisionData(revisionJson(revision.data), collisionCount);
  const name = revisionName(owner.metadata.name ?? "", hash);
  return { ...revision, metadata: { ...revision.metadata, name } };
}

function refOf({ metadata }: ControllerRevision): ObjectRef {
  const { namespace = "", name = "" } = metadata;
  return { namespace, name };
}
