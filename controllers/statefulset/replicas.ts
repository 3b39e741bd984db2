import { isPodAvailable, isPodReady, isPodTerminal } from "../../pkg/api/pod.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import {
  type ClaimLookup,
  type ClaimsPlan,
  decideClaims,
  decideOwners,
  hasStaleClaim,
  NO_CLAIMS,
  storageMatches,
} from "./claims.ts";
import { identityMatches, ordinalOf, placeOf } from "./identity.ts";
import { countMissing, type Places, placesOf } from "./places.ts";
import { allowsBurst, claimTemplates, inOrdinalRange, minReadySeconds } from "./stateful-set.ts";
import type { CachedPod, PodOfSet } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

/**
 * How many pods one sync creates where all may be created at once. The next sync, which these bring about, creates
 * more. There are fewer of a large template, so that making them out takes no longer.
 */
const MOST_NEW_PODS = 2_000;
const MOST_NEW_FIELDS = 50_000;

/**
 * `create`: the claims, then the pod. `delete`: the pod, and another follows once it is gone. `claims`: the claims
 * only. `correct`: the pod's labels and its claims.
 */
export type PodStep = NewPodStep | OldPodStep;

interface StepFacts {
  readonly claims: ClaimsPlan;
  readonly reason: string;
}

export interface NewPodStep extends StepFacts {
  readonly action: "create";
  readonly pod: Pod;
}

export interface OldPodStep extends StepFacts {
  readonly action: "delete" | "claims" | "correct";
  readonly pod: PodOfSet;
}

export interface ReplicasView {
  readonly set: Stored<StatefulSet>;
  /** The pods that the StatefulSet controls, whatever their state. */
  readonly pods: readonly PodOfSet[];
  readonly claim: ClaimLookup;
  /** The pod that would take this place. */
  readonly newPod: (ordinal: number) => Pod;
}

/**
 * The steps to take now, first for the pods that are asked for, then for those that no longer are. Without bursts, each
 * step waits until all before it are finished, so that one pod at a time is created or deleted.
 */
export interface ReplicasPlan {
  readonly replicas: readonly PodStep[];
  readonly condemnedClaims: readonly PodStep[];
  readonly condemned: readonly PodStep[];
  readonly places: Places;
  /**
   * Why everything after these steps has to wait, such as the replacement of outdated pods; undefined when nothing
   * does.
   */
  readonly heldUpBy: string | undefined;
}

export function decideReplicas(view: ReplicasView, nowMs: number): ReplicasPlan {
  const { set, pods } = view;
  const places = placesOf(set, pods);
  const plan = { replicas: [], condemnedClaims: [], condemned: [], places };
  if (set.metadata.deletionTimestamp !== undefined) {
    return { ...plan, heldUpBy: "the StatefulSet is being deleted" };
  }
  const replicas = allowsBurst(set) ? decideAtOnce(view, places, nowMs) : decideInTurn(view, places, nowMs);
  if (replicas.heldUpBy !== undefined) {
    return { ...plan, replicas: replicas.steps, heldUpBy: replicas.heldUpBy };
  }
  const condemned = condemnedPods(set, pods);
  const claims = condemned.map((pod) => ownersStep(view, pod)).filter((step) => step !== undefined);
  const deletions = decideCondemned(set, condemned, nowMs);
  return {
    ...plan,
    replicas: replicas.steps,
    condemnedClaims: claims,
    condemned: deletions.steps,
    heldUpBy: deletions.heldUpBy,
  };
}

/** The pods whose place is no longer asked for, from the last to the first. */
export function condemnedPods(set: Stored<StatefulSet>, pods: readonly PodOfSet[]): readonly PodOfSet[] {
  return pods
    .filter((pod) => ordinalOf(pod) !== undefined && !inOrdinalRange(set, placeOf(pod)))
    .toSorted((a, b) => placeOf(b) - placeOf(a));
}

export function isUnavailable(set: Stored<StatefulSet>, pod: CachedPod, nowMs: number): boolean {
  return !isPodAvailable(pod, minReadySeconds(set), nowMs) || isTerminating(pod);
}

