import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { BACKING_POD_FIELDS, SERVICE_FIELDS } from "../../pkg/endpoints/backing-pods.ts";
import { TriggerTimes } from "../../pkg/endpoints/trigger-times.ts";

/** All that a sync of a Service works with. */
export type EndpointsContext = ReturnType<typeof endpointsContext>;

export function endpointsContext(kit: Kit) {
  const { client, clock, events } = kit.env;
  const services = kit.reads(resources.services, { fields: SERVICE_FIELDS });
  const pods = kit.reads(resources.pods, { fields: BACKING_POD_FIELDS });
  const endpoints = kit.reads(resources.endpoints);
  return {
    services,
    pods,
    endpoints,
    client: client.clientFor(resources.endpoints),
    serviceClient: client.clientFor(resources.services),
    consistency: kit.readYourWrites({ caches: [endpoints] }),
    triggerTimes: new TriggerTimes(),
    events,
    clock,
  };
}
