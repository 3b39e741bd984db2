import type { Labels } from "../api/labels.ts";
import { keyOf, type PartialObject, type Stored, type StoredObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { resources } from "../api/resources.ts";
import type { Pod, PodTemplateSpec } from "../api/types/core-v1.gen.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import type { Logger } from "../log/logger.ts";
import type { Cache, OwnerCache, WakeRule } from "./cache.ts";
import type { ConsistencyStore } from "./consistency.ts";
import { CONTROLLER_INDEX, controllerIndex, ownedBy, ownedByOrFree } from "./controller-index.ts";
import type { Env } from "./env.ts";
import { DeletionTracking, Expectations } from "./expectations.ts";
import type { OwnerMemory } from "./kit.ts";
import { type Claimer, claimObjects } from "./ownership.ts";
import { PodBatches, type Removal } from "./pod-batches.ts";
import { type PodClient, PodControl, type PodDraft } from "./pod-control.ts";
import type { BatchOutcome } from "./slow-start.ts";
import type { OwnerSync } from "./sync.ts";
import { itsOwner, type OwningRule } from "./wake-rules.ts";

export type { PodDraft } from "./pod-control.ts";

export interface OwnedPodsOptions<
  O extends PartialObject,
  P extends PartialObject,
  Created extends StoredObject = StoredObject,
> {
  readonly owners: OwnerCache<O>;
  readonly pods: Cache<P, Pod>;
  /** A client of metadata, unless the answers are read. */
  readonly podClient: PodClient<Created>;
  /**
   * The owners count their pods, and each pod has this finalizer until it is counted. Pods are given it when they are
   * adopted; they lose it when they are released, and before they are removed.
   */
  readonly finalizer?: string;
}

/** What it needs of a Kit. */
export interface OwnedPodsKit {
  readonly consistency: ConsistencyStore;
  readonly env: Pick<Env, "clock" | "events" | "log"> & {
    readonly client: { dynamic(resource: Resource): Pick<ResourceClient, "get"> };
  };
}

/** Pods that are created and pods that are deleted in one go. */
export interface PodChanges {
  readonly create: readonly NewPod[];
  readonly remove: readonly StoredObject[];
}

/** Makes out the template of a pod when it is its turn: where many are refused, those after them cost nothing. */
export type NewPod = () => PodTemplateSpec;

export interface ChangedPods<Created extends StoredObject = StoredObject> {
  /** As the server has answered. */
  readonly created: readonly Created[];
  readonly errors: readonly unknown[];
}

/**
 * The pods of owners: everything that is written to them goes through here, so that nothing is written without being
 * remembered. A sync must not act on a cache that has yet to see what an earlier one has done: `settled` tells.
 */
export class OwnedPods<
  O extends PartialObject,
  P extends PartialObject,
  Created extends StoredObject = StoredObject,
> implements OwnerMemory {
  readonly #options: OwnedPodsOptions<O, P, Created>;
  readonly #expectations: Expectations;
  readonly #deletions: DeletionTracking;
  readonly #control: PodControl<Created>;
  readonly #batches: PodBatches<Created>;
  readonly #consistency: ConsistencyStore;
  readonly #log: Logger;
  /** Asked whether an owner is still there before it adopts. */
  readonly #ownerClient: Pick<ResourceClient, "get">;

  constructor({ env, consistency }: OwnedPodsKit, options: OwnedPodsOptions<O, P, Created>) {
    const { owners, pods, podClient } = options;
    this.#options = options;
    this.#consistency = consistency;
    this.#log = env.log;
    this.#ownerClient = env.client.dynamic(owners.resource);
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
    this.#batches = new PodBatches(this.#control, owners.resource);
    pods.addIndex(CONTROLLER_INDEX, controllerIndex);
  }

  /** Wakes the owner of a pod that changed, and takes note of what is seen that was waited for. */
  rule(how: OwningRule<O, P>): WakeRule<P> {
    return itsOwner({ ...how, owners: this.#options.owners, observer: this, log: this.#log });
  }

  /** The pods that the owner controls. */
  ownedBy(owner: Stored<O>): readonly Stored<P>[] {
    return ownedBy(this.#options.pods.lister, owner, this.#kind);
  }

  /** The pods that the owner controls, then those of its namespace that nobody does and that it may adopt. */
  ownedByOrFree(owner: Stored<O>): readonly Stored<P>[] {
    return ownedByOrFree(this.#options.pods.lister, owner, this.#kind);
  }

  /** Whether the cache has seen all that was created and deleted for the owner, or that was waited for too long. */
  settled(owner: Stored<O>): boolean {
    return this.#expectations.satisfied(owner);
  }

  /** After how long it will count as settled in any case; undefined when it does already. */
  untilSettledMs(owner: Stored<O>): number | undefined {
    return this.#expectations.untilSatisfiedMs(owner);
  }

  /** Adopts and releases. Gives those of the pods that are the owner's then. */
  async claim(
    { owner, log, signal }: OwnerSync<O>,
    pods: readonly Stored<P>[],
    matches: (pod: Stored<P>) => boolean,
  ): Promise<readonly Stored<P>[]> {
    const { owners, finalizer } = this.#options;
    const claimer: Claimer<Stored<P>> = {
      owner,
      ownerResource: owners.resource,
      ownerClient: this.#ownerClient,
      resource: resources.pods,
      patch: async (pod, patch) => {
        const claimed = await this.#control.claim(pod, patch, signal);
        // One that is released tells of no owner any more.
        this.#consistency.wroteFor(owner, resources.pods, claimed);
        return claimed;
      },
      ...(finalizer !== undefined && { finalizers: [finalizer] }),
      log,
    };
    return claimObjects(claimer, pods, matches, signal);
  }

  /** Creates `count` pods in batches that grow while all goes well. Gives what went wrong. */
  async create(sync: OwnerSync<O>, template: PodTemplateSpec, count: number): Promise<readonly unknown[]> {
    const { errors } = await this.createEach(sync, count, () => ({ template }));
    return errors;
  }

  /** The same where pods are not alike: `draftOf` is asked for each when it is its turn, from 0. */
  async createEach(
    sync: OwnerSync<O>,
    count: number,
    draftOf: (index: number) => PodDraft,
  ): Promise<BatchOutcome> {
    const { owner } = sync;
    this.#expectations.expectCreations(owner, count);
    const creation = await this.#batches.create(sync, count, draftOf);
    const { successes } = creation;
    // What was not created will not be seen either.
    this.#expectations.lower(owner, count - successes, 0);
    return creation;
  }

  /** Deletes these pods, many at a time. Gives what went wrong; that a pod is gone already is no error. */
  async remove(sync: OwnerSync<O>, pods: readonly StoredObject[]): Promise<readonly unknown[]> {
    const { errors } = await this.discard(sync, pods);
    return errors;
  }

  /** The same, and tells which are gone. They are not to be counted, so their finalizer goes first. */
  async discard<Each extends StoredObject>(
    sync: OwnerSync<O>,
    pods: readonly Each[],
  ): Promise<Removal<Each>> {
    this.#deletions.expectDeletions(sync.owner, pods.map(keyOf));
    return this.#remove(sync, pods);
  }

  /** Deletes the pods of an owner that ends. They keep their finalizer until they are counted, and nothing waits for them. */
  async end<Each extends StoredObject>(
    { owner, signal }: OwnerSync<O>,
    pods: readonly Each[],
  ): Promise<Removal<Each>> {
    return this.#batches.remove(pods, async (pod) => this.#control.delete(pod, owner, signal));
  }

  /** Creates pods as `create` does, then deletes others as `remove` does: the owner is settled when all of it was seen. */
  async change(sync: OwnerSync<O>, { create, remove }: PodChanges): Promise<ChangedPods<Created>> {
    const { owner } = sync;
    this.#deletions.expectDeletions(owner, remove.map(keyOf));
    this.#expectations.raise(owner, create.length, 0);
    const created: Created[] = [];
    const draftOf = (index: number): PodDraft => ({ template: create[index]?.() ?? {} });
    const { errors } = await this.#batches.create(sync, create.length, draftOf, created);
    this.#expectations.lower(owner, create.length - created.length, 0);
    const { errors: unremoved } = await this.#remove(sync, remove);
    return { created, errors: [...errors, ...unremoved] };
  }

  /** Gives this very pod labels, beside those that it has. One that is gone needs none, be it that another one has its name. */
  async label({ signal }: OwnerSync<O>, pod: StoredObject, labels: Labels): Promise<void> {
    await this.#control.label(pod, labels, signal);
  }

  /** Whether the pod has the finalizer, and is yet to be counted. */
  isTracked({ metadata }: PartialObject): boolean {
    const { finalizer } = this.#options;
    return finalizer !== undefined && metadata.finalizers?.includes(finalizer) === true;
  }

  /** Takes the finalizer off this very pod. One that is gone needs nothing, be it that another one has its name. */
  async takeOffFinalizer(pod: StoredObject, signal: AbortSignal): Promise<void> {
    const { finalizer } = this.#options;
    if (finalizer !== undefined) await this.#control.takeOffFinalizer(pod, finalizer, signal);
  }

  async #remove<Each extends StoredObject>(
    { owner, signal }: OwnerSync<O>,
    pods: readonly Each[],
  ): Promise<Removal<Each>> {
    return this.#batches.remove(pods, async (pod) => {
      try {
        if (this.isTracked(pod)) await this.takeOffFinalizer(pod, signal);
        await this.#control.delete(pod, owner, signal);
      } catch (error) {
        // No event will tell of this deletion any more.
        this.#deletions.deletionObserved(owner, keyOf(pod));
        throw error;
      }
    });
  }

  creationObserved(owner: Stored<O>): void {
    this.#expectations.creationObserved(owner);
  }

  deletionObserved(owner: Stored<O>, key: string): void {
    this.#deletions.deletionObserved(owner, key);
  }

  delete(owner: StoredObject): void {
    this.#deletions.delete(owner);
  }

  deleteName(key: string): void {
    this.#deletions.deleteName(key);
  }

  get #kind(): string {
    return this.#options.owners.resource.kind;
  }
}
