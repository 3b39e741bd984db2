import { type ApiObject, keyOf } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import type { DeleteOptions, Patch, ResourceClient, WriteOptions } from "../client/resource-client.ts";
import type { Cache } from "./cache.ts";
import type { ConsistencyStore } from "./consistency.ts";
import { CONTROLLER_INDEX, controllerIndex, ownedBy, ownedByOrFree } from "./controller-index.ts";
import type { Kit } from "./kit.ts";
import { claimObjects } from "./ownership.ts";
import { identityOf, isGone, readThenWrite } from "./read-live.ts";
import type { OwnerSync } from "./sync.ts";

export interface OwnedObjectsOptions<O extends ApiObject, C extends ApiObject> {
  readonly owners: Cache<O>;
  readonly objects: Cache<C>;
  /** Told of each write. */
  readonly consistency: ConsistencyStore;
  /** For what is created and updated. */
  readonly writing?: WriteOptions;
}

type Deletion = Omit<DeleteOptions, "preconditions">;

/**
 * The objects that owners keep. What is written through it is written for the owner of the sync, carries the uid of the
 * very object, and is remembered: the next sync of the owner waits until the cache has seen it.
 */
export class OwnedObjects<O extends ApiObject, C extends ApiObject> {
  readonly #options: OwnedObjectsOptions<O, C>;
  readonly #client: ResourceClient<C>;
  readonly #ownerClient: Pick<ResourceClient, "get">;

  constructor({ env }: Kit, options: OwnedObjectsOptions<O, C>) {
    this.#options = options;
    this.#client = env.client.clientFor(options.objects.resource);
    this.#ownerClient = env.client.dynamic(options.owners.resource);
    options.objects.addIndex(CONTROLLER_INDEX, controllerIndex);
  }

  /** The objects that the owner controls, from the cache. */
  ownedBy(owner: O): readonly C[] {
    const { owners, objects } = this.#options;
    return ownedBy(objects.lister, owner, owners.resource.kind);
  }

  /** The objects that the owner controls, then those of its namespace that nobody does and that it may adopt. */
  ownedByOrFree(owner: O): readonly C[] {
    const { owners, objects } = this.#options;
    return ownedByOrFree(objects.lister, owner, owners.resource.kind);
  }

  /** Adopts what nobody controls and matches, releases what does not match. Gives the objects that are the owner's then. */
  async claim(sync: OwnerSync<O>, matches: (object: C) => boolean): Promise<readonly C[]> {
    return this.#claim(sync, this.ownedByOrFree(sync.owner), matches);
  }

  /** Adopts what nobody controls and matches. What does not match is neither released nor given. */
  async adopt(sync: OwnerSync<O>, matches: (object: C) => boolean): Promise<readonly C[]> {
    return this.#claim(sync, this.ownedByOrFree(sync.owner).filter(matches), matches);
  }

  async #claim(
    { owner, log, signal }: OwnerSync<O>,
    candidates: readonly C[],
    matches: (object: C) => boolean,
  ): Promise<readonly C[]> {
    const { owners, objects, consistency } = this.#options;
    const { resource } = objects;
    const patch = async (object: C, body: Patch): Promise<C> =>
      this.#client.patch(refOf(object), body, {}, signal);
    return claimObjects<C>(
      {
        owner,
        ownerResource: owners.resource,
        ownerClient: this.#ownerClient,
        resource,
        patch,
        consistency,
        log,
      },
      candidates,
      matches,
      signal,
    );
  }

  /** Creates the object in the owner's namespace, controlled by the owner. Gives what the server has made of it. */
  async create(sync: OwnerSync<O>, draft: C): Promise<C> {
    const { owner, signal } = sync;
    const ownerReferences = [newControllerRef(owner, this.#options.owners.resource)];
    const { namespace } = owner.metadata;
    const metadata = { ...draft.metadata, ...(namespace !== undefined && { namespace }), ownerReferences };
    return this.#wrote(sync, await this.#client.create({ ...draft, metadata }, this.#writing, signal));
  }

  /** Writes the object as it is to be. The server refuses it when somebody has changed or replaced the object meanwhile. */
  async update(sync: OwnerSync<O>, changed: C): Promise<C> {
    return this.#wrote(sync, await this.#client.update(changed, this.#writing, sync.signal));
  }

  /**
   * Writes what becomes of the object as the server has it now: a cache may have only a part of it. Nothing is written
   * when that is undefined. Gives the object as it is then, and the next sync waits until the cache has seen that;
   * undefined when it is gone.
   */
  async change(sync: OwnerSync<O>, object: C, change: (live: C) => C | undefined): Promise<C | undefined> {
    const write = async (changed: C): Promise<C> => this.#client.update(changed, this.#writing, sync.signal);
    const identity = identityOf(object);
    const live = await readThenWrite<C>({ client: this.#client, identity, change, write }, sync.signal);
    return live && this.#wrote(sync, live);
  }

  /** Deletes this very object. False when it was gone already. */
  async remove(sync: OwnerSync<O>, object: C, how: Deletion = {}): Promise<boolean> {
    try {
      await this.delete(sync, object, how);
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  /** As `remove`, for who has to know why it was gone: the server's answer is thrown. */
  async delete(sync: OwnerSync<O>, object: C, how: Deletion = {}): Promise<void> {
    const { uid } = object.metadata;
    if (uid === undefined) throw new Error(`${keyOf(object)} has no uid: it was not read from a server`);
    const only = { ...how, preconditions: { uid } };
    const answer = await this.#client.delete(refOf(object), only, sync.signal);
    if (answer.kind !== "Status") this.#wrote(sync, answer as C);
  }

  get #writing(): WriteOptions {
    return this.#options.writing ?? {};
  }

  #wrote({ owner }: OwnerSync<O>, answer: C): C {
    const { objects, consistency } = this.#options;
    consistency.wroteFor(owner, objects.resource, answer);
    return answer;
  }
}

function refOf({ metadata: { namespace, name = "" } }: ApiObject): { namespace?: string; name: string } {
  return { ...(namespace !== undefined && { namespace }), name };
}
