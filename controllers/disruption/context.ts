import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { rememberedCoverage } from "./budget.ts";
import { Scales } from "./sync-scale.ts";

/** The fields of pods that this controller reads. The cache keeps nothing else on its behalf. */
const POD_FIELDS = [
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.reason",
  "status.conditions.lastTransitionTime",
];
/** The fields of their owners. */
const OWNER_FIELDS = { fields: ["spec.replicas"] };

/** All that a sync of a budget, or of a pod's condition, works with. */
export type DisruptionContext = ReturnType<typeof disruptionContext>;

export function disruptionContext(kit: Kit) {
  const { client, clock, events } = kit.env;
  return {
    budgets: kit.reads(resources.podDisruptionBudgets),
    pods: kit.reads(resources.pods, { fields: POD_FIELDS }),
    owners: {
      replicationControllers: kit.reads(resources.replicationControllers, OWNER_FIELDS).lister,
      replicaSets: kit.reads(resources.replicaSets, OWNER_FIELDS).lister,
      deployments: kit.reads(resources.deployments, OWNER_FIELDS).lister,
      statefulSets: kit.reads(resources.statefulSets, OWNER_FIELDS).lister,
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
