import type { StoredObject } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import type { Resource } from "../api/resource.ts";
import { isNamespaceTerminating } from "../client/errors.ts";
import { sideBySide } from "./attempts.ts";
import type { PodControl, PodDraft } from "./pod-control.ts";
import { isGone } from "./read-live.ts";
import type { Writer } from "./recorded-writes.ts";
import { type BatchOutcome, SLOW_START_INITIAL_BATCH, slowStartBatch } from "./slow-start.ts";

/** Deletions that are under way at a time. A Job may have a hundred thousand pods, and be suspended. */
export const MOST_DELETIONS_AT_ONCE = 500;

export interface Removal<P extends StoredObject = StoredObject> {
  /** Those that were deleted, or were gone already. */
  readonly removed: readonly P[];
  readonly errors: readonly unknown[];
}

/** Writes many pods of one owner. */
export class PodBatches<Created extends StoredObject = StoredObject> {
  readonly #control: Pick<PodControl<Created>, "create">;
  readonly #ownerResource: Resource;

  constructor(control: Pick<PodControl<Created>, "create">, ownerResource: Resource) {
    this.#control = control;
    this.#ownerResource = ownerResource;
  }

  /**
   * In batches that grow while all goes well. `draftOf` is asked for each pod when it is its turn, from 0. What the server
   * has answered goes to `created`, if it is given: fewer pods than the successes where the namespace is going away.
   */
  async create(
    { owner, signal }: Writer,
    count: number,
    draftOf: (index: number) => PodDraft,
    created?: Created[],
  ): Promise<BatchOutcome> {
    const reference = newControllerRef(owner, this.#ownerResource);
    const create = async (index: number): Promise<void> => {
      const draft = draftOf(index);
      try {
        const pod = await this.#control.create(draft, owner, reference, signal);
        created?.push(pod);
      } catch (error) {
        // In a namespace that is going away there is nothing to be done, nor to be reported.
        if (!isNamespaceTerminating(error)) throw error;
      }
    };
    return slowStartBatch(count, SLOW_START_INITIAL_BATCH, create);
  }

  /** Tries each pod, a bounded number at a time. That a pod is gone already is no error. */
  async remove<P extends StoredObject>(
    pods: readonly P[],
    remove: (pod: P) => Promise<void>,
  ): Promise<Removal<P>> {
    const errors: unknown[] = [];
    const removed: P[] = [];
    await sideBySide(pods, MOST_DELETIONS_AT_ONCE, async (pod) => {
      try {
        await remove(pod);
      } catch (error) {
        if (!isGone(error)) {
          errors.push(error);
          return;
        }
      }
      removed.push(pod);
    });
    return { removed, errors };
  }
}
