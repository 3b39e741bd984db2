import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { rememberedCoverage } from "./budget.ts";
import { Scales } from "./sync-scale.ts";
import { OWNER_FIELDS, POD_FIELDS } from "./fields.ts";

/** All that a sync of a budget, or of a pod's condition, works with. */
export type DisruptionContext = ReturnType<typeof disruptionContext>;

export function disruptionContext(kit: Kit) {
  const { client, clock, events } = kit.env;
  return {
    budgets: kit.reads(resources.podDisruptionBudgets),
    pods: kit.reads(resources.pods, { fields: POD_FIELDS }),
    owners: {
      replicationControllers: kit.reads(resources.replicationControllers, { fields: OWNER_FIELDS }).lister,
      replicaSets: kit.reads(resources.replicaSets, { fields: OWNER_FIELDS }).lister,
      deployments: kit.reads(resources.deployments, { fields: OWNER_FIELDS }).lister,
      statefulSets: kit.reads(resources.statefulSets, { fields: OWNER_FIELDS }).lister,
    },
    /** For owners of all other kinds. */
    scales: new Scales(client, clock),
    writes: kit.writes(resources.podDisruptionBudgets),
    podClient: client.clientFor(resources.pods),
    covers: rememberedCoverage(),
    events,
    clock,
  };
}
