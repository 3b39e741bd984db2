import type { PartialObject } from "../api/object.ts";

export type EventType = "Normal" | "Warning";

/** What is to be told, of which object. */
export interface Occurrence {
  readonly regarding: PartialObject;
  /** The part of the object that it is about. */
  readonly fieldPath?: string;
  /** The node that it happened on. */
  readonly host?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** Tells people what happened to an object. Never fails, never waits: an event that cannot be kept is dropped. */
export interface EventRecorder {
  /** The object needs its apiVersion and kind. `reason` is UpperCamelCase and stable, `message` is for people. */
  event(regarding: PartialObject, type: EventType, reason: string, message: string): void;
  eventWithAnnotations(occurrence: Occurrence): void;
}
