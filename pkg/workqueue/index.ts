/*
 * Queues of keys that wait for work: none is worked on twice at a time, none is lost, and namespaces take turns.
 */
export { createWorkQueue, type WorkQueueOptions } from "./work-queue.ts";
export type { Priority, WorkQueue } from "./queue.ts";
export {
  bucketLimiter,
  controllerLimiter,
  exponentialLimiter,
  fastSlowLimiter,
  maxOfLimiter,
  type BackOff,
  type RateLimiter,
} from "./rate-limiter.ts";
