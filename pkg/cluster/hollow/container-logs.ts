import { formatTime, parseTime } from "../../api/time.ts";
import { isRestartableInitContainer } from "../../api/pod.ts";
import type { Container, ContainerStatus, Pod } from "../../api/types/core-v1.gen.ts";
import type { LogRequest } from "../../apiserver/server/pod-processes.ts";
import { badRequest } from "../../apiserver/server/status-error.ts";
import type { Clock } from "../../clock/clock.ts";
import { sleep } from "../../clock/wait.ts";
import { type ContainerOutput, linesBetween, type LogLine, outputOf } from "./container-output.ts";

const POLL_MS = 200;

/** The life of one process. */
interface Run {
  readonly startedMs: number;
  /** Undefined: it goes on. */
  readonly endedMs: number | undefined;
}

/** The log of a container as its script has written it by now, and what it goes on to write. */
export function containerLogs(request: LogRequest, clock: Clock, signal: AbortSignal): AsyncIterable<string> {
  const { pod, container: name, previous } = request;
  const run = runOf(pod, name, previous);
  const output = outputFor(pod, name);
  const recent = recentLines(request, output, run, clock.nowMs());
  return limited(follow({ request, output, run, recent, clock }, signal), request.limitBytes);
}

export function containerIn({ spec }: Pod, name: string): Container | undefined {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find((one) => one.name === name);
}

export function statusOf({ status }: Pod, name: string): ContainerStatus | undefined {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return all.find((one) => one.name === name);
}

function outputFor(pod: Pod, name: string): ContainerOutput {
  const container = containerIn(pod, name);
  if (container === undefined) return { lines: [], cycle: undefined };
  const isInit =
    pod.spec?.initContainers?.includes(container) === true && !isRestartableInitContainer(container);
  return outputOf(pod, container, isInit);
}

/** Throws as the kubelet says it when there is no log. */
function runOf(pod: Pod, name: string, previous: boolean): Run {
  const { name: podName } = pod.metadata;
  const where = `container ${JSON.stringify(name)} in pod ${JSON.stringify(podName)}`;
  const status = statusOf(pod, name);
  if (status === undefined) throw badRequest(`${where} is waiting to start: ContainerCreating`);
  const { state = {}, lastState } = status;
  const last = lastState?.terminated;
  if (previous) {
    if (last === undefined) throw badRequest(`previous terminated ${where} not found`);
    return runFrom(last);
  }
  if (state.running !== undefined) return runFrom(state.running);
  const ended = state.terminated ?? last;
  if (ended !== undefined) return runFrom(ended);
  const { reason = "ContainerCreating" } = state.waiting ?? {};
  const why: Readonly<Record<string, string>> = {
    ErrImagePull: "image can't be pulled",
    ImagePullBackOff: "trying and failing to pull image",
  };
  throw badRequest(`${where} is waiting to start: ${why[reason] ?? reason}`);
}

function runFrom(state: { readonly startedAt?: string | null; readonly finishedAt?: string | null }): Run {
  const endedMs = parseTime(state.finishedAt ?? undefined);
  return { startedMs: parseTime(state.startedAt ?? undefined) ?? endedMs ?? 0, endedMs };
}

function recentLines(
  { sinceMs, tailLines }: LogRequest,
  output: ContainerOutput,
  { startedMs, endedMs }: Run,
  nowMs: number,
): readonly LogLine[] {
  const untilMs = Math.min(nowMs, endedMs ?? nowMs);
  const lines = linesBetween(output, -1, untilMs - startedMs).filter(
    ({ atMs }) => sinceMs === undefined || startedMs + atMs >= sinceMs,
  );
  if (tailLines === undefined) return lines;
  return tailLines === 0 ? [] : lines.slice(-tailLines);
}

interface Following {
  readonly request: LogRequest;
  readonly output: ContainerOutput;
  readonly run: Run;
  readonly recent: readonly LogLine[];
  readonly clock: Clock;
}

async function* follow(following: Following, signal: AbortSignal): AsyncIterable<string> {
  const { request, output, run, recent, clock } = following;
  const { startedMs } = run;
  const text = (lines: readonly LogLine[]): string =>
    lines
      .map((line) => `${request.timestamps ? `${stampOf(startedMs + line.atMs)} ` : ""}${line.text}\n`)
      .join("");
  let seenMs = Math.min(clock.nowMs(), run.endedMs ?? Infinity) - startedMs;
  if (recent.length > 0) yield text(recent);
  let endedMs = run.endedMs;
  while (request.follow && endedMs === undefined && !signal.aborted) {
    try {
      await sleep(clock, POLL_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    endedMs = endOf(request, startedMs, clock.nowMs());
    const untilMs = Math.min(clock.nowMs(), endedMs ?? Infinity) - startedMs;
    const lines = linesBetween(output, seenMs, untilMs);
    if (lines.length > 0) yield text(lines);
    seenMs = Math.max(seenMs, untilMs);
  }
}

/** When this very run has ended; undefined while it goes on. */
function endOf({ podNow, container }: LogRequest, startedMs: number, nowMs: number): number | undefined {
  const pod = podNow();
  const { state, lastState } = (pod && statusOf(pod, container)) ?? {};
  if (pod === undefined) return nowMs;
  if (state?.running !== undefined && runFrom(state.running).startedMs === startedMs) return undefined;
  const ended = [state?.terminated, lastState?.terminated].find(
    (one) => one !== undefined && runFrom(one).startedMs === startedMs,
  );
  return ended === undefined ? nowMs : runFrom(ended).endedMs;
}

/** E.g. 2026-01-01T00:00:00.500000000Z. */
function stampOf(atMs: number): string {
  const nanos = String(Math.round(atMs % 1_000) * 1_000_000).padStart(9, "0");
  return formatTime(atMs).replace("Z", `.${nanos}Z`);
}

async function* limited(
  chunks: AsyncIterable<string>,
  limitBytes: number | undefined,
): AsyncIterable<string> {
  let left = limitBytes ?? Infinity;
  for await (const chunk of chunks) {
    const bytes = Buffer.byteLength(chunk);
    if (bytes >= left) {
      yield Buffer.from(chunk).subarray(0, left).toString();
      return;
    }
    left -= bytes;
    yield chunk;
  }
}
