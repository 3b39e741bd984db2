import { keyOf } from "../../pkg/api/object.ts";
import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { isMirrored } from "./mirror-slice.ts";

export function hasSelector(service: Service): boolean {
  return Object.keys(service.spec?.selector ?? {}).length > 0;
}

/** Only whether a Service has a selector means something to its Endpoints. */
export function serviceHandler(queue: WorkQueue<string>): EventHandler<Service> {
  return {
    onAdd: (service, inInitialList) => {
      if (!hasSelector(service)) queue.add(keyOf(service), inInitialList ? "background" : "live");
    },
    onUpdate: (before, after) => {
      if (hasSelector(before) !== hasSelector(after)) queue.add(keyOf(after));
    },
    onDelete: (service) => {
      if (!hasSelector(service)) queue.add(keyOf(service));
    },
  };
}

export function endpointsHandler(queue: WorkQueue<string>): EventHandler<Endpoints> {
  return {
    onAdd: (endpoints, inInitialList) => {
      if (isMirrored(endpoints)) queue.add(keyOf(endpoints), inInitialList ? "background" : "live");
    },
    onUpdate: (before, after) => {
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      if (isMirrored(before) || isMirrored(after)) queue.add(keyOf(after), isResync ? "background" : "live");
    },
    onDelete: (endpoints) => {
      if (isMirrored(endpoints)) queue.add(keyOf(endpoints));
    },
  };
}
