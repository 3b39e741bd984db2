import { revisionJson, revisionName, sameData } from "../../api/controller-revision.ts";
import { goJson } from "../../api/go-json.ts";
import { hashRevisionData } from "../../api/hash.ts";
import type { Int64 } from "../../api/int64.ts";
import type { PartialObject, Stored, StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { resources } from "../../api/resources.ts";
import type { ControllerRevision } from "../../api/types/apps-v1.gen.ts";
import { isAlreadyExists, isConflict } from "../../client/errors.ts";
import type { ResourceClient, WriteOptions } from "../../client/resource-client.ts";
import type { Cache, OwnerCache } from "../cache.ts";
import { OwnedObjects } from "../owned-objects.ts";
import type { WritingKit } from "../recorded-writes.ts";
import type { OwnerSync } from "../sync.ts";

/** The server keeps a revision's data in the bytes that come, and others compare these bytes. */
const IN_GO_BYTES: WriteOptions = { encode: goJson };

const MAX_CONFLICTS = 5;

export interface OwnedRevisionsOptions<O extends PartialObject> {
  readonly owners: OwnerCache<O>;
  readonly revisions: Cache<ControllerRevision>;
}

export interface CreatedRevision {
  readonly revision: Stored<ControllerRevision>;
  /** As given, and one more for each name that other data had. */
  readonly collisionCount: number;
}

/** The history of owners: the templates that their pods had, and have. */
export class OwnedRevisions<O extends PartialObject> extends OwnedObjects<
  O,
  ControllerRevision,
  ControllerRevision
> {
  readonly #client: Pick<ResourceClient<ControllerRevision>, "get">;

  constructor(kit: WritingKit, { owners, revisions }: OwnedRevisionsOptions<O>) {
    super(kit, { owners, objects: revisions, writing: IN_GO_BYTES });
    this.#client = kit.env.client.clientFor(resources.controllerRevisions);
  }

  /** What has the revision's name by now, whoever's it is: asked when a create was refused for that name. */
  async underNameOf(
    { metadata }: ControllerRevision,
    signal: AbortSignal,
  ): Promise<Stored<ControllerRevision>> {
    const { namespace = "", name = "" } = metadata;
    return this.#client.get({ namespace, name }, {}, signal);
  }

  /**
   * Creates the revision under the name that its hash gives it. Where a revision of that name holds other data, the next
   * collision count gives another name; where it holds the same, that one is it.
   * upstream: pkg/controller/history/controller_history.go#CreateControllerRevision leaves the label of the first hash.
   */
  async createUnique(
    sync: OwnerSync<O>,
    draft: ControllerRevision,
    collisionCount: number,
  ): Promise<CreatedRevision> {
    const { owner, signal } = sync;
    for (let count = collisionCount; ; count++) {
      const named = underHash(owner, draft, count);
      try {
        return { revision: await this.create(sync, named), collisionCount: count };
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      const existing = await this.underNameOf(named, signal);
      // One of another owner that had this name goes with that.
      const isOthers = (controllerOf(existing)?.uid ?? owner.metadata.uid) !== owner.metadata.uid;
      if (!isOthers && sameData(existing.data, named.data))
        return { revision: this.wrote(sync, existing), collisionCount: count };
    }
  }

  /** Gives the revision another number, on top of what the server has by then. */
  async renumber(
    sync: OwnerSync<O>,
    revision: Stored<ControllerRevision>,
    number: Int64,
  ): Promise<Stored<ControllerRevision>> {
    let latest = revision;
    for (let conflicts = 0; latest.revision !== number; conflicts++) {
      try {
        return await this.update(sync, { ...latest, revision: number });
      } catch (error) {
        if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error;
        const live = await this.live(sync, revision);
        if (live === undefined) throw error;
        latest = live;
      }
    }
    return this.wrote(sync, latest);
  }
}

function underHash(
  owner: StoredObject,
  draft: ControllerRevision,
  collisionCount: number,
): ControllerRevision {
  const hash = hashRevisionData(revisionJson(draft.data), collisionCount);
  return { ...draft, metadata: { ...draft.metadata, name: revisionName(owner.metadata.name, hash) } };
}
