import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { BACKING_POD_FIELDS, SERVICE_FIELDS } from "../../pkg/endpoints/backing-pods.ts";
import { TriggerTimes } from "../../pkg/endpoints/trigger-times.ts";

/** All that a sync of a Service works with. */
export type EndpointsContext = ReturnType<typeof endpointsContext>;

export function endpointsContext(kit: Kit) {
  const { client, clock, events } = kit.env;
  return {
    services: kit.reads(resources.services, { fields: SERVICE_FIELDS }),
    pods: kit.reads(resources.pods, { fields: BACKING_POD_FIELDS }),
    endpoints: kit.reads(resources.endpoints),
    client: client.clientFor(resources.endpoints),
    serviceClient: client.clientFor(resources.services),
    writes: kit.writes(resources.endpoints),
    triggerTimes: new TriggerTimes(),
    events,
    clock,
  };
}
