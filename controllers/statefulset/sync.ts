import { isOnly, throwAll } from "../../pkg/api/errors.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { type LabelSelector, SelectorError } from "../../pkg/api/labels.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { isNamespaceTerminating } from "../../pkg/client/errors.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { attempts } from "../../pkg/controller/attempts.ts";
import { claimObjects } from "../../pkg/controller/ownership.ts";
import { ownedAndOrphanedPods } from "../../pkg/controller/pod-index.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { takeSteps, writeStatus } from "./apply.ts";
import type { StatefulSetContext } from "./context.ts";
import { isMember, ordinalOf } from "./identity.ts";
import { newPod, staysAtCurrentRevision } from "./new-pod.ts";
import { decideReplicas, type ReplicasPlan, type ReplicasView } from "./replicas.ts";
import { type Revisions, restoredTemplate } from "./revisions.ts";
import { decideRolling, decideRollingWithin, type RollingView } from "./rolling.ts";
import { allowsBurst } from "./stateful-set.ts";
import { decideStatus } from "./status.ts";
import { claimRevisions, syncRevisions, truncateHistory } from "./sync-revisions.ts";
import { forgetUnavailability, measureUnavailability } from "./sync-unavailability.ts";

/** One step of a StatefulSet: its revision, its pods in their order, then its status and its history. */
export async function syncStatefulSet(
  key: string,
  context: StatefulSetContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const set = context.sets.getByKey(key);
  if (set === undefined) {
    context.consistency?.deleteName(key);
    if (context.unavailability !== undefined) forgetUnavailability(context.unavailability, key);
    return {};
  }
  const selector = readSelector(set, log);
  if (selector === undefined) return {};
  const history = await claimRevisions(context, set, selector, log, signal);
  const pods = await claimPods(context, set, selector, log, signal);
  const { errors, attempt } = attempts(signal);
  const revisions = await attempt(async () => syncRevisions(context, set, history, log, signal));
  const result =
    revisions && (await attempt(async () => syncPods(context, set, pods, revisions, log, signal)));
  // As long as it is not known which revisions are in use, none goes.
  if (revisions !== undefined)
    await attempt(async () => truncateHistory(context, set, history, pods, revisions, signal));
  // Nothing can be created in a namespace that is going away, and nothing need be.
  throwAll(errors.filter((error) => !isOnly(error, isNamespaceTerminating)));
  return result ?? {};
}

/** The status is written whatever has failed before, and tells of what was done until then. */
async function syncPods(
  context: StatefulSetContext,
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: Revisions,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const { errors, attempt } = attempts(signal);
  const nowMs = context.clock.nowMs();
  const outdated: Pod[] = [];
  await attempt(async () => {
    const plan = decideReplicas(replicasView(context, set, pods, revisions), nowMs);
    if (context.unavailability !== undefined)
      measureUnavailability(context.unavailability, set, plan.places, nowMs);
    await takePlan(context, set, plan, log, signal);
    if (plan.heldUpBy === undefined) await rollOn(context, set, plan, revisions, outdated, log, signal);
    else log.verbose(4, "The StatefulSet waits", { reason: plan.heldUpBy });
  });
  const placed = pods.filter((pod) => ordinalOf(pod) !== undefined);
  const { status, recheckAfterMs } = decideStatus({ set, pods: placed, revisions, outdated }, nowMs);
  if (status !== undefined) await attempt(async () => writeStatus(context, set, status, signal));
  throwAll(errors);
  return recheckAfterMs === undefined ? {} : { requeueAfterMs: recheckAfterMs };
}

function replicasView(
  context: StatefulSetContext,
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update }: Revisions,
): ReplicasView {
  // To bring a template back takes long, and most places have the same.
  const templates = new Map<ControllerRevision, PodTemplateSpec>();
  const templateOf = (revision: ControllerRevision): PodTemplateSpec => {
    const template = templates.get(revision) ?? restoredTemplate(set, revision);
    templates.set(revision, template);
    return template;
  };
  return {
    set,
    pods,
    claim: (name) => context.claims.get(set.metadata.namespace, name),
    newPod: (ordinal) => {
      const revision = staysAtCurrentRevision(set, ordinal) ? current : update;
      return newPod(set, templateOf(revision), revision.metadata.name ?? "", ordinal);
    },
  };
}

async function takePlan(
  context: StatefulSetContext,
  set: StatefulSet,
  plan: ReplicasPlan,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const order = allowsBurst(set) ? "in bursts" : "in turn";
  for (const steps of [plan.replicas, plan.condemnedClaims, plan.condemned])
    await takeSteps(context, set, steps, order, log, signal);
}

/** Deletes outdated pods one by one, and notes each that was deleted. */
async function rollOn(
  context: StatefulSetContext,
  set: StatefulSet,
  plan: ReplicasPlan,
  { update }: Revisions,
  outdated: Pod[],
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = context.clock.nowMs();
  const view: RollingView = { set, places: plan.places, updateRevision: update.metadata.name ?? "" };
  const steps =
    context.unavailability === undefined ? decideRolling(view, nowMs) : decideRollingWithin(view, nowMs);
  for (const step of steps) {
    await takeSteps(context, set, [step], "in turn", log, signal);
    outdated.push(step.pod);
  }
}

async function claimPods(
  context: StatefulSetContext,
  set: StatefulSet,
  selector: LabelSelector,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const { namespace = "" } = set.metadata;
  return claimObjects<Pod>(
    {
      owner: set,
      ownerResource: resources.statefulSets,
      ownerClient: context.setClient,
      resource: resources.pods,
      patch: async ({ metadata }, patch) =>
        context.podClient.patch({ namespace, name: metadata.name ?? "" }, patch, {}, signal),
      consistency: context.consistency,
      log,
    },
    ownedAndOrphanedPods(context.pods, set, "StatefulSet"),
    (pod) => isMember(set, pod) && selector.matches(pod.metadata.labels),
    signal,
  );
}

function readSelector(set: StatefulSet, log: Logger): LabelSelector | undefined {
  try {
    const selector = selectorFromSpec(set.spec?.selector);
    // The server refuses one that is empty; should one get through, it must not claim every pod of the namespace.
    return selector.empty ? undefined : selector;
  } catch (error) {
    // Trying again would not help: only a change of the object does, and that brings its key back.
    if (!(error instanceof SelectorError)) throw error;
    log.error(error, "The selector cannot be read");
    return undefined;
  }
}
