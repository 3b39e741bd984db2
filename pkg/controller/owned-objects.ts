import { type ApiObject, keyOf } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import type { DeleteOptions, Patch, ResourceClient } from "../client/resource-client.ts";
import type { Cache } from "./cache.ts";
import type { ConsistencyStore } from "./consistency.ts";
import { controllerIndex, orphansBeside, ownedBy } from "./controller-index.ts";
import type { Kit } from "./kit.ts";
import { claimObjects } from "./ownership.ts";
import { isGone } from "./read-live.ts";
import type { OwnerSync } from "./sync.ts";

export interface OwnedObjectsOptions<O extends ApiObject, C extends ApiObject> {
  readonly owners: Cache<O>;
  readonly objects: Cache<C>;
  /** Told of each write. */
  readonly consistency: ConsistencyStore;
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
  readonly #index: string;

  constructor({ env }: Kit, options: OwnedObjectsOptions<O, C>) {
    this.#options = options;
    this.#client = env.client.clientFor(options.objects.resource);
    this.#ownerClient = env.client.dynamic(options.owners.resource);
    this.#index = `controllerOf ${options.objects.resource.plural}`;
    options.objects.addIndex(this.#index, controllerIndex);
  }

  /** The objects that the owner controls, from the cache. */
  ownedBy(owner: O): readonly C[] {
    const { owners, objects } = this.#options;
    return ownedBy(objects.lister, this.#index, owner, owners.resource.kind);
  }

  /** Adopts what nobody controls and matches, releases what does not match. Gives the objects that are the owner's then. */
  async claim({ owner, log, signal }: OwnerSync<O>, matches: (object: C) => boolean): Promise<readonly C[]> {
    const { owners, objects, consistency } = this.#options;
    const { resource } = objects;
    const patch = async (object: C, body: Patch): Promise<C> =>
      this.#client.patch(refOf(object), body, {}, signal);
    const free = orphansBeside(objects.lister, this.#index, owner);
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
      [...this.ownedBy(owner), ...free],
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
    return this.#wrote(sync, await this.#client.create({ ...draft, metadata }, {}, signal));
  }

  /** Writes the object as it is to be. The server refuses it when somebody has changed or replaced the object meanwhile. */
  async update(sync: OwnerSync<O>, changed: C): Promise<C> {
    return this.#wrote(sync, await this.#client.update(changed, {}, sync.signal));
  }

  /** Deletes this very object. False when it was gone already. */
  async remove(sync: OwnerSync<O>, object: C, how: Deletion = {}): Promise<boolean> {
    const { uid } = object.metadata;
    if (uid === undefined) throw new Error(`${keyOf(object)} has no uid: it was not read from a server`);
    try {
      const answer = await this.#client.delete(
        refOf(object),
        { ...how, preconditions: { uid } },
        sync.signal,
      );
      if (answer.kind !== "Status") this.#wrote(sync, answer as C);
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
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
