import { isOnly, throwAll } from "../../pkg/api/errors.ts";
import { type LabelSelector, SelectorError } from "../../pkg/api/labels.ts";
import type { ControllerRevision, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { isNamespaceTerminating } from "../../pkg/client/errors.ts";
import { attempts } from "../../pkg/controller/attempts.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { takeSteps, writeStatus } from "./apply.ts";
import type { StatefulSetContext } from "./context.ts";
import { isMember, ordinalOf } from "./identity.ts";
import { newPod, staysAtCurrentRevision } from "./new-pod.ts";
import { decideReplicas, type ReplicasPlan, type ReplicasView } from "./replicas.ts";
import { type Revisions, restoredTemplate } from "./revisions.ts";
import { decideRolling, decideRollingWithin, type RollingView } from "./rolling.ts";
import { allowsBurst, podSelector } from "./stateful-set.ts";
import { decideStatus } from "./status.ts";
import { claimRevisions, syncRevisions, truncateHistory } from "./sync-revisions.ts";
import { measureUnavailability } from "./metrics.ts";
import type { PodOfSet } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

type Sync = OwnerSync<StatefulSet>;

/** One step of a StatefulSet: its revision, its pods in their order, then its status and its history. */
export async function syncStatefulSet(sync: Sync, context: StatefulSetContext): Promise<SyncResult> {
  const { owner: set, signal } = sync;
  const selector = readSelector(sync);
  if (selector === undefined) return {};
  const history = await claimRevisions(sync, context, selector);
  const pods = await context.owned.claim(
    sync,
    (pod) => isMember(set, pod) && selector.matches(pod.metadata.labels),
  );
  const { errors, attempt } = attempts(signal);
  const revisions = await attempt(async () => syncRevisions(sync, context, history));
  const result = revisions && (await attempt(async () => syncPods(sync, context, pods, revisions)));
  // As long as it is not known which revisions are in use, none is deleted.
  if (revisions !== undefined)
    await attempt(async () => truncateHistory(sync, context, history, { pods, live: revisions }));
  // Nothing can be created in a terminating namespace, and nothing has to be.
  throwAll(errors.filter((error) => !isOnly(error, isNamespaceTerminating)));
  return result ?? {};
}

/** Writes the status even if something before it failed. It tells of what was done until then. */
async function syncPods(
  sync: Sync,
  context: StatefulSetContext,
  pods: readonly PodOfSet[],
  revisions: Revisions,
): Promise<SyncResult> {
  const { owner: set, log, signal } = sync;
  const { errors, attempt } = attempts(signal);
  const nowMs = context.clock.nowMs();
  const outdated: PodOfSet[] = [];
  await attempt(async () => {
    const plan = decideReplicas(replicasView(set, context, pods, revisions), nowMs);
    if (context.unavailability !== undefined)
      measureUnavailability(context.unavailability, set, plan.places, nowMs);
    await takePlan(sync, context, plan);
    if (plan.heldUpBy === undefined) await rollOn(sync, context, plan, { revisions, outdated });
    else log.verbose(4, "The StatefulSet waits", { reason: plan.heldUpBy });
  });
  const placed = pods.filter((pod) => ordinalOf(pod) !== undefined);
  const { status, recheckAfterMs } = decideStatus({ set, pods: placed, revisions, outdated }, nowMs);
  if (status !== undefined) await attempt(async () => writeStatus(sync, context, status));
  throwAll(errors);
  return recheckAfterMs === undefined ? {} : { requeueAfterMs: recheckAfterMs };
}

function replicasView(
  set: Stored<StatefulSet>,
  { claims }: StatefulSetContext,
  pods: readonly PodOfSet[],
  { current, update }: Revisions,
): ReplicasView {
  // Restoring a template takes long, and most places have the same one.
  const templates = new Map<ControllerRevision, PodTemplateSpec>();
  const templateOf = (revision: Stored<ControllerRevision>): PodTemplateSpec => {
    const template = templates.get(revision) ?? restoredTemplate(set, revision);
    templates.set(revision, template);
    return template;
  };
  return {
    set,
    pods,
    claim: (name) => claims.lister.get(set.metadata.namespace, name),
    newPod: (ordinal) => {
      const revision = staysAtCurrentRevision(set, ordinal) ? current : update;
      return newPod(set, templateOf(revision), revision.metadata.name, ordinal);
    },
  };
}

async function takePlan(sync: Sync, context: StatefulSetContext, plan: ReplicasPlan): Promise<void> {
  const order = allowsBurst(sync.owner) ? "in bursts" : "in turn";
  for (const steps of [plan.replicas, plan.condemnedClaims, plan.condemned])
    if (steps.length > 0) await takeSteps(sync, context, steps, order);
}

interface Rollout {
  readonly revisions: Revisions;
  /** Gets each pod that was deleted, whatever fails after it. */
  readonly outdated: PodOfSet[];
}

/** Deletes outdated pods one by one. */
async function rollOn(
  sync: Sync,
  context: StatefulSetContext,
  { places }: ReplicasPlan,
  { revisions, outdated }: Rollout,
): Promise<void> {
  const nowMs = context.clock.nowMs();
  const updateRevision = revisions.update.metadata.name;
  const view: RollingView = { set: sync.owner, places, updateRevision };
  const steps =
    context.unavailability === undefined ? decideRolling(view, nowMs) : decideRollingWithin(view, nowMs);
  for (const step of steps) {
    await takeSteps(sync, context, [step], "in turn");
    outdated.push(step.pod);
  }
}

function readSelector({ owner, log }: Sync): LabelSelector | undefined {
  try {
    const selector = podSelector(owner);
    // The server refuses an empty selector. Should one get through, it must not claim every pod of the namespace.
    return selector.empty ? undefined : selector;
  } catch (error) {
    // A retry would not help: only a change of the object does, and that wakes its key.
    if (!(error instanceof SelectorError)) throw error;
    log.error(error, "The selector cannot be read");
    return undefined;
  }
}
