import { int32OfDouble, int32OfInt64, int64OfDouble, wrapInt64 } from "../../pkg/api/go-numbers.ts";
import { forEachInSteps, type Steps } from "../../pkg/api/steps.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import type { CachedPod } from "./fields.ts";
import { groupPods, type PodGroups, type StartPeriods } from "./pod-groups.ts";
import type { PodMetric, PodMetrics } from "./pod-metrics.ts";
import type { Requests } from "./pod-requests.ts";
import { isTolerated, type Tolerances } from "./tolerances.ts";

const MAX_INT32 = 2 ** 31 - 1;
const MAX_INT64 = 2n ** 63n - 1n;
const NO_PODS = "no pods returned by selector while calculating replica count";
const NO_METRICS = "did not receive metrics for targeted pods (pods might be unready)";

/** How many replicas a metric asks for, and what that follows from. */
export interface Proposal {
  readonly replicas: number;
  /** Thousandths: the average of a pod, or the value of an object or of something outside. */
  readonly usage: bigint;
  /** Percent of what was asked for. */
  readonly utilization?: number;
  /** Of usage to target. Undefined where nothing was divided. */
  readonly ratio: number;
  /** With guesses for the pods that nothing is known of. */
  readonly guessedRatio?: number;
  readonly groups?: PodGroups;
  readonly why: Why;
}

export type Why =
  | "tolerated"
  | "usage of ready pods"
  | "usage with guesses"
  | "guesses are tolerated"
  | "guesses would turn the direction"
  | "usage per pod"
  | "usage from zero";

/** Why there is no proposal. */
export interface Problem {
  readonly problem: string;
}

export function isProblem(result: object): result is Problem {
  return "problem" in result;
}

/** What is known of the pods that the target's selector names. */
export interface PodView {
  readonly pods: readonly CachedPod[];
  readonly metrics: PodMetrics;
  /** How many pods there are to be, by the target. */
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly periods: StartPeriods;
  readonly nowMs: number;
}

/** How many pods bring their utilization, in percent of what they ask for, to the target. */
export function* replicasForUtilization(
  view: PodView,
  resource: string,
  targetPercent: number,
  requestsOf: () => Steps<Requests | string>,
): Steps<Proposal | Problem> {
  const known = yield* knownPods(view, resource === "cpu");
  if (isProblem(known)) return known;
  const requests = yield* requestsOf();
  if (typeof requests === "string") return { problem: requests };
  const measured = utilizationOf(known.metrics, requests, targetPercent);
  if (isProblem(measured)) return measured;
  const guess = BigInt(Math.max(100, targetPercent));
  const { ratio, utilization, usage } = measured;
  const decided = yield* decideReplicas(view, known, ratio, {
    ofMissing: (name) => wrapInt64((requests.get(name) ?? 0n) * guess) / 100n,
    ratioOf: (metrics) => utilizationOf(metrics, requests, targetPercent),
  });
  return isProblem(decided) ? decided : { ...decided, usage, utilization, ratio, groups: known.groups };
}

/** How many pods bring their average to the target, in thousandths. */
export function* replicasForAverage(
  view: PodView,
  isCpu: boolean,
  target: bigint,
): Steps<Proposal | Problem> {
  const known = yield* knownPods(view, isCpu);
  if (isProblem(known)) return known;
  const { ratio, usage } = averageOf(known.metrics, target);
  const decided = yield* decideReplicas(view, known, ratio, {
    ofMissing: () => target,
    ratioOf: (metrics) => averageOf(metrics, target),
  });
  return isProblem(decided) ? decided : { ...decided, usage, ratio, groups: known.groups };
}

/** How many pods bring the value of one object, or of something outside, to the target; with none, how many are to start. */
export function replicasForValue(
  { pods, currentReplicas, tolerances }: Pick<PodView, "pods" | "currentReplicas" | "tolerances">,
  usage: bigint,
  target: bigint,
): Proposal | Problem {
  const ratio = Number(usage) / Number(target);
  if (currentReplicas === 0)
    return { replicas: int32OfDouble(Math.ceil(ratio)), usage, ratio, why: "usage from zero" };
  if (isTolerated(tolerances, ratio)) return { replicas: currentReplicas, usage, ratio, why: "tolerated" };
  if (pods.length === 0) return { problem: `unable to calculate ready pods: ${NO_PODS}` };
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length;
  const wanted = ratio * ready;
  const replicas = wanted > MAX_INT32 ? MAX_INT32 : int32OfDouble(Math.ceil(wanted));
  const groups = { ready, unready: [], missing: [], ignored: [] };
  return { replicas, usage, ratio, groups, why: "usage of ready pods" };
}

export interface SharedValue {
  readonly usage: bigint;
  /** What each pod is to bear, in thousandths. */
  readonly target: bigint;
  /** How many pods share it now. */
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
}

/** How many pods share the value of one object so that each bears what it is to bear. */
export function replicasForObjectPerPod({
  usage,
  target,
  statusReplicas,
  tolerances,
}: SharedValue): Proposal {
  const ratio = Number(usage) / (Number(target) * statusReplicas);
  const isFine = isTolerated(tolerances, ratio);
  return {
    replicas: isFine ? statusReplicas : int32OfDouble(Math.ceil(Number(usage) / Number(target))),
    usage: int64OfDouble(Math.ceil(Number(usage) / statusReplicas)),
    ratio,
    why: isFine ? "tolerated" : "usage per pod",
  };
}

