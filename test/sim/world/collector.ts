import type { ApiObject } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { isConflict, isNotFound } from "../../../pkg/client/errors.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import type { Store } from "../../../pkg/embedded/storage/store.ts";
import type { VirtualClock } from "../../harness/virtual-clock.ts";
import { bucketName } from "../../../pkg/embedded/server/served-resource.ts";
import { objectsIn } from "./objects.ts";

const PAUSE_MS = 1_000;
const KINDS: readonly TypedResource<ApiObject>[] = [
  resources.deployments,
  resources.replicaSets,
  resources.replicationControllers,
  resources.pods,
];

/**
 * What the garbage collector would do with the objects of these kinds: it deletes what has lost all its owners, makes
 * orphans of the dependents where that was asked for, and lets an owner go once its dependents have gone.
 */
export class Collector {
  readonly #store: Store;
  readonly #client: ClientSet;
  readonly #clock: VirtualClock;
  #isDue = false;

  constructor(store: Store, client: ClientSet, clock: VirtualClock) {
    this.#store = store;
    this.#client = client;
    this.#clock = clock;
  }

  start(): void {
    for (const { group, plural } of KINDS) {
      this.#store.subscribe(bucketName(group, plural), ({ type, object }) => {
        const hasOwner = (object.metadata.ownerReferences?.length ?? 0) > 0;
        if (
          type === "DELETED" ||
          object.metadata.deletionTimestamp !== undefined ||
          (type === "ADDED" && hasOwner)
        )
          this.#wake();
      });
    }
  }

  #wake(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#clock.setTimer(PAUSE_MS, () => {
      this.#isDue = false;
      void this.#collect();
    });
  }

  async #collect(): Promise<void> {
    const all = KINDS.map((resource) => ({ resource, objects: objectsIn(this.#store, resource) }));
    const uids = new Set(all.flatMap(({ objects }) => objects.map(({ metadata }) => metadata.uid)));
    for (const { resource, objects } of all) {
      for (const object of objects) {
        const { deletionTimestamp, finalizers = [], ownerReferences = [] } = object.metadata;
        if (deletionTimestamp !== undefined && finalizers.length > 0)
          await this.#finish(resource, object, all);
        else if (deletionTimestamp === undefined && ownerReferences.length > 0) {
          if (ownerReferences.every(({ uid }) => !uids.has(uid))) await this.#delete(resource, object);
        }
      }
    }
  }

  async #finish(
    resource: TypedResource<ApiObject>,
    owner: ApiObject,
    all: readonly { readonly resource: TypedResource<ApiObject>; readonly objects: readonly ApiObject[] }[],
  ): Promise<void> {
    const { finalizers = [], uid } = owner.metadata;
    const dependents = all.flatMap(({ resource, objects }) =>
      objects
        .filter(({ metadata }) => metadata.ownerReferences?.some((reference) => reference.uid === uid))
        .map((object) => ({ resource, object })),
    );
    if (finalizers.includes("orphan")) {
      for (const { resource, object } of dependents) {
        const ownerReferences = (object.metadata.ownerReferences ?? []).filter(
          (reference) => reference.uid !== uid,
        );
        await this.#patch(resource, object, { ownerReferences });
      }
      await this.#patch(resource, owner, { finalizers: finalizers.filter((name) => name !== "orphan") });
    } else if (finalizers.includes("foregroundDeletion")) {
      for (const { resource, object } of dependents) {
        if (object.metadata.deletionTimestamp === undefined)
          await this.#delete(resource, object, "Foreground");
      }
      if (dependents.length > 0) return;
      await this.#patch(resource, owner, {
        finalizers: finalizers.filter((name) => name !== "foregroundDeletion"),
      });
    }
  }

  async #delete(
    resource: TypedResource<ApiObject>,
    { metadata }: ApiObject,
    propagationPolicy: "Background" | "Foreground" = "Background",
  ): Promise<void> {
    const { namespace = "", name = "", uid = "" } = metadata;
    await this.#tolerantly(async () =>
      this.#client
        .clientFor(resource)
        .delete({ namespace, name }, { propagationPolicy, preconditions: { uid } }),
    );
  }

  async #patch(
    resource: TypedResource<ApiObject>,
    { metadata }: ApiObject,
    change: Partial<ApiObject["metadata"]>,
  ): Promise<void> {
    const { namespace = "", name = "", resourceVersion } = metadata;
    const body = { metadata: { ...change, resourceVersion } };
    await this.#tolerantly(async () =>
      this.#client.clientFor(resource).patch({ namespace, name }, { type: "merge", body }),
    );
  }

  /** What is gone is done; what has changed is looked at again. */
  async #tolerantly(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (isConflict(error)) this.#wake();
      else if (!isNotFound(error)) throw error;
    }
  }
}
