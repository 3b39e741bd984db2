import type { ManagerProcess } from "../world/process.ts";
import { describeRequest } from "../world/request-of.ts";
import type { Arrival } from "../world/wire.ts";
import type { World } from "../world/world.ts";

const PERIOD_MS = 10_000;
/** Of one kind of write in a period; clusters have some dozens of pods. */
const MOST = 1_500;

/** Nobody writes without end. */
export class Restless {
  readonly #world: World;
  readonly #counts = new Map<string, number>();
  #period = 0;

  constructor(world: World) {
    this.#world = world;
  }

  judge({ facts, client }: Arrival, process: ManagerProcess): void {
    const period = Math.floor(this.#world.clock.monotonicMs() / PERIOD_MS);
    if (period !== this.#period) this.#counts.clear();
    this.#period = period;
    const what = `${describeRequest({ ...facts, name: "" })} (${client})`;
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    if (count === MOST) this.#world.violate(`${process.name}: ${what}: ${count} times in ${PERIOD_MS} ms`);
  }
}
