import { dnsSubdomainProblems } from "../api/names.ts";
import type { PartialObject } from "../api/object.ts";
import { formatTime } from "../api/time.ts";
import type { Event, EventSource, ObjectReference } from "../api/types/core-v1.gen.ts";
import type { Clock } from "../clock/clock.ts";
import { randomBelow, randomUuid, type Random } from "../clock/random.ts";
import type { Occurrence } from "./recorder.ts";

/** Makes Event objects, with names and times as client-go gives them. */
export class EventMaker {
  readonly #clock: Clock;
  readonly #random: Random;
  #lastNanos = 0n;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  now(): string {
    return formatTime(this.#clock.nowMs());
  }

  event(occurrence: Occurrence, source: EventSource): Event {
    const { regarding, fieldPath, host = source.host, annotations, type, reason, message } = occurrence;
    const involvedObject = { ...referenceTo(regarding), ...(fieldPath !== undefined && { fieldPath }) };
    const now = this.now();
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: this.name(involvedObject.name ?? ""),
        // Of objects without one; some write it as "".
        namespace: involvedObject.namespace || "default",
        ...(annotations === undefined ? {} : { annotations }),
      },
      involvedObject,
      reason,
      message,
      source: { ...source, ...(host !== undefined && { host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: source.component ?? "",
      reportingInstance: host ?? "",
    };
  }

  /** `<object>.<nanoseconds in hex>`, or a UUID where that would be no valid name. */
  name(objectName: string): string {
    const name = `${objectName}.${this.#nextNanos().toString(16)}`;
    return dnsSubdomainProblems(name).length === 0 ? name : randomUuid(this.#random);
  }

  /**
   * Never the same twice: a second event under one name would be refused. The clock may tell whole milliseconds only,
   * so what is below is drawn, lest two processes name their events of one millisecond alike.
   */
  #nextNanos(): bigint {
    const wholeMs = Math.floor(this.#clock.nowMs());
    const nanos = BigInt(wholeMs) * 1_000_000n + BigInt(randomBelow(this.#random, 1_000_000));
    this.#lastNanos = nanos > this.#lastNanos ? nanos : this.#lastNanos + 1n;
    return this.#lastNanos;
  }
}

function referenceTo({ apiVersion, kind, metadata }: PartialObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
