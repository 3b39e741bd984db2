import type { Clock } from "../../clock/clock.ts";
import type { RunningHealth } from "../../controller/env.ts";
import type { WorkerLiveness } from "../../controller/worker.ts";
import type { HealthCheck } from "./health.ts";

export interface ControllerCheckOptions {
  readonly name: string;
  /** Undefined while the controller does not run, or when it tells nothing of itself. */
  readonly health: () => RunningHealth | undefined;
  readonly clock: Clock;
  /** A key may be worked on without an answer from the server, and caches may be filled, for this long; 0: for ever. */
  readonly maxSyncMs: number;
}

/**
 * Whether a controller does its work: its workers are there, and none of them is stuck. What takes time is judged from
 * when it was first seen, so that neither a long rest nor a burst of keys looks like a fault.
 */
export function controllerCheck(options: ControllerCheckOptions): HealthCheck {
  const { name, health, clock } = options;
  const pools = new Map<string, PoolWatch>();
  return {
    name,
    concern: "controller",
    check: () => {
      const running = health();
      if (running === undefined) return pools.size > 0 ? "the controller has ended" : undefined;
      const { problem, pools: states, sinceAnswerMs } = running;
      const problems = problem === undefined ? [] : [problem];
      for (const [pool, state] of Object.entries(states)) {
        const watch = pools.get(pool) ?? new PoolWatch(clock.monotonicMs());
        pools.set(pool, watch);
        const found = watch.judge(state, sinceAnswerMs, clock.monotonicMs(), options.maxSyncMs);
        if (found !== undefined) problems.push(`${pool}: ${found}`);
      }
      return problems.length === 0 ? undefined : problems.join("; ");
    },
  };
}

/** What the check remembers of one pool between two probes. */
class PoolWatch {
  readonly #firstSeenMs: number;
  #hadWorkers = false;
  /** Since when every probe found keys waiting and nobody working. */
  #idleSinceMs: number | undefined;

  constructor(nowMs: number) {
    this.#firstSeenMs = nowMs;
  }

  judge(state: WorkerLiveness, sinceAnswerMs: number, nowMs: number, maxSyncMs: number): string | undefined {
    const tooLong = (ms: number): boolean => maxSyncMs > 0 && ms > maxSyncMs;
    if (state.workersAlive === 0) {
      if (this.#hadWorkers) return "no worker is left";
      return tooLong(nowMs - this.#firstSeenMs) ? "the workers have not started" : undefined;
    }
    this.#hadWorkers = true;
    const { longestRunning } = state;
    // Long work that goes on is no fault: thousands of requests for one key, or some that take a minute each.
    if (longestRunning !== undefined && tooLong(Math.min(longestRunning.forMs, sinceAnswerMs))) {
      return `key ${longestRunning.key} has been in work for ${seconds(longestRunning.forMs)}`;
    }
    return this.#judgeIdleness(state, nowMs, tooLong);
  }

  #judgeIdleness(state: WorkerLiveness, nowMs: number, tooLong: (ms: number) => boolean): string | undefined {
    if (state.running > 0 || state.waiting === 0) {
      this.#idleSinceMs = undefined;
      return undefined;
    }
    const lastProgressMs = nowMs - state.sinceProgressMs;
    this.#idleSinceMs = Math.max(this.#idleSinceMs ?? nowMs, lastProgressMs);
    const idleMs = nowMs - this.#idleSinceMs;
    return tooLong(idleMs)
      ? `${state.waiting} keys wait, and no worker has taken one for ${seconds(idleMs)}`
      : undefined;
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)}s`;
}
