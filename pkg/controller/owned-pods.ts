import { type ApiObject, keyOf } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import { resources } from "../api/resources.ts";
import type { Pod, PodTemplateSpec } from "../api/types/core-v1.gen.ts";
import { isNamespaceTerminating } from "../client/errors.ts";
import type { Patch, ResourceClient } from "../client/resource-client.ts";
import type { Cache } from "./cache.ts";
import type { ConsistencyStore } from "./consistency.ts";
import { DeletionTracking, Expectations } from "./expectations.ts";
import type { Kit, OwnerMemory } from "./kit.ts";
import { claimObjects } from "./ownership.ts";
import { PodControl } from "./pod-control.ts";
import { ownedAndOrphanedPods, ownedPods, POD_CONTROLLER_INDEX, podControllerIndex } from "./pod-index.ts";
import { isGone } from "./read-live.ts";
import { SLOW_START_INITIAL_BATCH, slowStartBatch } from "./slow-start.ts";
import type { OwnerSync } from "./sync.ts";

export interface OwnedPodsOptions<O extends ApiObject> {
  readonly owners: Cache<O>;
  readonly pods: Cache<Pod>;
  /** Asked whether an owner is still there before it adopts. */
  readonly ownerClient: Pick<ResourceClient, "get">;
  readonly consistency: ConsistencyStore;
  /** What pods are written with: a client of metadata, unless the answers are read. */
  readonly podClient?: Pick<ResourceClient, "create" | "delete" | "patch">;
}

/** Pods that are created and pods that are deleted in one go. */
export interface PodChanges {
  readonly create: readonly NewPod[];
  readonly remove: readonly Pod[];
}

/** Makes out the template of a pod when it is its turn: where many are refused, those after them cost nothing. */
export type NewPod = () => PodTemplateSpec;

export interface ChangedPods {
  /** As the server has answered. */
  readonly created: readonly Pod[];
  readonly errors: readonly unknown[];
}

/**
 * The pods of owners: everything that is written to them goes through here, so that nothing is written without being
 * remembered. A sync must not act on a cache that has yet to see what an earlier one has done: `settled` tells.
 */
export class OwnedPods<O extends ApiObject> implements OwnerMemory {
  readonly #options: OwnedPodsOptions<O>;
  readonly #expectations: Expectations;
  readonly #deletions: DeletionTracking;
  readonly #control: PodControl;

