import type { ApiObject, PartialObject, Stored } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import type { ResourceClient, WriteOptions } from "../client/resource-client.ts";
import type { Logger } from "../log/logger.ts";
import type { Cache, OwnerCache, WakeRule } from "./cache.ts";
import { CONTROLLER_INDEX, controllerIndex, ownedBy, ownedByOrFree } from "./controller-index.ts";
import { type Claimer, claimObjects } from "./ownership.ts";
import { RecordedWrites, type Writer, type WritingKit } from "./recorded-writes.ts";
import type { OwnerSync } from "./sync.ts";
import { itsOwner, type OwningRule } from "./wake-rules.ts";

export interface OwnedObjectsOptions<
  O extends PartialObject,
  C extends PartialObject,
  Whole extends ApiObject,
> {
  readonly owners: OwnerCache<O>;
  readonly objects: Cache<C, Whole>;
  /** For what is created and updated. */
  readonly writing?: WriteOptions;
}

/**
 * The objects that owners keep. What is written through it is written for the owner of the sync, carries the uid of the
 * very object, and is remembered: the next sync of the owner waits until the cache has seen it. Objects are read as the
 * cache has them, and written whole.
 */
export class OwnedObjects<
  O extends PartialObject,
  C extends PartialObject,
  Whole extends ApiObject,
> extends RecordedWrites<Whole> {
  readonly #options: OwnedObjectsOptions<O, C, Whole>;
  readonly #log: Logger;
  readonly #ownerClient: Pick<ResourceClient, "get">;

  constructor(kit: WritingKit, options: OwnedObjectsOptions<O, C, Whole>) {
    super(kit, options.objects.resource, options.writing);
    this.#options = options;
    this.#log = kit.env.log;
    this.#ownerClient = kit.env.client.dynamic(options.owners.resource);
    options.objects.addIndex(CONTROLLER_INDEX, controllerIndex);
  }

  /** Wakes the owner of an object that changed, and of one that nobody controls all that may adopt it. */
  rule(how: OwningRule<O, C>): WakeRule<C> {
    return itsOwner({ ...how, owners: this.#options.owners, log: this.#log });
  }

  /** The objects that the owner controls, from the cache. */
  ownedBy(owner: Stored<O>): readonly Stored<C>[] {
    const { owners, objects } = this.#options;
    return ownedBy(objects.lister, owner, owners.resource.kind);
  }

  /** The objects that the owner controls, then those of its namespace that nobody does and that it may adopt. */
  ownedByOrFree(owner: Stored<O>): readonly Stored<C>[] {
    const { owners, objects } = this.#options;
    return ownedByOrFree(objects.lister, owner, owners.resource.kind);
  }

  /** Adopts what nobody controls and matches, releases what does not match. Gives the objects that are the owner's then. */
  async claim(
    sync: OwnerSync<O>,
    matches: (object: Stored<C>) => boolean,
  ): Promise<readonly (Stored<C> | Stored<Whole>)[]> {
    return this.#claim(sync, this.ownedByOrFree(sync.owner), matches);
  }

  /** Adopts what nobody controls and matches. What does not match is neither released nor given. */
  async adopt(
    sync: OwnerSync<O>,
    matches: (object: Stored<C>) => boolean,
  ): Promise<readonly (Stored<C> | Stored<Whole>)[]> {
    return this.#claim(sync, this.ownedByOrFree(sync.owner).filter(matches), matches);
  }

  async #claim(
    sync: OwnerSync<O>,
    candidates: readonly Stored<C>[],
    matches: (object: Stored<C>) => boolean,
  ): Promise<readonly (Stored<C> | Stored<Whole>)[]> {
    const { owners, objects } = this.#options;
    const claimer: Claimer<Stored<C>, Stored<Whole>> = {
      owner: sync.owner,
      ownerResource: owners.resource,
      ownerClient: this.#ownerClient,
      resource: objects.resource,
      patch: async (object, body) => this.patch(sync, object, body),
      log: sync.log,
    };
    return claimObjects(claimer, candidates, matches, sync.signal);
  }

  /** Creates the object in the owner's namespace, controlled by the owner. Gives what the server has made of it. */
  override async create(sync: Writer, draft: Whole): Promise<Stored<Whole>> {
    return super.create(sync, this.#ownedBy(sync, draft));
  }

  override async createUnread(sync: Writer, draft: Whole): Promise<void> {
    return super.createUnread(sync, this.#ownedBy(sync, draft));
  }

  #ownedBy({ owner }: Writer, draft: Whole): Whole {
    const ownerReferences = [newControllerRef(owner, this.#options.owners.resource)];
    const { namespace } = owner.metadata;
    const metadata = { ...draft.metadata, ...(namespace !== undefined && { namespace }), ownerReferences };
    return { ...draft, metadata };
  }
}
