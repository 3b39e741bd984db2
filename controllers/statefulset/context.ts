import type { ControllerRevision, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { UnavailabilityGauges } from "./sync-unavailability.ts";

/** All that a sync of a StatefulSet works with. */
export interface StatefulSetContext {
  readonly sets: Lister<StatefulSet>;
  readonly pods: Lister<Pod>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly revisions: Lister<ControllerRevision>;
  readonly setClient: ResourceClient<StatefulSet>;
  readonly podClient: ResourceClient<Pod>;
  readonly claimClient: ResourceClient<PersistentVolumeClaim>;
  readonly revisionClient: ResourceClient<ControllerRevision>;
  readonly events: EventRecorder;
  /** Undefined when the feature gate is off. */
  readonly consistency: ConsistencyStore | undefined;
  /** Whether a template that differs from the latest revision in defaults only is that revision. */
  readonly comparesMeaning: boolean;
  /** Undefined when the gate is off: then a rolling update takes one pod at a time. */
  readonly unavailability: UnavailabilityGauges | undefined;
  readonly clock: Clock;
}
