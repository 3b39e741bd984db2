import { throwAll } from "../../pkg/api/errors.ts";
import { smallest } from "../../pkg/api/extremes.ts";
import { type LabelSelector, SelectorError } from "../../pkg/api/labels.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { attempts } from "../../pkg/controller/attempts.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { changePods, writeStatus } from "./apply.ts";
import { claimPods, type ClaimedPods } from "./sync-pods.ts";
import type { DaemonContext, Round } from "./context.ts";
import { isRollingUpdate, podSelector } from "./daemon-set.ts";
import { podsByNode, type PodsByNode } from "./node-pods.ts";
import { decidePlacement, type PlacementPlan } from "./placement.ts";
import { decideRollingUpdate } from "./rolling-update.ts";
import { decideStatus } from "./status.ts";
import { cleanUpHistory, type History, syncRevisions } from "./sync-revisions.ts";

interface PodsPlan {
  readonly create: readonly string[];
  readonly remove: readonly unknown[];
  readonly reason?: Readonly<Record<string, number>>;
}

/** One step of a DaemonSet: its history, a pod on every node that it is for, the next step of an update, the status. */
export async function syncDaemonSet(sync: OwnerSync<DaemonSet>, context: DaemonContext): Promise<SyncResult> {
  const { owner: daemonSet, signal } = sync;
  const { owned } = context;
  const selector = readSelector(sync, context);
  // While the DaemonSet is terminating its history may be gone already, without which its pods cannot be told apart.
  if (selector === undefined || daemonSet.metadata.deletionTimestamp !== undefined) return {};

  const round: Round = { sync, context, selector };
  const pods = await claimPods(round);
  const history = await syncRevisions(round, pods);
  const acted = owned.settled(daemonSet);
  // The status is written even if something before it failed. The errors are thrown at the end.
  const { errors, attempt } = attempts(signal);
  const recheckPodsMs = acted ? await attempt(async () => changeWorld(round, pods, history)) : undefined;
  const recheckStatusMs = await attempt(async () => syncStatus(round, pods, history, acted));
  throwAll(errors);
  // A pod that came and went between two lists is never seen: only the time-out ends the wait for it.
  const rechecks = [recheckPodsMs, recheckStatusMs, owned.untilSettledMs(daemonSet)];
  const requeueAfterMs = smallest(rechecks.filter((delayMs) => delayMs !== undefined));
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

/** Creates and deletes pods and old revisions. Gives when failed pods have to be looked at again. */
async function changeWorld(round: Round, pods: ClaimedPods, history: History): Promise<number | undefined> {
  const { sync, context } = round;
  const recheckAfterMs = await place(round, pods, history.hash);
  // The cache has to show what was just created or deleted before the update goes on.
  if (isRollingUpdate(sync.owner) && context.owned.settled(sync.owner)) await roll(round, pods, history.hash);
  await cleanUpHistory(round, history, pods);
  return recheckAfterMs;
}

async function place(round: Round, pods: ClaimedPods, hash: string): Promise<number | undefined> {
  const { sync, context } = round;
  const view = {
    ...gather(round, pods, hash),
    backoffMs: (node: string) =>
      context.failedPods.remainingMs(failureKey(sync.owner, node), context.clock.monotonicMs()),
  };
  const plan = decidePlacement(view, context.clock.nowMs());
  sync.log.verbose(4, "Pods are where they should be when this is done", {
    create: plan.create,
    remove: plan.remove.map(({ pod, reason }) => `${pod.metadata.name}: ${reason}`),
  });
  tellDecision(sync, "Pods are not where they should be", plan);
  reportEnded(round, plan);
  const remove = plan.remove.map(({ pod }) => pod);
  pods.created(await changePods(round, { create: plan.create, remove }, hash));
  return plan.recheckAfterMs;
}

async function roll(round: Round, pods: ClaimedPods, hash: string): Promise<void> {
  const plan = decideRollingUpdate(gather(round, pods, hash), round.context.clock.nowMs());
  const remove = plan.remove.map((pod) => pod.metadata.name);
  round.sync.log.verbose(4, "The next step of the update", { create: plan.create, remove });
  tellDecision(round.sync, "The update goes on", plan);
  pods.created(await changePods(round, plan, hash));
}

async function syncStatus(
  round: Round,
  pods: ClaimedPods,
  { hash }: History,
  acted: boolean,
): Promise<number | undefined> {
  const plan = decideStatus({ ...gather(round, pods, hash), acted }, round.context.clock.nowMs());
  if (plan.status !== undefined) await writeStatus(round, plan.status);
  return plan.recheckAfterMs;
}

function tellDecision(
  sync: OwnerSync<DaemonSet>,
  what: string,
  { create, remove, reason = {} }: PodsPlan,
): void {
  if (create.length === 0 && remove.length === 0) return;
  sync.decided(what, { create: create.length, remove: remove.length, ...reason });
}

/** What every decision starts from. */
function gather({ sync, context }: Round, pods: ClaimedPods, hash: string) {
  const { owner: daemonSet } = sync;
  const byNode: PodsByNode = podsByNode(pods.now());
  return {
    daemonSet,
    nodes: context.nodes.lister.list(),
    fits: context.fitOf(daemonSet),
    pods: byNode,
    hash,
  };
}

function reportEnded({ sync, context }: Round, plan: PlacementPlan): void {
  const { owner: daemonSet } = sync;
  const nowMs = context.clock.monotonicMs();
  for (const node of plan.failedOn) context.failedPods.failed(failureKey(daemonSet, node), nowMs);
  for (const { pod, reason } of plan.remove) {
    const on = `${keyOf(pod)} on node ${pod.spec?.nodeName ?? ""}`;
    if (reason === "it failed") {
      const message = `Found failed daemon pod ${on}, will try to kill it`;
      context.events.event(daemonSet, "Warning", "FailedDaemonPod", message);
    } else if (reason === "it succeeded") {
      const message = `Found succeeded daemon pod ${on}, will try to delete it`;
      context.events.event(daemonSet, "Normal", "SucceededDaemonPod", message);
    }
  }
}

/** Failures count per generation: a new one may fail for other reasons, or not at all. */
function failureKey({ metadata, status }: DaemonSet, node: string): string {
  return `${metadata.uid}/${status?.observedGeneration ?? 0}/${node}`;
}

/** Undefined when nothing can be done: a retry would not help, only a change of the object does. */
function readSelector(
  { owner: daemonSet, log }: OwnerSync<DaemonSet>,
  context: DaemonContext,
): LabelSelector | undefined {
  try {
    const selector = podSelector(daemonSet);
    if (!selector.empty) return selector;
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    context.events.event(daemonSet, "Warning", "SelectingAll", message);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    log.error(error, "The selector cannot be read");
  }
  return undefined;
}
