/*
 * Events, which tell people what happened to an object: counted rather than repeated, and rationed.
 */
export { EventBroadcaster, type BroadcasterOptions, type EventClient } from "./broadcaster.ts";
export type { EventRecorder, EventType, Occurrence } from "./recorder.ts";
export { defaultCorrelation, type CorrelatorOptions } from "./correlator.ts";