  constructor({ env }: Kit, options: OwnedPodsOptions<O>) {
    const { pods, consistency, podClient = env.client.metadata(resources.pods) } = options;
    this.#options = options;
    this.#expectations = new Expectations(env.clock);
    this.#deletions = new DeletionTracking(this.#expectations);
    this.#control = new PodControl({
      pods: podClient,
      events: env.events,
      log: env.log,
      onWrite: (pod, controller) => {
        if (controller === undefined) return;
        const ownerKey = `${pod.metadata.namespace ?? ""}/${controller.name}`;
        consistency.wroteAt(ownerKey, controller.uid, resources.pods, pod.metadata.resourceVersion);
      },
    });
    pods.addIndex(POD_CONTROLLER_INDEX, podControllerIndex);
  }

  /** The pods that the owner controls. */
  ownedBy(owner: O): readonly Pod[] {
    return ownedPods(this.#options.pods.lister, owner, this.#kind);
  }

  /** The pods that the owner controls, then those of its namespace that nobody does and that it may adopt. */
  ownedByOrFree(owner: O): readonly Pod[] {
    return ownedAndOrphanedPods(this.#options.pods.lister, owner, this.#kind);
  }

  /** Whether the cache has seen all that was created and deleted for the owner, or that was waited for too long. */
  settled(owner: O): boolean {
    return this.#expectations.satisfied(owner);
  }

  /** After how long it will count as settled in any case; undefined when it does already. */
  untilSettledMs(owner: O): number | undefined {
    return this.#expectations.untilSatisfiedMs(owner);
  }

  /** Adopts and releases. Gives those of the pods that are the owner's then. */
  async claim(
    { owner, log, signal }: OwnerSync<O>,
    pods: readonly Pod[],
    matches: (pod: Pod) => boolean,
  ): Promise<readonly Pod[]> {
    const { owners, ownerClient, consistency } = this.#options;
    const claimer = {
      owner,
      ownerResource: owners.resource,
      ownerClient,
      resource: resources.pods,
      patch: async (pod: Pod, patch: Parameters<PodControl["claim"]>[1]) =>
        this.#control.claim(pod, patch, signal),
      consistency,
      log,
    };
    return claimObjects<Pod>(claimer, pods, matches, signal);
  }

  /** Creates `count` pods in batches that grow while all goes well. Gives what went wrong. */
  async create(sync: OwnerSync<O>, template: PodTemplateSpec, count: number): Promise<readonly unknown[]> {
    const { owner } = sync;
    this.#expectations.expectCreations(owner, count);
    const { successes, errors } = await this.#create(sync, count, () => template);
    // What was not created will not be seen either.
    this.#expectations.lower(owner, count - successes, 0);
    return errors;
  }

  /** Deletes these pods all at once. Gives what went wrong; that a pod is gone already is no error. */
  async remove(sync: OwnerSync<O>, pods: readonly Pod[]): Promise<readonly unknown[]> {
    this.#deletions.expectDeletions(sync.owner, pods.map(keyOf));
    return this.#remove(sync, pods);
  }

  /** Creates pods as `create` does, then deletes others as `remove` does: the owner is settled when all of it was seen. */
  async change(sync: OwnerSync<O>, { create, remove }: PodChanges): Promise<ChangedPods> {
    const { owner } = sync;
    this.#deletions.expectDeletions(owner, remove.map(keyOf));
    this.#expectations.raise(owner, create.length, 0);
    const { created, errors } = await this.#create(sync, create.length, (index) => create[index]?.() ?? {});
    this.#expectations.lower(owner, create.length - created.length, 0);
    return { created, errors: [...errors, ...(await this.#remove(sync, remove))] };
  }

  /** Changes a pod that is the owner's, such as its labels. */
  async patch({ signal }: OwnerSync<O>, { metadata }: Pod, patch: Patch): Promise<ApiObject> {
    const { namespace = "", name = "" } = metadata;
    return this.#control.patch({ namespace, name }, patch, signal);
  }

  async #create(
    { owner, signal }: OwnerSync<O>,
    count: number,
    templateOf: (index: number) => PodTemplateSpec,
  ) {
    const reference = newControllerRef(owner, this.#options.owners.resource);
    const created: Pod[] = [];
    const create = async (index: number): Promise<void> => {
      try {
        created.push(await this.#control.create(templateOf(index), owner, reference, signal));
      } catch (error) {
        // In a namespace that is going away there is nothing to be done, nor to be reported.
        if (!isNamespaceTerminating(error)) throw error;
      }
    };
    const outcome = await slowStartBatch(count, SLOW_START_INITIAL_BATCH, create);
    return { ...outcome, created };
  }

  async #remove({ owner, signal }: OwnerSync<O>, pods: readonly Pod[]): Promise<readonly unknown[]> {
    const errors: unknown[] = [];
    const remove = async (pod: Pod): Promise<void> => {
      try {
        await this.#control.delete(pod, owner, signal);
      } catch (error) {
        this.#deletions.deletionObserved(owner, keyOf(pod));
        if (!isGone(error)) errors.push(error);
      }
    };
    await Promise.all(pods.map(remove));
    return errors;
  }

  creationObserved(owner: O): void {
    this.#expectations.creationObserved(owner);
  }

  deletionObserved(owner: O, key: string): void {
    this.#deletions.deletionObserved(owner, key);
  }

  delete(owner: ApiObject): void {
    this.#deletions.delete(owner);
  }

  deleteName(key: string): void {
    this.#deletions.deleteName(key);
  }

  get #kind(): string {
    return this.#options.owners.resource.kind;
  }
}
