/*
 * Time and chance as interfaces, so that whatever waits or draws can be tested on a virtual clock with a seed.
 */
export type { Clock, Timer } from "./clock.ts";
export { realClock, realRandom } from "./real.ts";
export { jitter, randomBelow, randomUuid, seededRandom, type Random } from "./random.ts";
export { DeadlineError, sleep, withDeadline, type Deadline } from "./wait.ts";
