/** Clocks of processes run faster or slower by so much at most. */
export const CLOCK_RATE = 0.02;
/** Of evictions: times in objects have whole seconds, and a node may have been read for others a second before. */
export const EVICTION_SLACK_MS = 2_100;
