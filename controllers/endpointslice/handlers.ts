import { keyOf } from "../../pkg/api/object.ts";
import { isNodeReady } from "../../pkg/api/node.ts";
import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import { affectedServices, entriesOf, SELECTOR_INDEX } from "../../pkg/endpoints/backing-pods.ts";
import { serviceKeyOf } from "../../pkg/endpoints/slice-tracker.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import type { SliceContext } from "./context.ts";
import { ZONE_LABEL } from "./endpoint-of-pod.ts";
import { isManagedHere } from "./slice-object.ts";

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

/** Wakes the Services that select the pod, or did. Changes wait for `batchMs`, so that several go into one write. */
export function podHandler(
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

const LEAST_SLICE_DELAY_MS = 1_000;

/** Wakes the Service of a slice that somebody else changed. They wait a little, as such changes come in several. */
export function sliceHandler(
  { tracker }: Pick<SliceContext, "tracker">,
  queue: WorkQueue<string>,
  batchMs: number,
): EventHandler<EndpointSlice> {
  const wake = (slice: EndpointSlice, priority: Priority = "live"): void => {
    const key = serviceKeyOf(slice);
    if (key !== undefined) queue.addAfter(key, Math.max(batchMs, LEAST_SLICE_DELAY_MS), priority);
  };
  return {
    onAdd: (slice, inInitialList) => {
      if (isManagedHere(slice) && tracker.isNews(slice)) wake(slice, inInitialList ? "background" : "live");
    },
    onUpdate: (before, after) => {
      // A change of labels is none of the generation, which the tracker knows.
      if (serviceKeyOf(before) !== serviceKeyOf(after)) {
        wake(after);
        wake(before);
        return;
      }
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      const handedOver = isManagedHere(before) !== isManagedHere(after);
      if (handedOver || (isManagedHere(after) && tracker.isNews(after)))
        wake(after, isResync ? "background" : "live");
    },
    onDelete: (slice) => {
      if (isManagedHere(slice) && tracker.has(slice) && !tracker.deletionObserved(slice)) wake(slice);
    },
  };
}

/** Calls back when the zones' shares may have changed. */
export function nodeHandler(changed: () => void): EventHandler<Node> {
  return {
    onAdd: changed,
    onUpdate: (before, after) => {
      const moved = before.metadata.labels?.[ZONE_LABEL] !== after.metadata.labels?.[ZONE_LABEL];
      if (moved || isNodeReady(before) !== isNodeReady(after)) changed();
    },
    onDelete: changed,
  };
}
