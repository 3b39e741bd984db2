// Lists the longest turns of a program's event loop, with what they were spent on:
//
//   STALLS=/tmp/stalls.json node --import ./hack/bench/stall-recorder.ts dist/kube-controller-manager.mjs ...
//   node hack/bench/stalls.ts /tmp/stalls.json [how many]
import { readFileSync } from "node:fs";

export interface Turn {
  readonly startUs: number;
  readonly endUs: number;
  /** Of the thread. */
  readonly cpuUs: number;
}

/** A CPU profile of V8. */
export interface Profile {
  readonly startTime: number;
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

export interface Recording {
  readonly turns: readonly Turn[];
  readonly profile: Profile;
}

interface Sample {
  readonly atUs: number;
  readonly lastedUs: number;
  /** Innermost first, without those inside Node.js. */
  readonly stack: readonly string[];
}

const GC = "(garbage collector)";
/** Of each turn. */
const SHOWN_FUNCTIONS = 12;

if (import.meta.main) {
  const [file = "", count = "10"] = process.argv.slice(2);
  const recording = JSON.parse(readFileSync(file, "utf8")) as Recording;
  for (const line of longestTurns(recording, Number(count))) console.log(line);
}

/** The turns that took most CPU time apart from the garbage collector's. */
function* longestTurns({ turns, profile }: Recording, count: number): Iterable<string> {
  const samples = samplesOf(profile);
  const first = profile.startTime;
  const measured = turns.map((turn) => {
    const within = samples.filter(({ atUs }) => atUs >= turn.startUs && atUs < turn.endUs);
    const gcUs = sum(within.filter(({ stack }) => stack[0] === GC));
    return { turn, within, gcUs, ownUs: turn.cpuUs - gcUs };
  });
  const longest = measured.toSorted((a, b) => b.ownUs - a.ownUs).slice(0, count);
  for (const { turn, within, gcUs, ownUs } of longest) {
    const at = ((turn.startUs - first) / 1_000_000).toFixed(2);
    yield `\n${ms(ownUs)} ms of CPU and ${ms(gcUs)} ms of garbage collection in ${ms(turn.endUs - turn.startUs)} ms, after ${at} s`;
    yield* heaviest(within);
  }
}

/** Functions by the time in them and in what they called. */
function* heaviest(samples: readonly Sample[]): Iterable<string> {
  const totals = new Map<string, number>();
  for (const { stack, lastedUs } of samples) {
    for (const frame of new Set(stack)) totals.set(frame, (totals.get(frame) ?? 0) + lastedUs);
  }
  const ranked = [...totals].toSorted(([, a], [, b]) => b - a);
  for (const [frame, us] of ranked.slice(0, SHOWN_FUNCTIONS)) yield `  ${ms(us).padStart(7)}  ${frame}`;
}

function samplesOf({ startTime, nodes, samples, timeDeltas }: Profile): readonly Sample[] {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stacks = new Map<number, readonly string[]>();
  const stackOf = (id: number): readonly string[] => {
    const known = stacks.get(id);
    if (known !== undefined) return known;
    const frame = byId.get(id)?.callFrame;
    const parent = parents.get(id);
    const callers = parent === undefined ? [] : stackOf(parent);
    const isOurs = parent !== undefined && frame !== undefined && !frame.url.startsWith("node:");
    const stack = isOurs ? [nameOf(frame), ...callers] : callers;
    stacks.set(id, stack);
    return stack;
  };
  let atUs = startTime;
  return samples.map((id, index) => {
    atUs += timeDeltas[index] ?? 0;
    return { atUs, lastedUs: timeDeltas[index + 1] ?? 0, stack: stackOf(id) };
  });
}

function nameOf({ functionName, url, lineNumber }: ProfileNode["callFrame"]): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  return url === "" ? name : `${name} ${url.slice(url.lastIndexOf("/") + 1)}:${lineNumber + 1}`;
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((total, { lastedUs }) => total + lastedUs, 0);
}

function ms(us: number): string {
  return (us / 1_000).toFixed(1);
}
