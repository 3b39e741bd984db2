import { formatTime, parseTime } from "../../api/time.ts";
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Probe,
} from "../../api/types/core-v1.gen.ts";
import { MISSING_IMAGE, pullAgainAndAgain, pullOnce } from "./image-pull.ts";
import { progressOf, type Step } from "./script.ts";

export interface ContainerView {
  readonly container: Container;
  readonly script: readonly Step[];
  readonly status: ContainerStatus | undefined;
  /** What is done with it when it has exited. */
  readonly restart: "Always" | "OnFailure" | "Never";
  /** The pod as messages name it. */
  readonly podText: string;
  /** Since when images that cannot be pulled are tried again and again; undefined: they are tried once. */
  readonly pullsSinceMs: number | undefined;
}

export interface ContainerPlan {
  readonly status: ContainerStatus;
  readonly recheckAtMs: number | undefined;
}

const FIRST_BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 300_000;

/** The next status of a container that may run: started, ready, exited, or started once more after a pause. */
export function decideContainer(view: ContainerView, nowMs: number): ContainerPlan {
  const { container, status } = view;
  const { image = "" } = container;
  if (image.includes(MISSING_IMAGE)) {
    const hasFailed = status?.state?.waiting !== undefined;
    const { reason, message, changesAtMs } =
      view.pullsSinceMs === undefined
        ? pullOnce(image, hasFailed)
        : pullAgainAndAgain(image, view.pullsSinceMs, nowMs);
    return { status: waitingStatus(container, status, { reason, message }), recheckAtMs: changesAtMs };
  }
  const state = status?.state;
  if (state?.running !== undefined) {
    return running(view, parseTime(state.running.startedAt) ?? nowMs, status?.restartCount ?? 0, nowMs);
  }
  const ended = state?.terminated ?? (isBackingOff(status) ? status?.lastState?.terminated : undefined);
  if (ended === undefined) return running(view, nowMs, status?.restartCount ?? 0, nowMs);
  return afterExit(view, ended, nowMs);
}

/** A container that may not run yet. */
export function waitingContainer(container: Container, reason: string): ContainerStatus {
  return waitingStatus(container, undefined, { reason });
}

/** A container that is stopped by force or because its pod goes: its process ends with SIGTERM. */
export function stopContainer(view: ContainerView, nowMs: number): ContainerStatus {
  const { container, status } = view;
  if (status?.state?.terminated !== undefined) return status;
  const startedAt = status?.state?.running?.startedAt;
  const terminated = {
    exitCode: startedAt === undefined ? 0 : 143,
    reason: startedAt === undefined ? "Completed" : "Error",
    ...(startedAt !== undefined && { startedAt }),
    finishedAt: formatTime(nowMs),
  };
  return { ...baseStatus(container, status), ready: false, started: false, state: { terminated } };
}

function running(view: ContainerView, startedMs: number, restarts: number, nowMs: number): ContainerPlan {
  const { container, script, status } = view;
  const progress = progressOf(script, startedMs, nowMs);
  const base = { ...baseStatus(container, status), restartCount: restarts };
  if (progress.state === "exited") {
    const terminated: ContainerStateTerminated = {
      exitCode: progress.code,
      reason: progress.code === 0 ? "Completed" : "Error",
      startedAt: formatTime(startedMs),
      finishedAt: formatTime(progress.atMs),
    };
    const exited = { ...base, ready: false, started: false, state: { terminated } };
    return mayRestart(view, progress.code)
      ? afterExit({ ...view, status: exited }, terminated, nowMs)
      : { status: exited, recheckAtMs: undefined };
  }
  const passesAtMs =
    startedMs + probeDelayMs(container.startupProbe) + probeDelayMs(container.readinessProbe);
  const isReady = progress.ready && passesAtMs <= nowMs;
  const changes = [progress.changesAtMs, passesAtMs > nowMs ? passesAtMs : undefined].filter(
    (atMs) => atMs !== undefined,
  );
  const state: ContainerState = { running: { startedAt: formatTime(startedMs) } };
  return {
    status: { ...base, ready: isReady, started: true, state },
    recheckAtMs: changes.length === 0 ? undefined : Math.min(...changes),
  };
}

/** Nothing more, or CrashLoopBackOff for 10 s, 20 s … 5 min and then another start. The first restart is at once. */
function afterExit(view: ContainerView, ended: ContainerStateTerminated, nowMs: number): ContainerPlan {
  const { container, status } = view;
  const restarts = status?.restartCount ?? 0;
  if (!mayRestart(view, ended.exitCode)) {
    const state = { terminated: ended };
    return {
      status: { ...baseStatus(container, status), ready: false, started: false, state },
      recheckAtMs: undefined,
    };
  }
  const pauseMs = restarts === 0 ? 0 : Math.min(FIRST_BACK_OFF_MS * 2 ** (restarts - 1), LONGEST_BACK_OFF_MS);
  const startsAtMs = (parseTime(ended.finishedAt) ?? nowMs) + pauseMs;
  const lastState = { terminated: ended };
  if (startsAtMs > nowMs) {
    const message = `back-off ${goSeconds(pauseMs / 1_000)} restarting failed container=${container.name} pod=${view.podText}`;
    const waiting = waitingStatus(container, status, { reason: "CrashLoopBackOff", message });
    return { status: { ...waiting, lastState }, recheckAtMs: startsAtMs };
  }
  const script = view.script;
  // A process that ends at once must not be started over and over within one decision.
  const begins = progressOf(script, nowMs, nowMs);
  const restarted = { ...baseStatus(container, status), restartCount: restarts + 1, lastState };
  const ready = begins.state === "running" && begins.ready && probeDelayMs(container.readinessProbe) === 0;
  return {
    status: { ...restarted, ready, started: true, state: { running: { startedAt: formatTime(nowMs) } } },
    recheckAtMs: begins.state === "running" ? begins.changesAtMs : nowMs + 1_000,
  };
}

function mayRestart(view: ContainerView, exitCode: number): boolean {
  return view.restart === "Always" || (view.restart === "OnFailure" && exitCode !== 0);
}

/** When a probe has passed often enough for the first time. Probes of running processes always pass. */
function probeDelayMs(probe: Probe | undefined): number {
  if (probe === undefined) return 0;
  const { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1 } = probe;
  return (initialDelaySeconds + (successThreshold - 1) * periodSeconds) * 1_000;
}

function isBackingOff(status: ContainerStatus | undefined): boolean {
  return status?.state?.waiting?.reason === "CrashLoopBackOff";
}

/** As Go writes a duration: 40s, 1m20s, 5m0s. */
function goSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function waitingStatus(
  container: Container,
  status: ContainerStatus | undefined,
  waiting: { readonly reason: string; readonly message?: string },
): ContainerStatus {
  return { ...baseStatus(container, status), ready: false, started: false, state: { waiting } };
}

function baseStatus(container: Container, status: ContainerStatus | undefined): ContainerStatus {
  const image = container.image ?? "";
  return {
    name: container.name,
    image,
    imageID: status?.imageID ?? "",
    ready: false,
    restartCount: status?.restartCount ?? 0,
    ...(status?.lastState && { lastState: status.lastState }),
  };
}
