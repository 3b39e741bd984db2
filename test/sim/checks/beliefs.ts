import type { ManagerProcess } from "../world/process.ts";
import { isRefusing } from "../world/refusals.ts";
import type { World } from "../world/world.ts";

/** A sync may have begun so much earlier than its write arrives, on a good day and while requests fail. */
const QUICK_SYNC_MS = 2_000;
export const SLOW_SYNC_MS = 60_000;
/** Trouble is looked for so often: where everything fails, there are no writes that would bring it to light. */
const LOOK_MS = 1_000;

/** How old a state a process may act on: it is not to be blamed for what it has not been shown. */
export class Beliefs {
  readonly #world: World;
  #troubleMs = 0;

  constructor(world: World) {
    this.#world = world;
    const look = (): void => {
      this.isTrouble();
      world.clock.setTimer(LOOK_MS, look);
    };
    world.clock.setTimer(LOOK_MS, look);
  }

  /** A sync whose write arrives now did not begin before then. */
  begunMs(quickMs = QUICK_SYNC_MS): number {
    return this.#world.clock.monotonicMs() - (this.isTrouble() ? SLOW_SYNC_MS : quickMs);
  }

  /** Whatever was changed before then, the process may act on no longer: no sync that may be under way saw it. */
  horizonMs(process: ManagerProcess, resources: readonly string[], quickMs = QUICK_SYNC_MS): number {
    const begunMs = this.begunMs(quickMs);
    return Math.min(
      begunMs,
      ...resources.map((resource) => this.#world.history.freshAsOfMs(process.name, resource, begunMs)),
    );
  }

  /** Requests fail or take long, or did so a moment ago. */
  isTrouble(): boolean {
    const { weather, clock, processes } = this.#world;
    const nowMs = clock.monotonicMs();
    const now =
      weather.errorShare > 0 ||
      weather.outage ||
      isRefusing(weather.refusals) ||
      weather.latencyMs > 100 ||
      processes.some(({ machine }) => machine.isPaused);
    if (now) this.#troubleMs = nowMs;
    return this.#troubleMs > 0 && nowMs - this.#troubleMs < SLOW_SYNC_MS;
  }
}
