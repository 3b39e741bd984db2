// make bench: how fast and how small the machinery is on this machine. `--part NAME` runs one part only; "machinery"
// names those of queues and caches. The parts "compare" and "operators" run only when they are named: controller managers
// side by side, and operators; see README.md.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { realClock } from "../../pkg/clock/real.ts";
import type { CacheScenarioResult } from "./cache-scenario.ts";
import { compare } from "./compare/compare.ts";
import { benchDeployments } from "./deployments.ts";
import { benchEmbedded } from "./embedded.ts";
import { benchCache } from "./machinery-cache.ts";
import { benchDelays, benchQueue, benchWorkers } from "./machinery-queue.ts";
import { benchOperators } from "./operators/operators.ts";
import { benchProbe } from "./probe.ts";

interface Row {
  readonly what: string;
  readonly figures: string;
  readonly goal: string;
}

const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  queue: async () => [
    ...benchQueue(realClock).map(({ name, cyclesPerSecond, goal }) => ({
      what: `queue ${name}: add, get, done`,
      figures: perSecond(cyclesPerSecond),
      goal: `≥ ${perSecond(goal)}`,
    })),
    { what: "queue: delayed adds", figures: perSecond(benchDelays(realClock)), goal: "" },
    { what: "workers: syncs that do nothing", figures: perSecond(await benchWorkers(realClock)), goal: "" },
  ],
  cache: async () =>
    (await benchCache()).map(({ name, goal, ...result }) => ({
      what: name,
      figures: figuresOf(result, "").join(", "),
      goal: figuresOf(goal, goal.perSecond === undefined ? "≤ " : "≥ ").join(", "),
    })),
  deployments: async () =>
    (await benchDeployments()).map(({ name, figures }) => ({ what: name, figures, goal: "" })),
  probe: async () => (await benchProbe()).map(({ name, ...row }) => ({ what: name, ...row })),
  embedded: async () => (await benchEmbedded()).map(({ name, ...row }) => ({ what: name, ...row })),
};

/** Parts that take long, and run only when they are named. */
const sideBySide: Readonly<Record<string, (values: Values) => Promise<void>>> = {
  compare: runComparison,
  operators: async (values) =>
    benchOperators({
      only: values.only?.split(",") ?? [],
      scale: positive("scale", values.scale),
      rounds: positive("rounds", values.rounds),
      directory: resolve(values.out ?? ".cache/bench"),
    }),
};

/** Parts that belong together go by one name. */
const groups: Readonly<Record<string, readonly string[]>> = { machinery: ["queue", "cache"] };

const options = {
  part: { type: "string", multiple: true },
  manager: { type: "string", multiple: true },
  only: { type: "string" },
  controllers: { type: "string" },
  scale: { type: "string", default: "1" },
  rounds: { type: "string", default: "3" },
  out: { type: "string" },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

try {
  await run(parseArgs({ options }).values);
} catch (error) {
  console.error(`Error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function run(values: Values): Promise<void> {
  const named = values.part ?? Object.keys(parts);
  const chosen = named.flatMap((name) => groups[name] ?? [name]);
  const unknown = chosen.filter((name) => !(name in sideBySide) && parts[name] === undefined);
  if (unknown.length > 0) {
    const names = [...Object.keys(groups), ...Object.keys(parts), ...Object.keys(sideBySide)];
    throw new Error(`no such part: ${unknown.join(", ")}; there are ${names.join(", ")}`);
  }
  for (const name of chosen) {
    await sideBySide[name]?.(values);
    for (const { what, figures, goal } of (await parts[name]?.()) ?? []) {
      console.log(`${what.padEnd(48)} ${figures}${goal === "" ? "" : `   (goal ${goal})`}`);
    }
  }
}

async function runComparison(values: Values): Promise<void> {
  await compare({
    managers: values.manager ?? [],
    only: values.only?.split(",") ?? [],
    controllers: values.controllers,
    scale: positive("scale", values.scale),
    rounds: positive("rounds", values.rounds),
    out: values.out,
  });
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${option} is a number above 0, not ${text}`);
  return number;
}

function figuresOf(result: CacheScenarioResult, bound: string): readonly string[] {
  const { perSecond: rate, tookMs, peakMiB, settledMiB, heapBytesPerPod, longestStallMs } = result;
  const shown: readonly (readonly [number | undefined, (value: number) => string])[] = [
    [rate, perSecond],
    [tookMs, (value) => `${(value / 1_000).toFixed(2)} s`],
    [peakMiB, (value) => `peak ${Math.round(value)} MiB`],
    [settledMiB, (value) => `settled ${Math.round(value)} MiB`],
    [heapBytesPerPod, (value) => `${Math.round(value).toLocaleString("en")} bytes a pod`],
    [longestStallMs, (value) => `longest stall ${value.toFixed(1)} ms`],
  ];
  return shown.flatMap(([value, show]) => (value === undefined ? [] : [`${bound}${show(value)}`]));
}

function perSecond(count: number): string {
  return `${Math.round(count).toLocaleString("en")}/s`;
}
