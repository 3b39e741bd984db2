import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { registry } from "../../../cmd/kube-controller-manager/registry.ts";
import { resolveOptions } from "../../../cmd/kube-controller-manager/options/resolve.ts";
import { type Manager, managersOf, versionOf } from "./managers.ts";
import { plot } from "./plot.ts";
import { rowsOf, showResult } from "./report.ts";
import { type Plan, type Result, runWorkload } from "./run.ts";
import { serverKind } from "./stage.ts";
import type { Workload } from "./workload.ts";
import { coldStart } from "./workloads/cold-start.ts";
import { configMaps } from "./workloads/config-maps.ts";
import { daemonSet } from "./workloads/daemon-set.ts";
import { deployments } from "./workloads/deployments.ts";
import { failover } from "./workloads/failover.ts";
import { idle } from "./workloads/idle.ts";
import { jobWorkloads } from "./workloads/jobs.ts";
import { namespaceDelete } from "./workloads/namespace-delete.ts";
import { quietNamespace } from "./workloads/quiet-namespace.ts";
import { servicePods } from "./workloads/service-pods.ts";
import { statefulSetWorkloads } from "./workloads/stateful-sets.ts";

export interface CompareOptions {
  /** NAME=COMMAND; the first is "ours". */
  readonly managers: readonly string[];
  /** Beginnings of the names of workloads; all when empty. */
  readonly only: readonly string[];
  readonly controllers: string | undefined;
  readonly scale: number;
  readonly rounds: number;
  /** For the table, JSON, plots and logs; a temporary one when undefined. */
  readonly out: string | undefined;
}

const workloads: readonly Workload[] = [
  ...[1_000, 10_000, 20_000, 50_000].map(coldStart),
  deployments,
  ...jobWorkloads,
  daemonSet,
  ...statefulSetWorkloads,
  servicePods,
  namespaceDelete,
  configMaps,
  quietNamespace({
    id: "h-quiet",
    title: "a quiet namespace while another has 10,000 Deployments queued",
    limits: "lifted",
    deployments: 10_000,
  }),
  quietNamespace({
    id: "h-default-limits",
    title: "a quiet namespace behind 300 new Deployments of another, default limits of requests",
    limits: "default",
    deployments: 300,
    goal: 0.02,
  }),
  idle,
  failover,
];

/** The same workloads with each controller manager, side by side. Progress goes to standard error. */
export async function compare(options: CompareOptions): Promise<void> {
  const directory = resolve(options.out ?? mkdtempSync(join(tmpdir(), "kcm-bench-")));
  mkdirSync(directory, { recursive: true });
  const managers = managersOf(options.managers, directory);
  const plan: Plan = {
    workloads: chosen(options.only),
    managers,
    controllers: options.controllers?.split(",") ?? builtControllers(),
    scale: options.scale,
    rounds: options.rounds,
    directory,
    say: (line) => process.stderr.write(`${line}\n`),
  };
  const head = headOf(plan);
  const tables: string[] = [
    Object.entries(head)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join("\n"),
  ];
  const print = (text: string): void => {
    console.log(text);
    tables.push(text);
  };
  console.log(tables[0]);
  const results: Result[] = [];
  for (const workload of plan.workloads) {
    const result = await runWorkload(plan, workload);
    results.push(result);
    print(showResult(result, managers));
    // After each workload, so that an end before the last one loses nothing.
    writeFileSync(join(directory, "result.json"), JSON.stringify(report(head, results, managers), null, 1));
    writeFileSync(join(directory, "table.md"), `${tables.join("\n")}\n`);
    writePlots(directory, result);
  }
  console.log(`\nTable, figures of all rounds, plots and logs: ${directory}`);
}

function chosen(only: readonly string[]): readonly Workload[] {
  const unknown = only.filter((name) => !workloads.some(({ id }) => id.startsWith(name)));
  if (unknown.length > 0) {
    throw new Error(
      `no such workload: ${unknown.join(", ")}; there are ${workloads.map(({ id }) => id).join(", ")}`,
    );
  }
  return only.length === 0
    ? workloads
    : workloads.filter(({ id }) => only.some((name) => id.startsWith(name)));
}

/** What both programs run. */
function builtControllers(): readonly string[] {
  const { options } = resolveOptions([], (path) => readFileSync(path, "utf8"));
  return registry(options, { rootCa: () => "" }).map(({ name }) => name);
}

function headOf({ managers, controllers, scale, rounds }: Plan): Readonly<Record<string, unknown>> {
  const git = (...args: readonly string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();
  return {
    commit:
      git("rev-parse", "--short", "HEAD") +
      (git("status", "--porcelain", "-uno") === "" ? "" : " and changes"),
    date: new Date().toISOString(),
    node: process.version,
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    server: serverKind,
    managers: Object.fromEntries(
      managers.map((manager) => [manager.name, `${manager.command.join(" ")} (${versionOf(manager)})`]),
    ),
    controllers: controllers.join(" "),
    scale,
    rounds,
  };
}

function report(
  head: Readonly<Record<string, unknown>>,
  results: readonly Result[],
  managers: readonly Manager[],
): unknown {
  return {
    ...head,
    rows: results.flatMap((result) => rowsOf(result, managers)),
    workloads: results.map(({ workload, outcomes, notes }) => ({
      id: workload.id,
      title: workload.title,
      notes,
      outcomes: Object.fromEntries(outcomes),
    })),
  };
}

function writePlots(directory: string, { workload, outcomes }: Result): void {
  const all = [...outcomes].flatMap(([name, rounds]) => rounds.map(({ curves }) => ({ name, curves })));
  for (const kind of new Set(all.flatMap(({ curves }) => Object.keys(curves)))) {
    const curves = all.flatMap(({ name, curves }) => {
      const curve = curves[kind];
      return curve === undefined || curve.points.length === 0 ? [] : [{ name, curve }];
    });
    if (curves.length === 0) continue;
    const horizontal = kind === "latency" ? "percentile" : "seconds";
    const svg = plot(`${workload.title}: ${kind}`, horizontal, curves);
    writeFileSync(join(directory, `${workload.id}-${kind.replaceAll(" ", "-").toLowerCase()}.svg`), svg);
  }
}
