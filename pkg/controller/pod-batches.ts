import type { ApiObject } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import type { Resource } from "../api/resource.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";
import { isNamespaceTerminating } from "../client/errors.ts";
import { sideBySide } from "./attempts.ts";
import type { PodControl, PodDraft } from "./pod-control.ts";
import { isGone } from "./read-live.ts";
import type { Writer } from "./recorded-writes.ts";
import { type BatchOutcome, SLOW_START_INITIAL_BATCH, slowStartBatch } from "./slow-start.ts";

/** Deletions that are under way at a time. A Job may have a hundred thousand pods, and be suspended. */
export const MOST_DELETIONS_AT_ONCE = 500;

export interface Creation extends BatchOutcome {
  /** As the server has answered. Fewer than the successes where the namespace is going away. */
  readonly created: readonly Pod[];
}

export interface Removal {
  /** Those that were deleted, or were gone already. */
  readonly removed: readonly Pod[];
  readonly errors: readonly unknown[];
}

/** Writes many pods of one owner. */
export class PodBatches {
  readonly #control: Pick<PodControl, "create">;
  readonly #ownerResource: Resource;

  constructor(control: Pick<PodControl, "create">, ownerResource: Resource) {
    this.#control = control;
    this.#ownerResource = ownerResource;
  }

  /** In batches that grow while all goes well. `draftOf` is asked for each pod when it is its turn, from 0. */
  async create(
    { owner, signal }: Writer,
    count: number,
    draftOf: (index: number) => PodDraft,
  ): Promise<Creation> {
    const reference = newControllerRef(owner, this.#ownerResource);
    const created: ApiObject[] = [];
    const create = async (index: number): Promise<void> => {
      const draft = draftOf(index);
      try {
        created.push(await this.#control.create(draft, owner, reference, signal));
      } catch (error) {
        // In a namespace that is going away there is nothing to be done, nor to be reported.
        if (!isNamespaceTerminating(error)) throw error;
      }
    };
    const outcome = await slowStartBatch(count, SLOW_START_INITIAL_BATCH, create);
    return { ...outcome, created };
  }

  /** Tries each pod, a bounded number at a time. That a pod is gone already is no error. */
  async remove(pods: readonly Pod[], remove: (pod: Pod) => Promise<void>): Promise<Removal> {
    const errors: unknown[] = [];
    const removed: Pod[] = [];
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
