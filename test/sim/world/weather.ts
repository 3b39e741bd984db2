import { noRefusals, type Refusals, takeBack } from "./refusals.ts";

/** How an answer can fail. `after`: the request has had its effect, which its client does not learn. */
export const fates = [
  "429",
  "409",
  "500 before",
  "500 after",
  "timeout before",
  "timeout after",
  "lost before",
  "lost after",
] as const;
export type Fate = (typeof fates)[number];

export const isAmbiguous = (fate: Fate | undefined): boolean => fate?.endsWith("after") === true;

/** What may happen to what a driver is asked for. */
export interface DriverTroubles {
  /** Nothing comes of it. */
  readonly failShare: number;
  /** It is done, and the answer is lost. */
  readonly lostShare: number;
  /** The most that it takes. */
  readonly slowMs: number;
}

/** The faults of network and server that are in force now. */
export interface Weather {
  /** The share of requests that fail, and how. */
  errorShare: number;
  errorFates: readonly Fate[];
  /** The most that a request or its answer takes. */
  latencyMs: number;
  /** Until when events of a resource (plural name) are held back, on the monotonic clock. */
  readonly lagUntilMs: Map<string, number>;
  /** Nobody listens. */
  outage: boolean;
  /** Nobody listens to kubelets and schedulers either. */
  outageOfAll: boolean;
  /** How old a state the server may answer a list of "any version" with. */
  staleListMs: number;
  /** What drivers of volumes suffer from. */
  driver: DriverTroubles;
  /** What the server refuses to some. */
  readonly refusals: Refusals;
}

const CALM_LATENCY_MS = 20;
export const wellDriver: DriverTroubles = { failShare: 0, lostShare: 0, slowMs: 0 };

export function calmWeather(): Weather {
  return {
    errorShare: 0,
    errorFates: [],
    latencyMs: CALM_LATENCY_MS,
    lagUntilMs: new Map(),
    outage: false,
    outageOfAll: false,
    staleListMs: 0,
    driver: wellDriver,
    refusals: noRefusals(),
  };
}

/** Everything that holds for a while ends now. */
export function clearUp(weather: Weather): void {
  const { lagUntilMs, refusals } = weather;
  Object.assign(weather, { ...calmWeather(), lagUntilMs, refusals });
  lagUntilMs.clear();
  takeBack(refusals);
}
