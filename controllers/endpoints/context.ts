import type { Endpoints, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { TriggerTimes } from "../../pkg/endpoints/trigger-times.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";

/** All that a sync of a Service works with. */
export interface EndpointsContext {
  readonly clock: Clock;
  readonly services: Lister<Service>;
  readonly pods: Lister<Pod>;
  readonly endpoints: Lister<Endpoints>;
  readonly client: ResourceClient<Endpoints>;
  readonly serviceClient: ResourceClient<Service>;
  readonly events: EventRecorder;
  readonly triggerTimes: TriggerTimes;
  readonly consistency: ConsistencyStore;
}
