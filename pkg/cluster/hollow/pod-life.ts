import { semanticEqual } from "../../api/equality.ts";
import { isPodTerminal, isRestartableInitContainer, withPodCondition } from "../../api/pod.ts";
import { hasCondition } from "../../api/conditions.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import type { Container, ContainerStatus, Pod, PodStatus } from "../../api/types/core-v1.gen.ts";
import { type ContainerView, decideContainer, stopContainer, waitingContainer } from "./container-life.ts";
import { podText } from "./pod-events.ts";
import { scriptOf } from "./script.ts";

/** Where the pod runs. */
export interface PodPlace {
  readonly hostIP: string;
  readonly podIP: string;
  /** Images that cannot be pulled are tried again and again. */
  readonly retriesPulls?: boolean;
}

export interface PodLifePlan {
  /** Undefined when the status says already what is to be said. */
  readonly status: PodStatus | undefined;
  /** The pod has ended and is to be taken off the server. */
  readonly remove: boolean;
  readonly recheckAtMs: number | undefined;
}

/**
 * The next status of a pod on a hollow node, from its spec, its last status and the time: what a kubelet would report if
 * the containers were real. Everything follows from these three, so that nothing is lost when the program restarts.
 */
export function decidePodLife(pod: Pod, place: PodPlace, nowMs: number): PodLifePlan {
  if (pod.metadata.deletionTimestamp !== undefined) return endPod(pod, nowMs);
  if (isPodTerminal(pod)) return { status: undefined, remove: false, recheckAtMs: undefined };
  const deadlineMs = deadlineOf(pod);
  if (deadlineMs !== undefined && deadlineMs <= nowMs) return failPod(pod, nowMs);
  const init = decideInitContainers(pod, place, nowMs);
  const main = init.done ? decideMainContainers(pod, place, nowMs) : waitingContainers(pod);
  const status = podStatus(pod, place, { init, main: main.statuses }, nowMs);
  const rechecks = [...init.rechecks, ...main.rechecks, ...(deadlineMs === undefined ? [] : [deadlineMs])];
  return {
    status: semanticEqual(pod.status, status) ? undefined : status,
    remove: false,
    recheckAtMs: isTerminalPhase(status.phase) || rechecks.length === 0 ? undefined : Math.min(...rechecks),
  };
}

interface InitOutcome {
  readonly statuses: readonly ContainerStatus[];
  readonly done: boolean;
  /** One of them has failed for good. */
  readonly failed: boolean;
  readonly rechecks: readonly number[];
}

/** One after the other; a sidecar (restartPolicy Always) needs only to have started for the next to go on. */
function decideInitContainers(pod: Pod, place: PodPlace, nowMs: number): InitOutcome {
  const statuses: ContainerStatus[] = [];
  const rechecks: number[] = [];
  let done = true;
  let failed = false;
  for (const container of pod.spec?.initContainers ?? []) {
    const sidecar = isRestartableInitContainer(container);
    if (!done || failed) {
      statuses.push(waitingContainer(container, "PodInitializing"));
      continue;
    }
    const plan = decideContainer(pullingView(pod, container, { place, isInit: true, nowMs }), nowMs);
    statuses.push(plan.status);
    if (plan.recheckAtMs !== undefined) rechecks.push(plan.recheckAtMs);
    const { terminated } = plan.status.state ?? {};
    done = sidecar ? plan.status.started === true : terminated?.exitCode === 0;
    failed = !sidecar && terminated !== undefined && terminated.exitCode !== 0;
  }
  return { statuses, done: done && !failed, failed, rechecks };
}

interface MainOutcome {
  readonly statuses: readonly ContainerStatus[];
  readonly rechecks: readonly number[];
}

function waitingContainers({ spec }: Pod): MainOutcome {
  const statuses = (spec?.containers ?? []).map((container) =>
    waitingContainer(container, "PodInitializing"),
  );
  return { statuses, rechecks: [] };
}

function decideMainContainers(pod: Pod, place: PodPlace, nowMs: number): MainOutcome {
  const plans = (pod.spec?.containers ?? []).map((container) =>
    decideContainer(pullingView(pod, container, { place, isInit: false, nowMs }), nowMs),
  );
  return {
    statuses: plans.map((plan) => plan.status),
    rechecks: plans.flatMap((plan) => plan.recheckAtMs ?? []),
  };
}

/** The first try is when the pod comes to its node. */
function pullingView(
  pod: Pod,
  container: Container,
  { place, isInit, nowMs }: { readonly place: PodPlace; readonly isInit: boolean; readonly nowMs: number },
): ContainerView {
  const view = viewOf(pod, container, isInit);
  if (place.retriesPulls !== true) return view;
  return { ...view, pullsSinceMs: parseTime(pod.status?.startTime) ?? nowMs };
}

interface ContainersOutcome {
  readonly init: InitOutcome;
  readonly main: readonly ContainerStatus[];
}

