import { resources } from "../../pkg/api/resources.ts";
import { OwnedRevisions } from "../../pkg/controller/history/owned-revisions.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { OwnedObjects } from "../../pkg/controller/owned-objects.ts";
import { unavailabilityGauges } from "./metrics.ts";
import { POD_FIELDS } from "./fields.ts";

/** All that a sync of a StatefulSet works with. */
export type StatefulSetContext = ReturnType<typeof statefulSetContext>;

export function statefulSetContext(kit: Kit) {
  const { clock, events, features, metrics } = kit.env;
  const sets = kit.reads(resources.statefulSets);
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  const revisions = kit.reads(resources.controllerRevisions);
  kit.readYourWrites({
    featureGate: "StaleControllerConsistencyStatefulSet",
    skipsOf: resources.statefulSets,
  });
  return {
    sets,
    pods,
    claims: kit.reads(resources.persistentVolumeClaims, { fields: [] }),
    writes: kit.writes(resources.statefulSets),
    claimWrites: kit.writes(resources.persistentVolumeClaims),
    owned: new OwnedObjects(kit, { owners: sets, objects: pods }),
    history: new OwnedRevisions(kit, { owners: sets, revisions }),
    events,
    /** Whether a template that differs from the latest revision in defaults only is that revision. */
    comparesMeaning: features.enabled("StatefulSetSemanticRevisionComparison"),
    /** Undefined when the gate is off: then a rolling update takes one pod at a time. */
    unavailability: unavailabilityGauges(metrics, features.enabled("MaxUnavailableStatefulSet")),
    clock,
  };
}
