/** Two turns that lie closer together than this share of the period are one. */
const LEAST_SHARE = 1 / 100;
/** Those whose turns lie closer together have them at the same time: to wake up for each costs more than its turn. */
const SLOT_MS = 100;

/**
 * How long until the autoscaler's next turn, at most a period. Each has a place of its own in the period, so that those
 * that came in one second do not come back in one second for ever.
 */
export function untilNextTurnMs(uid: string, periodMs: number, nowMs: number): number {
  if (periodMs <= 0) return 0;
  const slotMs = Math.min(SLOT_MS, periodMs * LEAST_SHARE);
  const placeMs = Math.floor((placeOf(uid) * periodMs) / slotMs) * slotMs;
  const waitMs = (((placeMs - nowMs) % periodMs) + periodMs) % periodMs;
  return waitMs < periodMs * LEAST_SHARE ? periodMs : waitMs;
}

/** From 0 to 1, evenly. FNV-1a, with its bits mixed once more: uids that follow one another are to lie apart. */
function placeOf(uid: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < uid.length; index++) hash = Math.imul(hash ^ uid.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
