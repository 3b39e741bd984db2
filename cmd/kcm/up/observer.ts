import { keyOf } from "../../../pkg/api/object.ts";
import type { Event, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import type { StoredEvent } from "../../../pkg/apiserver/storage/bucket.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import type { LatePrograms } from "./late-programs.ts";

export interface ControllerFigures {
  readonly name: string;
  readonly queued: number;
  readonly running: number;
  readonly syncs: number;
  readonly syncsPerSecond: number;
}

export interface EventLine {
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  readonly about: string;
  readonly message: string;
}

/** What goes on in the cluster at one moment. */
export interface Observation {
  readonly nowMs: number;
  readonly controllers: readonly ControllerFigures[];
  /** Pods by phase, in the order of a pod's life. */
  readonly phases: readonly (readonly [phase: string, count: number])[];
  /** The newest first. */
  readonly events: readonly EventLine[];
  readonly revision: number;
}

const EVENTS_KEPT = 60;
const phaseOrder = ["Pending", "Running", "Succeeded", "Failed", "Unknown"];

/** Follows the storage of a cluster, so that a look at it costs the same however many pods there are. */
export class Observer {
  readonly #store: Store;
  readonly #programs: Pick<LatePrograms, "health">;
  readonly #clock: Clock;
  readonly #phases = new Map<string, number>();
  readonly #events: EventLine[] = [];
  #syncs = new Map<string, number>();
  #lookedMs: number;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(store: Store, programs: Pick<LatePrograms, "health">, clock: Clock) {
    this.#store = store;
    this.#programs = programs;
    this.#clock = clock;
    this.#lookedMs = clock.monotonicMs();
    for (const pod of store.scan("pods", { prefix: "" }).items) this.#count(pod, 1);
    this.#unsubscribe = [
      store.subscribe("pods", (event) => this.#onPod(event)),
      store.subscribe("events", (event) => this.#onEvent(event)),
    ];
    this.look();
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  /** Rates are those since the last look. */
  look(): Observation {
    const passedMs = Math.max(1, this.#clock.monotonicMs() - this.#lookedMs);
    const syncs = new Map<string, number>();
    const controllers: ControllerFigures[] = [];
    for (const [name, health] of this.#programs.health()) {
      const pools = Object.values(health?.pools ?? {});
      const total = (of: (pool: (typeof pools)[number]) => number): number =>
        pools.reduce((sum, pool) => sum + of(pool), 0);
      const count = total((pool) => pool.syncs);
      syncs.set(name, count);
      controllers.push({
        name,
        queued: total((pool) => pool.waiting),
        running: total((pool) => pool.running),
        syncs: count,
        syncsPerSecond: ((count - (this.#syncs.get(name) ?? 0)) * 1_000) / passedMs,
      });
    }
    this.#syncs = syncs;
    this.#lookedMs = this.#clock.monotonicMs();
    return {
      nowMs: this.#clock.nowMs(),
      controllers,
      phases: phaseOrder.map((phase) => [phase, this.#phases.get(phase) ?? 0] as const),
      events: this.#events.toReversed(),
      revision: this.#store.revision,
    };
  }

  #onPod({ type, object, previous }: StoredEvent): void {
    if (previous !== undefined) this.#count(previous, -1);
    if (type !== "DELETED") this.#count(object, 1);
  }

  #count(pod: Pod, by: number): void {
    const phase = pod.status?.phase ?? "Unknown";
    this.#phases.set(phase, (this.#phases.get(phase) ?? 0) + by);
  }

  #onEvent({ type, object, timeMs }: StoredEvent): void {
    if (type === "DELETED") return;
    const { type: kind = "Normal", reason = "", message = "", involvedObject } = object as unknown as Event;
    const { kind: about = "", namespace = "", name = "" } = involvedObject;
    const whom = `${about.toLowerCase()}/${keyOf({ metadata: { namespace, name } })}`;
    this.#events.push({ atMs: timeMs, type: kind, reason, about: whom, message });
    if (this.#events.length > EVENTS_KEPT) this.#events.shift();
  }
}
