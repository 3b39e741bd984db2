import type { ApiObject } from "../../../pkg/api/object.ts";
import type { ManagerProcess } from "../world/process.ts";
import { describeRequest } from "../world/request-of.ts";
import type { StoredEvent } from "../../../pkg/apiserver/storage/bucket.ts";
import type { Arrival } from "../world/wire.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";

/** Nobody writes what is there already, as far as it could know. */
export class IdleWrites {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** When it was last changed, by uid. */
  readonly #changedMs = new Map<string, number>();
  /** And the time before that. */
  readonly #changedBeforeMs = new Map<string, number>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    for (const bucket of Object.values(world.history.buckets)) {
      world.server.parts.store.subscribe(bucket, ({ object }) => {
        const { uid = "" } = object.metadata;
        this.#changedBeforeMs.set(uid, this.#changedMs.get(uid) ?? 0);
        this.#changedMs.set(uid, world.clock.monotonicMs());
      });
    }
  }

  /** Of one that changed an object. */
  judgeChange(
    { type, object, previous }: StoredEvent,
    { facts, client }: Arrival,
    process: ManagerProcess,
  ): void {
    if (
      type !== "MODIFIED" ||
      previous === undefined ||
      facts.verb !== "update" ||
      essenceOf(previous) !== essenceOf(object)
    )
      return;
    // What says the same may have been written a moment ago, by somebody who did not hear of it.
    const changedMs = this.#changedBeforeMs.get(object.metadata.uid ?? "") ?? 0;
    if (changedMs >= this.#beliefs.horizonMs(process, [facts.resource])) return;
    this.#world.violate(`${process.name}: ${describeRequest(facts)}: changes only times (${client})`);
  }

  /** Of a write that succeeded and changed nothing. */
  judge({ facts, answer, client }: Arrival, process: ManagerProcess): void {
    if (
      (facts.verb !== "update" && facts.verb !== "patch") ||
      this.#world.history.buckets[facts.resource] === undefined
    )
      return;
    const { uid = "" } = (answer as ApiObject).metadata;
    const changedMs = this.#changedMs.get(uid);
    if (changedMs === undefined || changedMs >= this.#beliefs.horizonMs(process, [facts.resource])) return;
    this.#world.violate(`${process.name}: ${describeRequest(facts)}: changes nothing (${client})`);
  }
}

/** All but versions, and when conditions were looked at. */
function essenceOf(object: ApiObject): string {
  const {
    resourceVersion: _,
    managedFields: __,
    ...metadata
  } = object.metadata as ApiObject["metadata"] & {
    managedFields?: unknown;
  };
  return JSON.stringify({ ...object, metadata }, (key, value: unknown) =>
    isTimeOfCondition(key) ? 0 : value,
  );
}

function isTimeOfCondition(key: string): boolean {
  return key === "lastUpdateTime" || key === "lastProbeTime" || key === "lastTransitionTime";
}
