import type { Container, Pod } from "../../api/types/core-v1.gen.ts";
import { scriptOf, type Step } from "./script.ts";

/** Lets a user say what containers write: a line a second, from the first to the last and over again. `.NAME`: that one. */
export const LOGS_ANNOTATION = "kcm.dev/logs";

/** More than these are not kept, as nodes rotate logs. */
export const MOST_LINES = 10_000;
const LINE_MS = 1_000;

export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

/** What a process writes; times are those since its start. */
export interface ContainerOutput {
  readonly lines: readonly LogLine[];
  /** What it writes over and over after that. */
  readonly cycle:
    | { readonly fromMs: number; readonly periodMs: number; readonly lines: readonly LogLine[] }
    | undefined;
}

export function outputOf(pod: Pod, container: Container, isInit: boolean): ContainerOutput {
  const annotations = pod.metadata.annotations ?? {};
  const text = annotations[`${LOGS_ANNOTATION}.${container.name}`] ?? annotations[LOGS_ANNOTATION];
  if (text === undefined) return outputOfScript(scriptOf(pod, container, isInit));
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, index) => ({ atMs: index * LINE_MS, text: line }));
  return { lines: [], cycle: { fromMs: 0, periodMs: lines.length * LINE_MS, lines } };
}

export function outputOfScript(steps: readonly Step[]): ContainerOutput {
  const lines: LogLine[] = [];
  let atMs = 0;
  for (const step of steps) {
    if (step.do === "say") lines.push({ atMs, text: step.text });
    else if (step.do === "sleep") atMs += step.ms;
    else if (step.do === "repeat") return { lines, cycle: cycleOf(step.steps, atMs) };
    else if (step.do !== "ready") break;
  }
  return { lines, cycle: undefined };
}

function cycleOf(steps: readonly Step[], fromMs: number): ContainerOutput["cycle"] {
  const { lines } = outputOfScript(steps);
  const periodMs = steps.reduce((sum, step) => sum + (step.do === "sleep" ? step.ms : 0), 0);
  // One that never sleeps would write for ever in no time.
  return lines.length === 0 ? undefined : { fromMs, lines, periodMs: Math.max(periodMs, LINE_MS) };
}

/** Written after one moment and up to another, since the start; of more than are kept the last. */
export function linesBetween(
  { lines, cycle }: ContainerOutput,
  afterMs: number,
  untilMs: number,
): readonly LogLine[] {
  const isWithin = ({ atMs }: LogLine): boolean => atMs > afterMs && atMs <= untilMs;
  const first = lines.filter(isWithin);
  if (cycle === undefined) return first.slice(-MOST_LINES);
  const { fromMs, periodMs, lines: repeated } = cycle;
  const last = Math.floor((untilMs - fromMs) / periodMs);
  const kept = Math.ceil(MOST_LINES / repeated.length);
  const begin = Math.max(0, last - kept, Math.floor((afterMs - fromMs) / periodMs));
  const again: LogLine[] = [];
  for (let round = begin; round <= last; round++) {
    for (const { atMs, text } of repeated) again.push({ atMs: fromMs + round * periodMs + atMs, text });
  }
  return [...first, ...again.filter(isWithin)].slice(-MOST_LINES);
}
