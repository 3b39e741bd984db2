import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { SliceTracker } from "../../pkg/endpoints/slice-tracker.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { MirrorMetrics } from "./sync-metrics.ts";

/** All that a sync of Endpoints works with. */
export interface MirrorContext {
  readonly endpoints: Lister<Endpoints>;
  readonly services: Lister<Service>;
  readonly slices: Lister<EndpointSlice>;
  readonly client: ResourceClient<EndpointSlice>;
  readonly events: EventRecorder;
  readonly tracker: SliceTracker;
  readonly metrics: MirrorMetrics;
  readonly maxPerSubset: number;
  readonly clock: Clock;
}

/** Index of the slices that this controller manages by the key of their Endpoints. */
export const ENDPOINTS_INDEX = "endpointslicemirroring-endpoints";