function podStatus(
  pod: Pod,
  place: PodPlace,
  { init, main: containerStatuses }: ContainersOutcome,
  nowMs: number,
): PodStatus {
  const phase = phaseOf(pod, init, containerStatuses);
  const allReady = containerStatuses.every((status) => status.ready);
  const ended = isTerminalPhase(phase);
  const ready = allReady && !ended && gatesPass(pod);
  const because = ended ? "PodCompleted" : "ContainersNotReady";
  let status: PodStatus = {
    ...pod.status,
    phase,
    startTime: pod.status?.startTime ?? formatTime(nowMs),
    hostIP: place.hostIP,
    hostIPs: [{ ip: place.hostIP }],
    ...(!ended && { podIP: place.podIP, podIPs: [{ ip: place.podIP }] }),
    containerStatuses,
    ...(init.statuses.length > 0 && { initContainerStatuses: init.statuses }),
  };
  const condition = (type: string, holds: boolean, reason: string): void => {
    const next = { type, status: holds ? "True" : "False", ...(!holds && { reason }) };
    status = withPodCondition(status, next, nowMs);
  };
  condition("PodReadyToStartContainers", !ended, "PodCompleted");
  condition("Initialized", init.done || ended, "ContainersNotInitialized");
  condition("ContainersReady", allReady && !ended, because);
  condition("Ready", ready, allReady && !ended ? "ReadinessGatesNotReady" : because);
  condition("PodScheduled", true, "");
  return status;
}

function phaseOf(pod: Pod, init: InitOutcome, statuses: readonly ContainerStatus[]): string {
  if (init.failed && pod.spec?.restartPolicy === "Never") return "Failed";
  if (!init.done) return "Pending";
  const exits = statuses.map((status) => status.state?.terminated);
  if (exits.every((exit) => exit !== undefined)) {
    return exits.every((exit) => exit.exitCode === 0) ? "Succeeded" : "Failed";
  }
  const someStarted = statuses.some(
    (status) => status.state?.waiting === undefined || status.lastState !== undefined,
  );
  return someStarted ? "Running" : "Pending";
}

function gatesPass(pod: Pod): boolean {
  return (pod.spec?.readinessGates ?? []).every((gate) =>
    hasCondition(pod.status?.conditions, gate.conditionType, "True"),
  );
}

/**
 * Containers of a pod that is being deleted end at once, or after the seconds that this annotation gives, but no later
 * than the grace period. The status tells how they ended before the pod goes.
 */
export const STOPS_AFTER_ANNOTATION = "kcm.dev/stops-after";

function endPod(pod: Pod, nowMs: number): PodLifePlan {
  const stopsAtMs = stopTimeOf(pod);
  if (stopsAtMs > nowMs && !isPodTerminal(pod) && pod.status?.startTime !== undefined) {
    return { status: undefined, remove: false, recheckAtMs: stopsAtMs };
  }
  const hasRun = pod.status?.startTime !== undefined;
  // Whoever holds on to one that never ran waits to be told that it will not.
  const isHeld = (pod.metadata.finalizers ?? []).length > 0;
  if (isPodTerminal(pod) || (!hasRun && !isHeld)) {
    return { status: undefined, remove: true, recheckAtMs: undefined };
  }
  const status: PodStatus = hasRun ? endedStatus(pod, nowMs) : { ...pod.status, phase: "Failed" };
  return { status, remove: true, recheckAtMs: undefined };
}

function stopTimeOf(pod: Pod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, annotations } = pod.metadata;
  const latestMs = parseTime(deletionTimestamp) ?? 0;
  const seconds = Number(annotations?.[STOPS_AFTER_ANNOTATION] ?? 0);
  const askedMs =
    latestMs - Number(deletionGracePeriodSeconds) * 1_000 + (Number.isFinite(seconds) ? seconds * 1_000 : 0);
  return Math.min(askedMs, latestMs);
}

function failPod(pod: Pod, nowMs: number): PodLifePlan {
  const message = "Pod was active on the node longer than the specified deadline";
  const status = { ...endedStatus(pod, nowMs), phase: "Failed", reason: "DeadlineExceeded", message };
  return { status, remove: false, recheckAtMs: undefined };
}

function endedStatus(pod: Pod, nowMs: number): PodStatus {
  const statuses = (pod.spec?.containers ?? []).map((container) =>
    stopContainer(viewOf(pod, container, false), nowMs),
  );
  const failed = statuses.some((status) => status.state?.terminated?.exitCode !== 0);
  let status: PodStatus = {
    ...pod.status,
    phase: failed ? "Failed" : "Succeeded",
    containerStatuses: statuses,
  };
  for (const type of ["ContainersReady", "Ready"]) {
    status = withPodCondition(status, { type, status: "False", reason: "PodCompleted" }, nowMs);
  }
  return status;
}

function deadlineOf(pod: Pod): number | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds;
  const startedMs = parseTime(pod.status?.startTime);
  return seconds === undefined || startedMs === undefined ? undefined : startedMs + Number(seconds) * 1_000;
}

function viewOf(pod: Pod, container: Container, isInit: boolean): ContainerView {
  const statuses = isInit ? pod.status?.initContainerStatuses : pod.status?.containerStatuses;
  const policy = pod.spec?.restartPolicy ?? "Always";
  return {
    container,
    script: scriptOf(pod, container, isInit && !isRestartableInitContainer(container)),
    status: statuses?.find((status) => status.name === container.name),
    restart: restartOf(container, policy, isInit),
    podText: podText(pod),
    pullsSinceMs: undefined,
  };
}

/** An init container that has succeeded is never run again; one that failed is, unless the pod says never. */
function restartOf(container: Container, policy: string, isInit: boolean): ContainerView["restart"] {
  if (isInit) {
    if (isRestartableInitContainer(container)) return "Always";
    return policy === "Never" ? "Never" : "OnFailure";
  }
  return policy === "Never" || policy === "OnFailure" ? policy : "Always";
}

function isTerminalPhase(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}
