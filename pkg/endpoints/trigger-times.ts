import type { StoredObject } from "../api/object.ts";
import { podCondition, type PodWithReadiness } from "../api/pod.ts";
import { forEachInSteps, type Steps } from "../api/steps.ts";
import { formatTime, parseTime } from "../api/time.ts";

interface Seen {
  /** Of the Service: another of its name has another history. */
  readonly uid: string;
  readonly serviceMs: number;
  readonly podMs: ReadonlyMap<string, number>;
}

/**
 * When the change happened that a sync is about to write down, for measuring how long it took to get into the network.
 * It is the earliest change since the sync before. Every sync must ask, also one that writes nothing. When one object
 * changes twice between two syncs, the earlier change is lost.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** As the annotation has it; undefined when nothing has changed. One at a time for each Service. */
  *next(
    serviceKey: string,
    service: StoredObject,
    pods: readonly (StoredObject & PodWithReadiness)[],
  ): Steps<string | undefined> {
    const { uid } = service.metadata;
    const last = this.#seen.get(serviceKey);
    const before = last?.uid === uid ? last : undefined;
    const serviceMs = parseTime(service.metadata.creationTimestamp) ?? -Infinity;
    const podMs = new Map<string, number>();
    let earliestMs = Infinity;
    yield* forEachInSteps(pods, (pod) => {
      const atMs = parseTime(podCondition(pod, "Ready")?.lastTransitionTime);
      const { name } = pod.metadata;
      if (atMs === undefined) return;
      podMs.set(name, atMs);
      if (atMs > (before?.podMs.get(name) ?? -Infinity)) earliestMs = Math.min(earliestMs, atMs);
    });
    if (serviceMs > (before?.serviceMs ?? -Infinity)) earliestMs = Math.min(earliestMs, serviceMs);
    this.#seen.set(serviceKey, { uid, serviceMs, podMs });
    const triggerMs = before === undefined ? serviceMs : earliestMs;
    return Number.isFinite(triggerMs) ? formatTime(triggerMs) : undefined;
  }

  forget(serviceKey: string): void {
    this.#seen.delete(serviceKey);
  }
}
