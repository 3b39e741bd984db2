import { resources } from "../../pkg/api/resources.ts";
import { ServiceSlices } from "../../pkg/controller/endpoints/service-slices.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { CONTROLLER_NAME } from "./mirror-slice.ts";
import { MirrorMetrics } from "./metrics.ts";
import { SERVICE_FIELDS } from "./handlers.ts";

/** All that a sync of Endpoints works with. */
export type MirrorContext = ReturnType<typeof mirrorContext>;

export function mirrorContext(kit: Kit, maxPerSubset: number) {
  const { clock, events } = kit.env;
  const metrics = new MirrorMetrics(kit.env.metrics, maxPerSubset);
  return {
    endpoints: kit.reads(resources.endpoints),
    services: kit.reads(resources.services, { fields: SERVICE_FIELDS }),
    slices: new ServiceSlices(kit, { managedBy: CONTROLLER_NAME, changes: metrics.slices.changes }),
    metrics,
    maxPerSubset,
    events,
    clock,
  };
}