export function isTerminating(pod: CachedPod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

interface Steps {
  readonly steps: readonly PodStep[];
  readonly heldUpBy: string | undefined;
}

/** Ends at the first place without a pod, so it looks at hardly more places than there are pods. */
function decideInTurn(view: ReplicasView, { first, count, pods }: Places, nowMs: number): Steps {
  const steps: PodStep[] = [];
  for (let place = 0; place < count; place++) {
    const { step, waits } = decidePlace(view, pods.get(place), first + place, nowMs);
    if (step !== undefined) steps.push(step);
    if (waits !== undefined) return { steps, heldUpBy: waits };
  }
  return { steps, heldUpBy: undefined };
}

/**
 * The steps for the pods that exist, and for the first of those that are missing. Steps that cannot succeed yet come
 * last: enough failures would end the batch before those that can.
 */
function decideAtOnce(view: ReplicasView, places: Places, nowMs: number): Steps {
  const { first, count, pods } = places;
  const steps = new Map<number, PodStep>();
  const most = mostNewPods(view.set);
  let missing = countMissing(places);
  for (let place = 0; place < count && missing > 0 && steps.size < most; place++) {
    if (pods.has(place)) continue;
    missing--;
    const { step } = decidePlace(view, undefined, first + place, nowMs);
    if (step !== undefined) steps.set(place, step);
  }
  for (const [place, pod] of pods) {
    const { step } = decidePlace(view, pod, first + place, nowMs);
    if (step !== undefined) steps.set(place, step);
  }
  const inOrder = [...steps].toSorted(([a], [b]) => a - b).map(([, step]) => step);
  const isHopeless = ({ claims }: PodStep): boolean => claims.leaving.length > 0;
  return {
    steps: [...inOrder.filter((step) => !isHopeless(step)), ...inOrder.filter(isHopeless)],
    heldUpBy: undefined,
  };
}

function mostNewPods(set: Stored<StatefulSet>): number {
  const { labels = {} } = set.spec?.template.metadata ?? {};
  const fields = Object.keys(labels).length + 10 * (claimTemplates(set).length + 1);
  return Math.min(MOST_NEW_PODS, Math.ceil(MOST_NEW_FIELDS / fields));
}

/** What one place needs, and why those after it have to wait where they come in turn. */
function decidePlace(
  view: ReplicasView,
  existing: PodOfSet | undefined,
  ordinal: number,
  nowMs: number,
): { readonly step?: PodStep; readonly waits?: string } {
  const { set } = view;
  if (existing === undefined) return decideCreation(view, view.newPod(ordinal));
  const { name } = existing.metadata;
  // The phase does not matter: an evicted pod may count as Succeeded or as Failed.
  if (isPodTerminal(existing)) {
    const waits = `${name} has ended`;
    return isTerminating(existing) ? { waits } : { step: deletion(existing, waits), waits };
  }
  const step = existing.status?.phase === "Pending" ? pendingStep(view, existing) : undefined;
  const waits = notReady(set, existing, nowMs);
  if (waits !== undefined && !allowsBurst(set)) return { ...(step && { step }), waits };
  const correction = correctionStep(view, existing);
  if (step === undefined || correction === undefined) {
    const only = correction ?? step;
    return only === undefined ? {} : { step: only };
  }
  return { step: { ...correction, claims: step.claims } };
}

function decideCreation(view: ReplicasView, pod: Pod): { readonly step?: PodStep; readonly waits: string } {
  const name = pod.metadata.name ?? "";
  if (hasStaleClaim(view.set, pod, view.claim)) return { waits: `an earlier ${name} still holds its claims` };
  const claims = decideClaims(view.set, pod, view.claim);
  return { step: { action: "create", pod, claims, reason: "it is missing" }, waits: `${name} is new` };
}

/** A pod that waits for its claims gets those that are missing. */
function pendingStep(view: ReplicasView, pod: PodOfSet): OldPodStep | undefined {
  const claims = decideClaims(view.set, pod, view.claim);
  return isNothing(claims) ? undefined : { action: "claims", pod, claims, reason: "it is pending" };
}

function correctionStep(view: ReplicasView, pod: PodOfSet): OldPodStep | undefined {
  const { set, claim } = view;
  const mounted = storageMatches(set, pod);
  const claims = mounted ? decideOwners(set, pod, claim) : decideClaims(set, pod, claim);
  if (identityMatches(pod) && mounted && claims.reown.length === 0) return undefined;
  return {
    action: "correct",
    pod,
    claims,
    reason: "its identity, storage or retention is not as it should be",
  };
}

function ownersStep(view: ReplicasView, pod: PodOfSet): OldPodStep | undefined {
  const claims = decideOwners(view.set, pod, view.claim);
  if (claims.reown.length === 0) return undefined;
  return { action: "claims", pod, claims, reason: "its claims go with it or stay" };
}

/**
 * Pods that are no longer asked for are deleted from the last to the first. In turn, each waits until the one after it
 * is gone, and an unhealthy one is deleted only when none before it is unhealthy.
 */
function decideCondemned(set: Stored<StatefulSet>, condemned: readonly PodOfSet[], nowMs: number): Steps {
  if (allowsBurst(set)) {
    const going = condemned.filter((pod) => !isTerminating(pod));
    return { steps: going.map((pod) => deletion(pod, "scaled down")), heldUpBy: undefined };
  }
  const [last] = condemned;
  if (last === undefined) return { steps: [], heldUpBy: undefined };
  const { name } = last.metadata;
  if (isTerminating(last)) return { steps: [], heldUpBy: `${name} is terminating` };
  const waits = notReady(set, last, nowMs);
  // A failed pod is unhealthy even if its condition still says ready: nobody may have updated that since.
  const firstUnhealthy = condemned.findLast((pod) => notReady(set, pod, nowMs) !== undefined);
  if (waits !== undefined && firstUnhealthy !== last) return { steps: [], heldUpBy: waits };
  return { steps: [deletion(last, "scaled down")], heldUpBy: `${name} is scaled down` };
}

/** Why what comes after this pod has to wait; undefined when it does not. */
function notReady(set: Stored<StatefulSet>, pod: PodOfSet, nowMs: number): string | undefined {
  const { name } = pod.metadata;
  if (isTerminating(pod)) return `${name} is terminating`;
  if (pod.status?.phase !== "Running" || !isPodReady(pod)) return `${name} is not running and ready`;
  return isPodAvailable(pod, minReadySeconds(set), nowMs) ? undefined : `${name} is not available yet`;
}

export function deletion(pod: PodOfSet, reason: string): OldPodStep {
  return { action: "delete", pod, claims: NO_CLAIMS, reason };
}

function isNothing({ create, reown, leaving, conflicting }: ClaimsPlan): boolean {
  return [create, reown, leaving, conflicting].every((list) => list.length === 0);
}