/** The same for something outside, of which values can be larger than anything. */
export function replicasForExternalPerPod({
  usage,
  target,
  statusReplicas,
  tolerances,
}: SharedValue): Proposal {
  const ratio = Number(usage) / (Number(target) * statusReplicas);
  const isFine = isTolerated(tolerances, ratio);
  const wanted = Math.ceil(Number(usage) / Number(target));
  const all = Number(usage);
  return {
    replicas: isFine ? statusReplicas : wanted > MAX_INT32 ? MAX_INT32 : int32OfDouble(wanted),
    usage: all >= 2 ** 63 ? MAX_INT64 : int64OfDouble(Math.ceil(all / statusReplicas)),
    ratio,
    why: isFine ? "tolerated" : "usage per pod",
  };
}

/** All values of an external metric together, at most the largest int64. upstream: GetExternalMetricReplicas */
export function sumOfExternal(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    if (value > 0n && sum > MAX_INT64 - value) return MAX_INT64;
    sum = wrapInt64(sum + value);
  }
  return sum;
}

/** The same where each pod has its share. upstream: GetExternalPerPodMetricReplicas takes each sum below zero for too large. */
export function sumOfExternalPerPod(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    sum = wrapInt64(sum + value);
    if (sum < 0n) return MAX_INT64;
  }
  return sum;
}

interface Known {
  readonly groups: PodGroups;
  /** Of pods that can be trusted. */
  readonly metrics: PodMetrics;
}

function* knownPods({ pods, metrics, periods, nowMs }: PodView, isCpu: boolean): Steps<Known | Problem> {
  if (pods.length === 0) return { problem: NO_PODS };
  const groups = yield* groupPods(pods, { metrics, isCpu, periods, nowMs });
  const kept = new Map(metrics);
  for (const name of [...groups.ignored, ...groups.unready]) kept.delete(name);
  return kept.size === 0 ? { problem: NO_METRICS } : { groups, metrics: kept };
}

interface Guesses {
  /** What a pod of which nothing is known is taken to use where fewer pods are wanted. */
  readonly ofMissing: (name: string) => bigint;
  readonly ratioOf: (metrics: PodMetrics) => { readonly ratio: number } | Problem;
}

type Decided = Pick<Proposal, "replicas" | "guessedRatio" | "why">;

/**
 * Pods of which nothing is known count as if they spoke against a change: they use all when fewer are wanted, and nothing
 * when more are. With five pods at 90 % of a target of 50 % and five more missing, the ratio is not 1.8 but 0.9.
 */
function* decideReplicas(
  { currentReplicas, tolerances }: PodView,
  { groups, metrics }: Known,
  ratio: number,
  { ofMissing, ratioOf }: Guesses,
): Steps<Decided | Problem> {
  const countsUnready = groups.unready.length > 0 && ratio > 1;
  if (!countsUnready && groups.missing.length === 0) {
    if (isTolerated(tolerances, ratio)) return { replicas: currentReplicas, why: "tolerated" };
    return { replicas: int32OfDouble(Math.ceil(ratio * groups.ready)), why: "usage of ready pods" };
  }
  const guessed = new Map(metrics);
  const guess = (names: readonly string[], valueOf: (name: string) => bigint): Steps<void> =>
    forEachInSteps(names, (name) => void guessed.set(name, guessedMetric(valueOf(name))));
  if (ratio < 1) yield* guess(groups.missing, ofMissing);
  else if (ratio > 1) yield* guess(groups.missing, () => 0n);
  if (countsUnready) yield* guess(groups.unready, () => 0n);
  const again = ratioOf(guessed);
  if (isProblem(again)) return again;
  const guessedRatio = again.ratio;
  const stays = (why: Why): Decided => ({ replicas: currentReplicas, guessedRatio, why });
  if (isTolerated(tolerances, guessedRatio)) return stays("guesses are tolerated");
  if ((ratio < 1 && guessedRatio > 1) || (ratio > 1 && guessedRatio < 1))
    return stays("guesses would turn the direction");
  const replicas = int32OfDouble(Math.ceil(guessedRatio * guessed.size));
  const turns =
    (guessedRatio < 1 && replicas > currentReplicas) || (guessedRatio > 1 && replicas < currentReplicas);
  if (turns) return stays("guesses would turn the direction");
  return { replicas, guessedRatio, why: "usage with guesses" };
}

function guessedMetric(value: bigint): PodMetric {
  return { value, timeMs: 0, windowMs: 0 };
}

interface Utilization {
  readonly ratio: number;
  readonly utilization: number;
  readonly usage: bigint;
}

export function utilizationOf(
  metrics: PodMetrics,
  requests: Requests,
  targetPercent: number,
): Utilization | Problem {
  let used = 0n;
  let asked = 0n;
  let count = 0n;
  for (const [name, { value }] of metrics) {
    const request = requests.get(name);
    if (request === undefined) continue;
    used = wrapInt64(used + value);
    asked = wrapInt64(asked + request);
    count++;
  }
  if (asked === 0n) return { problem: "no metrics returned matched known pods" };
  const utilization = int32OfInt64(wrapInt64(used * 100n) / asked);
  return { ratio: utilization / targetPercent, utilization, usage: used / count };
}

export function averageOf(
  metrics: PodMetrics,
  target: bigint,
): { readonly ratio: number; readonly usage: bigint } {
  let total = 0n;
  for (const { value } of metrics.values()) total = wrapInt64(total + value);
  const usage = total / BigInt(metrics.size);
  return { ratio: Number(usage) / Number(target), usage };
}
