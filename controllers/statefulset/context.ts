import { resources } from "../../pkg/api/resources.ts";
import { OwnedRevisions } from "../../pkg/controller/history/owned-revisions.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { OwnedObjects } from "../../pkg/controller/owned-objects.ts";
import { unavailabilityGauges } from "./sync-unavailability.ts";

/** The fields of pods that this controller reads. The cache keeps nothing else on its behalf. */
const POD_FIELDS = [
  "spec.volumes.name",
  "spec.volumes.persistentVolumeClaim.claimName",
  "status.phase",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
];

/** All that a sync of a StatefulSet works with. */
export type StatefulSetContext = ReturnType<typeof statefulSetContext>;

export function statefulSetContext(kit: Kit) {
  const { client, clock, events, features, metrics } = kit.env;
  const sets = kit.reads(resources.statefulSets);
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  const claims = kit.reads(resources.persistentVolumeClaims, { fields: [] });
  const revisions = kit.reads(resources.controllerRevisions);
  const consistency = kit.readYourWrites({
    featureGate: "StaleControllerConsistencyStatefulSet",
    caches: [sets, pods, claims, revisions],
    skips: {
      name: "statefulset_controller_stale_sync_skips_total",
      help: "Syncs of StatefulSets that were put off because a cache had not seen an earlier write.",
      stability: "ALPHA",
    },
  });
  return {
    sets,
    pods,
    claims,
    setClient: client.clientFor(resources.statefulSets),
    claimClient: client.clientFor(resources.persistentVolumeClaims),
    consistency,
    owned: new OwnedObjects(kit, { owners: sets, objects: pods, consistency }),
    history: new OwnedRevisions(kit, { owners: sets, revisions, consistency }),
    events,
    /** Whether a template that differs from the latest revision in defaults only is that revision. */
    comparesMeaning: features.enabled("StatefulSetSemanticRevisionComparison"),
    /** Undefined when the gate is off: then a rolling update takes one pod at a time. */
    unavailability: unavailabilityGauges(metrics, features.enabled("MaxUnavailableStatefulSet")),
    clock,
  };
}
