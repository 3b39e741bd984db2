/**
 * How long after it created something a sync looks again. What is deleted before the cache has shown it (a watch that
 * broke, and a list that no longer has it) wakes nobody.
 */
export const LOOK_AGAIN_MS = 1_000;
