import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { SliceTracker } from "../../pkg/endpoints/slice-tracker.ts";
import type { TriggerTimes } from "../../pkg/endpoints/trigger-times.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { SliceMetrics } from "./sync-metrics.ts";
import type { TopologyCache } from "./topology-cache.ts";

/** All that a sync of a Service works with. */
export interface SliceContext {
  readonly clock: Clock;
  readonly services: Lister<Service>;
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
  readonly slices: Lister<EndpointSlice>;
  readonly client: ResourceClient<EndpointSlice>;
  readonly events: EventRecorder;
  readonly tracker: SliceTracker;
  readonly triggerTimes: TriggerTimes;
  readonly topology: TopologyCache;
  readonly metrics: SliceMetrics;
  readonly maxEndpoints: number;
}

/** Index of the slices that this controller manages by the key of their Service. */
export const SERVICE_INDEX = "endpointslice-service";
