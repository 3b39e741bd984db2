import type { LabelSelector } from "../../pkg/api/labels.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { OwnedRevisions } from "../../pkg/controller/history/owned-revisions.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { OwnedPods } from "../../pkg/controller/owned-pods.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { FailedPodBackoff } from "./failed-pods.ts";
import { NodeChanges } from "./node-changes.ts";
import { rememberedNodeFit } from "./node-fit.ts";
import { DAEMON_NODE_INDEX, daemonNodeIndex } from "./node-pods.ts";
import { NODE_FIELDS, POD_FIELDS } from "./fields.ts";

/** All that a sync of a DaemonSet works with. */
export type DaemonContext = ReturnType<typeof daemonContext>;

/** One sync of one DaemonSet. */
export interface Round {
  readonly sync: OwnerSync<DaemonSet>;
  readonly context: DaemonContext;
  readonly selector: LabelSelector;
}

export function daemonContext(kit: Kit) {
  const { client, clock, events, features } = kit.env;
  const daemonSets = kit.reads(resources.daemonSets);
  const revisions = kit.reads(resources.controllerRevisions);
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(DAEMON_NODE_INDEX, daemonNodeIndex);
  kit.readYourWrites({
    featureGate: "StaleControllerConsistencyDaemonSet",
    skipsOf: resources.daemonSets,
  });
  return {
    daemonSets,
    revisions,
    pods,
    nodes: kit.reads(resources.nodes, { fields: NODE_FIELDS }),
    writes: kit.writes(resources.daemonSets),
    owned: new OwnedPods(kit, {
      owners: daemonSets,
      pods,
      // The answers are read whole: the status that the same sync writes counts the pods that it has created.
      podClient: client.clientFor(resources.pods),
    }),
    history: new OwnedRevisions(kit, { owners: daemonSets, revisions }),
    failedPods: new FailedPodBackoff(),
    fitOf: rememberedNodeFit({ comparisonOperators: features.enabled("TaintTolerationComparisonOperators") }),
    nodeChanges: new NodeChanges(),
    events,
    clock,
  };
}
