import { largest } from "../../pkg/api/extremes.ts";

/** How many replicas there were to be by the metrics alone, at a time of the clock that is never set. */
export interface Recommendation {
  readonly replicas: number;
  readonly timeMs: number;
}

export type Recommendations = readonly Recommendation[];

export interface Stabilized {
  readonly replicas: number;
  /** With the new one, which takes the place of one that nobody looks at any more. */
  readonly recommendations: Recommendations;
}

/** The highest recommendation of the window. */
export function stabilizeDown(
  before: Recommendations,
  wanted: number,
  windowMs: number,
  nowMs: number,
): Stabilized {
  const cutoffMs = nowMs - windowMs;
  const recent = before.filter(({ timeMs }) => timeMs >= cutoffMs);
  const replicas = largest([wanted, ...recent.map((each) => each.replicas)]) ?? wanted;
  const old = before.findLastIndex(({ timeMs }) => timeMs < cutoffMs);
  return { replicas, recommendations: replaced(before, old, { replicas: wanted, timeMs: nowMs }) };
}

export interface Windows {
  readonly upMs: number;
  readonly downMs: number;
}

/**
 * As near to what there are as the recommendations of the windows allow: not above the lowest of the one for more, nor
 * below the highest of the one for fewer.
 */
export function stabilizeBoth(
  before: Recommendations,
  { wanted, current }: { readonly wanted: number; readonly current: number },
  { upMs, downMs }: Windows,
  nowMs: number,
): Stabilized {
  const [upCutoffMs, downCutoffMs] = [nowMs - upMs, nowMs - downMs];
  let [up, down, old] = [wanted, wanted, -1];
  for (const [index, { replicas, timeMs }] of before.entries()) {
    if (timeMs > upCutoffMs) up = Math.min(up, replicas);
    if (timeMs > downCutoffMs) down = Math.max(down, replicas);
    if (timeMs < upCutoffMs && timeMs < downCutoffMs) old = index;
  }
  const replicas = Math.min(Math.max(current, up), down);
  return { replicas, recommendations: replaced(before, old, { replicas: wanted, timeMs: nowMs }) };
}

function replaced(before: Recommendations, index: number, next: Recommendation): Recommendations {
  return index < 0 ? [...before, next] : before.with(index, next);
}
