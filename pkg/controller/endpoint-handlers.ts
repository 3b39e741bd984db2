import { keyOf } from "../api/object.ts";
import type { Pod, Service } from "../api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../api/types/discovery-v1.gen.ts";
import type { EventHandler } from "../cache/informer.ts";
import type { Lister } from "../cache/lister.ts";
import { affectedServices, entriesOf, SELECTOR_INDEX } from "../endpoints/backing-pods.ts";
import { serviceKeyOf, type SliceTracker } from "../endpoints/slice-tracker.ts";
import type { Priority, WorkQueue } from "../workqueue/queue.ts";

/** Every change of a Service is a reason to look at its endpoints. */
export function serviceHandler(queue: WorkQueue<string>): EventHandler<Service> {
  return {
    onAdd: (service, inInitialList) => queue.add(keyOf(service), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      queue.add(keyOf(after), isResync ? "background" : "live");
    },
    onDelete: (service) => queue.add(keyOf(service)),
  };
}

/**
 * Wakes the Services that select the pod, or did; they need the index SELECTOR_INDEX. Changes wait for `batchMs`, so that
 * several go into one write.
 */
export function backingPodHandler(
  services: Lister<Service>,
  queue: WorkQueue<string>,
  batchMs: number,
): EventHandler<Pod> {
  const changed = (before: Pod | undefined, after: Pod | undefined, priority: Priority = "live"): void => {
    const candidates = [...entriesOf(before, after)].flatMap((entry) =>
      services.byIndex(SELECTOR_INDEX, entry),
    );
    for (const service of affectedServices(candidates, before, after)) {
      queue.addAfter(keyOf(service), batchMs, priority);
    }
  };
  return {
    onAdd: (pod, inInitialList) => changed(undefined, pod, inInitialList ? "background" : "live"),
    onUpdate: (before, after) => changed(before, after),
    onDelete: (pod) => changed(pod, undefined),
  };
}

export interface SliceHandlerOptions {
  readonly tracker: SliceTracker;
  /** Whether the controller that listens keeps the slice. */
  readonly isManaged: (slice: EndpointSlice) => boolean;
  /** Such changes come in several. */
  readonly delayMs: number;
}

/** Wakes whoever a slice belongs to when somebody else changed it. */
export function sliceHandler(
  queue: WorkQueue<string>,
  { tracker, isManaged, delayMs }: SliceHandlerOptions,
): EventHandler<EndpointSlice> {
  const wake = (slice: EndpointSlice, priority: Priority = "live"): void => {
    const key = serviceKeyOf(slice);
    if (key !== undefined) queue.addAfter(key, delayMs, priority);
  };
  return {
    onAdd: (slice, inInitialList) => {
      if (isManaged(slice) && tracker.isNews(slice)) wake(slice, inInitialList ? "background" : "live");
    },
    onUpdate: (before, after) => {
      const moved = serviceKeyOf(before) !== serviceKeyOf(after);
      // It will not be seen among those of its Service again, for which a sync would wait in vain.
      if (isManaged(before) && (moved || !isManaged(after))) tracker.forget(before);
      if (moved) {
        wake(after);
        wake(before);
        return;
      }
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      const handedOver = isManaged(before) !== isManaged(after);
      if (handedOver || (isManaged(after) && tracker.isNews(after)))
        wake(after, isResync ? "background" : "live");
    },
    onDelete: (slice) => {
      // One that was never written here, as the answer was lost or another process wrote it, was not expected to go.
      const isKnown = tracker.has(slice);
      if (isManaged(slice) && !(tracker.deletionObserved(slice) && isKnown)) wake(slice);
    },
  };
}
