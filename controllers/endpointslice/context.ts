import { resources } from "../../pkg/api/resources.ts";
import { ServiceSlices } from "../../pkg/controller/endpoints/service-slices.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { BACKING_POD_FIELDS } from "../../pkg/endpoints/backing-pods.ts";
import { TriggerTimes } from "../../pkg/endpoints/trigger-times.ts";
import { CONTROLLER_NAME } from "./slice-object.ts";
import { SliceMetrics } from "./metrics.ts";
import { TopologyCache } from "./topology-cache.ts";
import { NODE_FIELDS, CACHED_SERVICE_FIELDS } from "./fields.ts";

/** All that a sync of a Service works with. */
export type SliceContext = ReturnType<typeof sliceContext>;

export function sliceContext(kit: Kit, maxEndpoints: number) {
  const { clock, events } = kit.env;
  const metrics = new SliceMetrics(kit.env.metrics, maxEndpoints);
  return {
    services: kit.reads(resources.services, { fields: CACHED_SERVICE_FIELDS }),
    pods: kit.reads(resources.pods, { fields: BACKING_POD_FIELDS }),
    nodes: kit.reads(resources.nodes, { fields: NODE_FIELDS }),
    slices: new ServiceSlices(kit, { managedBy: CONTROLLER_NAME, changes: metrics.changes }),
    triggerTimes: new TriggerTimes(),
    topology: new TopologyCache(),
    metrics,
    maxEndpoints,
    events,
    clock,
  };
}
