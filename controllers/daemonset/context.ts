import type { LabelSelector } from "../../pkg/api/labels.ts";
import type { ControllerRevision, DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { DeletionTracking, Expectations } from "../../pkg/controller/expectations.ts";
import type { PodControl } from "../../pkg/controller/pod-control.ts";
import type { FailedPodBackoff } from "./failed-pods.ts";
import type { NodeChanges } from "./node-changes.ts";
import type { FitsNode } from "./node-fit.ts";

/** All that a sync of a DaemonSet works with. */
export interface DaemonContext {
  readonly daemonSets: Lister<DaemonSet>;
  readonly revisions: Lister<ControllerRevision>;
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
  readonly client: Pick<ResourceClient<DaemonSet>, "get" | "updateStatus">;
  readonly revisionClient: Pick<
    ResourceClient<ControllerRevision>,
    "get" | "create" | "update" | "patch" | "delete"
  >;
  readonly podControl: PodControl;
  readonly expectations: Expectations;
  readonly deletions: DeletionTracking;
  /** Undefined when the feature gate is off. */
  readonly consistency: ConsistencyStore | undefined;
  readonly failedPods: FailedPodBackoff;
  readonly fitOf: (daemonSet: DaemonSet) => FitsNode;
  readonly nodeChanges: NodeChanges;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** One sync of one DaemonSet. */
export interface Round {
  readonly context: DaemonContext;
  readonly daemonSet: DaemonSet;
  readonly selector: LabelSelector;
  readonly log: Logger;
  readonly signal: AbortSignal;
}
