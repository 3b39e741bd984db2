import type { Clock } from "../clock/clock.ts";
import { type Random, randomBelow } from "../clock/random.ts";
import { sleep } from "../clock/wait.ts";

/** What goes wrong between the controllers under test and the server. */
export const troubleNames = [
  "slow requests",
  "refused requests",
  "lost answers",
  "stale caches",
  "cut watches",
  "expired history",
  "restarts",
  "hand-overs",
] as const;
export type Trouble = (typeof troubleNames)[number];

/** The state of the way to the server, which transports look at. */
export interface Weather {
  /** Each request takes up to so long. */
  latencyMs: number;
  /** Shares of requests that are refused, and of writes whose answer is lost. */
  refused: number;
  lost: number;
  /** What watches tell waits until then, on the monotonic clock. */
  staleUntilMs: number;
  /** Watches that go on from a version are told that it is too old. */
  isExpired: boolean;
}

export function fairWeather(): Weather {
  return { latencyMs: 0, refused: 0, lost: 0, staleUntilMs: 0, isExpired: false };
}

export interface Hands {
  /** Ends all watches of the controllers under test without a word. */
  cutWatches(): void;
  /** Kills the processes with the controllers under test, and starts new ones after so long. */
  restart(afterMs: number): void;
  /** Others lead from now on: the processes write nothing more, but for what is on its way, and new ones begin. */
  handOver(): void;
}

export interface TroublesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly weather: Weather;
  readonly hands: Hands;
  readonly kinds: readonly Trouble[];
}

const LONGEST_PAUSE_MS = 8_000;
const LONGEST_MS = 10_000;

/** Lets one trouble follow upon the other until the signal aborts, and ends with fair weather. */
export async function stirUp(options: TroublesOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, weather, kinds } = options;
  try {
    for (;;) {
      await sleep(clock, randomBelow(random, LONGEST_PAUSE_MS), signal);
      const kind = kinds[randomBelow(random, kinds.length)];
      if (kind === undefined) return;
      strike(kind, options);
      await sleep(clock, randomBelow(random, LONGEST_MS), signal);
      Object.assign(weather, { ...fairWeather(), staleUntilMs: weather.staleUntilMs });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    Object.assign(weather, fairWeather());
  }
}

function strike(kind: Trouble, { clock, random, weather, hands }: TroublesOptions): void {
  switch (kind) {
    case "slow requests":
      weather.latencyMs = 10 ** (1 + 2 * random.next());
      return;
    case "refused requests":
      weather.refused = random.next() / 2;
      return;
    case "lost answers":
      weather.lost = random.next() / 2;
      return;
    case "stale caches":
      weather.staleUntilMs = clock.monotonicMs() + randomBelow(random, LONGEST_MS);
      return;
    case "cut watches":
      hands.cutWatches();
      return;
    case "expired history":
      weather.isExpired = true;
      hands.cutWatches();
      return;
    case "restarts":
      hands.restart(randomBelow(random, LONGEST_MS));
      return;
    case "hand-overs":
      hands.handOver();
  }
}

/** Some kinds of trouble, other ones for each seed: what is rare among all is frequent among few. */
export function troublesOf(random: Random): readonly Trouble[] {
  return troubleNames.filter(() => random.next() < 0.4);
}
