import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { installCrds } from "../../../pkg/crd/install-crds.ts";
import { inParallel } from "../compare/in-parallel.ts";
import { median } from "../compare/median.ts";
import { scrapedMetrics } from "../compare/scraped-metrics.ts";
import { openStage, type Stage } from "../compare/stage.ts";
import { OperatorProcess } from "./operator-process.ts";
import { NAMESPACE, Page, pages } from "./page.ts";
import { type Program, programsIn } from "./programs.ts";

export interface OperatorsOptions {
  /** Names of programs; all when empty. */
  readonly only: readonly string[];
  /** A share of 10,000 objects. */
  readonly scale: number;
  readonly rounds: number;
  /** Where programs are made, and their logs written. */
  readonly directory: string;
}

/** Figures of one turn, by name. */
type Figures = Readonly<Record<string, number>>;

const OBJECTS = 10_000;
const LIMIT_SECONDS = 1_800;
const POLL_MS = 250;

/** Operators take turns, each on a cluster of its own: one child for each object, then a start on all that is there. */
export async function benchOperators({ only, scale, rounds, directory }: OperatorsOptions): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const programs = await programsIn(directory, only);
  const turns = new Map<string, Figures[]>(programs.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const program of round % 2 === 0 ? programs : programs.toReversed()) {
      const figures = await turn(program, { scale, log: join(directory, `${program.name}.log`) });
      console.log(program.name, JSON.stringify(figures));
      turns.get(program.name)?.push(figures);
    }
  console.log(table(turns));
}

async function turn(
  program: Program,
  { scale, log }: { readonly scale: number; readonly log: string },
): Promise<Figures> {
  const stage = await openStage(0, scale);
  try {
    const count = stage.scaled(OBJECTS);
    await plantPages(stage, pages(count));
    const first = await creating(stage, new OperatorProcess(program, stage.kubeconfig, log), count);
    await untilWatched(stage, false);
    const second = await starting(stage, new OperatorProcess(program, stage.kubeconfig, log));
    return { ...first, ...second };
  } finally {
    await stage.stop();
  }
}

async function plantPages({ client }: Stage, objects: readonly ApiObject[]): Promise<void> {
  await client.clientFor(resources.namespaces).create({ metadata: { name: NAMESPACE } });
  await installCrds(client, [Page]);
  await inParallel(objects, async (object) => client.dynamic(Page).create(object));
}

/** From the start of the process to the last child, and what that took. */
async function creating({ client }: Stage, operator: OperatorProcess, count: number): Promise<Figures> {
  const before = await requestsSeen(client);
  while ((await childrenOf(client)) < count) {
    if (operator.seconds > LIMIT_SECONDS)
      throw new Error(`not within ${LIMIT_SECONDS} s: a child for each object`);
    operator.usage();
    await sleep(realClock, POLL_MS);
  }
  const { seconds } = operator;
  const { usage } = await operator.quiet();
  await operator.end();
  return {
    "children, s": seconds,
    "children, CPU s": usage.cpuSeconds,
    "children, RSS MiB": usage.rssMiB,
    "children, peak MiB": usage.peakRssMiB,
    ...since(before, await requestsSeen(client), "children"),
  };
}

/** Of a process that finds everything as it should be. */
async function starting(stage: Stage, operator: OperatorProcess): Promise<Figures> {
  const { client } = stage;
  const before = await requestsSeen(client);
  // A process that was given no time to begin is quiet, too.
  await untilWatched(stage, true);
  const { seconds, usage } = await operator.quiet();
  await operator.end();
  return {
    "cold start, s": seconds,
    "cold start, CPU s": usage.cpuSeconds,
    "cold start, RSS MiB": usage.rssMiB,
    "cold start, peak MiB": usage.peakRssMiB,
    ...since(before, await requestsSeen(client), "cold start"),
  };
}

/** Until the objects are watched by an operator, or are so no longer. */
async function untilWatched({ client }: Stage, isWatched: boolean): Promise<void> {
  const endMs = realClock.monotonicMs() + LIMIT_SECONDS * 1_000;
  while (realClock.monotonicMs() < endMs) {
    const watches = scrapedMetrics(await metricsOf(client)).sum(
      "apiserver_longrunning_requests",
      (labels) => labels.includes('resource="pages"') && labels.includes('verb="WATCH"'),
    );
    if (watches > 0 === isWatched) return;
    await sleep(realClock, POLL_MS);
  }
  throw new Error(`not within ${LIMIT_SECONDS} s: objects are ${isWatched ? "" : "no longer "}watched`);
}

const metricsOf = ({ rest }: ClientSet): Promise<string> =>
  rest.text({ method: "GET", path: "/metrics", accept: "text/plain" });

async function childrenOf(client: ClientSet): Promise<number> {
  const options = { namespace: NAMESPACE, limit: 1 };
  const { items, metadata } = await client.clientFor(resources.configMaps).list(options);
  return items.length + Number(metadata?.remainingItemCount ?? 0);
}

const WRITE = /verb="(POST|PUT|PATCH|APPLY|DELETE)"/;
const READ = /verb="(GET|LIST)"/;

interface Requests {
  readonly writes: number;
  readonly reads: number;
}

/** All requests for what operators read and write, as the API server has counted them. */
async function requestsSeen(client: ClientSet): Promise<Requests> {
  const text = await metricsOf(client);
  const count = (verbs: RegExp): number =>
    scrapedMetrics(text).sum(
      "apiserver_request_total",
      (labels) => verbs.test(labels) && /resource="(configmaps|pages)"/.test(labels),
    );
  return { writes: count(WRITE), reads: count(READ) };
}

const since = (before: Requests, after: Requests, what: string): Figures => ({
  [`${what}, writes`]: after.writes - before.writes,
  [`${what}, reads`]: after.reads - before.reads,
});

function table(turns: ReadonlyMap<string, readonly Figures[]>): string {
  const [some] = [...turns.values()].flat();
  const names = [...turns.keys()];
  const rows = Object.keys(some ?? {}).map((figure) => {
    const cells = names.map((name) =>
      format(median((turns.get(name) ?? []).map((figures) => figures[figure] ?? Number.NaN))),
    );
    return `| ${figure} | ${cells.join(" | ")} |`;
  });
  return [`| | ${names.join(" | ")} |`, `|---|${"---|".repeat(names.length)}`, ...rows].join("\n");
}

const format = (value: number): string =>
  value >= 1_000 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
