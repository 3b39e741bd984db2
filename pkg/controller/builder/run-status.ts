import type { NewCondition } from "../../api/conditions.ts";
import { semanticEqual } from "../../api/equality.ts";
import type { PartialObject, StoredObject } from "../../api/object.ts";
import { groupResource } from "../../api/resource.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import { decideStatus, type Status } from "./status.ts";
import type { Workshop } from "./workshop.ts";

/** How often a status is written on what the server has by then, where somebody else is writing the object. */
const MOST_TRIES = 5;

/** The object of one reconcile as it was read, or as the server has answered to a write of it. */
export class RunStatus {
  readonly #shop: Workshop;
  #object: StoredObject;

  constructor(shop: Workshop, object: StoredObject) {
    this.#shop = shop;
    this.#object = object;
  }

  get object(): StoredObject {
    return this.#object;
  }

  async write(fields: Status, conditions: readonly NewCondition[], signal: AbortSignal): Promise<void> {
    const { name, statuses, resource, kit, knowsStatus } = this.#shop;
    if (!knowsStatus)
      throw new Error(`${name} reads no status of ${groupResource(resource)}: put "status" among its fields`);
    const { generation } = this.#object.metadata;
    const wish = { fields, conditions, generation };
    for (let tries = 1; ; tries++) {
      const patch = decideStatus(statusOf(this.#object), wish, kit.env.clock.nowMs());
      if (patch === undefined) return;
      const text = JSON.stringify(fields) + JSON.stringify(conditions);
      const before = statuses.get(this.#object);
      // The server may keep less than it was given, or something else.
      if (before?.patch === text && semanticEqual(before.answer, statusOf(this.#object))) return;
      try {
        this.#object = await this.#patch(patch, signal);
        statuses.set(this.#object, { patch: text, answer: statusOf(this.#object) });
        return;
      } catch (error) {
        if (isNotFound(error)) throw new Error(this.#lacks(), { cause: error });
        if (!isConflict(error) || tries === MOST_TRIES) throw error;
        const live = await this.#shop.writes(resource).live({ signal }, this.#object);
        if (live === undefined) return;
        this.#object = live;
      }
    }
  }

  async #patch(status: object, signal: AbortSignal): Promise<StoredObject> {
    const { uid, resourceVersion } = this.#object.metadata;
    const body = { metadata: { uid, resourceVersion }, status };
    const writer = { owner: this.#object, signal };
    return this.#shop.writes(this.#shop.resource).patchStatus(writer, this.#object, { type: "merge", body });
  }

  #lacks(): string {
    const { name } = this.#object.metadata;
    return `${groupResource(this.#shop.resource)} ${name} is gone, or its resource has no status subresource`;
  }
}

function statusOf(object: PartialObject): unknown {
  return (object as { readonly status?: unknown }).status;
}
