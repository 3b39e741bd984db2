import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { registry } from "../../../cmd/kube-controller-manager/registry.ts";
import { resolveOptions } from "../../../cmd/kube-controller-manager/options/resolve.ts";
import { headOf, showHead } from "./head.ts";
import { managersOf } from "./managers.ts";
import { writePlots } from "./plots.ts";
import { resultJson, showResult } from "./report.ts";
import { type Plan, type Result, runWorkload } from "./run.ts";
import type { Workload } from "./workload.ts";
import { autoscalerWorkloads } from "./workloads/autoscalers.ts";
import { churn } from "./workloads/churn.ts";
import { coldStart } from "./workloads/cold-start.ts";
import { configMaps } from "./workloads/config-maps.ts";
import { daemonSet } from "./workloads/daemon-set.ts";
import { deployments } from "./workloads/deployments.ts";
import { failover } from "./workloads/failover.ts";
import { idle } from "./workloads/idle.ts";
import { jobWorkloads } from "./workloads/jobs.ts";
import { namespaceDelete } from "./workloads/namespace-delete.ts";
import { nodeHeartbeats } from "./workloads/node-heartbeats.ts";
import { nodeRanges } from "./workloads/node-ranges.ts";
import { quietNamespace } from "./workloads/quiet-namespace.ts";
import { deviceWorkloads } from "./workloads/resource-claims.ts";
import { servicePods } from "./workloads/service-pods.ts";
import { statefulSetWorkloads } from "./workloads/stateful-sets.ts";
import { volumeWorkloads } from "./workloads/volumes.ts";

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
  ...volumeWorkloads,
  servicePods,
  ...deviceWorkloads,
  ...autoscalerWorkloads,
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
  nodeHeartbeats({ id: "n-heartbeats", podsOfEach: { dying: 20, living: 0 } }),
  nodeHeartbeats({ id: "m-150k", podsOfEach: { dying: 30, living: 30 }, whenNamed: true }),
  nodeRanges({
    id: "n-node-ranges",
    title: "ranges of pod addresses for 5,000 Nodes that come at once",
    limits: "lifted",
    nodes: 5_000,
  }),
  nodeRanges({
    id: "n-default-limits",
    title: "the same for 1,000 Nodes, default limits of requests",
    limits: "default",
    nodes: 1_000,
  }),
  churn({ id: "u-churn", users: 6, minutes: 16 }),
  churn({ id: "u-soak", users: 2, minutes: 120, whenNamed: true }),
];

/** The same workloads with each controller manager, side by side. Progress goes to standard error. */
export async function compare(options: CompareOptions): Promise<void> {
  const programs = mkdtempSync(join(tmpdir(), "kcm-bench-"));
  const directory = resolve(options.out ?? programs);
  const logs = join(directory, "logs");
  mkdirSync(logs, { recursive: true });
  const managers = managersOf(options.managers, programs);
  const plan: Plan = {
    workloads: chosen(options.only),
    managers,
    controllers: options.controllers?.split(",") ?? builtControllers(),
    scale: options.scale,
    rounds: options.rounds,
    directory: logs,
    say: (line) => process.stderr.write(`${line}\n`),
  };
  const head = headOf(plan);
  const tables: string[] = [showHead(head)];
  console.log(tables[0]);
  const results: Result[] = [];
  for (const workload of plan.workloads) {
    const result = await runWorkload(plan, workload);
    results.push(result);
    const table = showResult(result, managers);
    console.log(table);
    const plots = writePlots(directory, result).map(({ file, title }) => `![${title}](${file})`);
    tables.push(plots.length === 0 ? table : `${table}\n\n${plots.join("\n")}`);
    // After each workload, so that an end before the last one loses nothing.
    writeFileSync(join(directory, "result.json"), resultJson(head, results, managers));
    writeFileSync(join(directory, "table.md"), `${tables.join("\n")}\n`);
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
    ? workloads.filter(({ whenNamed = false }) => !whenNamed)
    : workloads.filter(({ id }) => only.some((name) => id.startsWith(name)));
}

/** What both programs run. */
function builtControllers(): readonly string[] {
  // Without these flags there is nothing to do for one of them.
  const ranges = ["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/8"];
  const { options } = resolveOptions(ranges, (path) => readFileSync(path, "utf8"));
  return registry(options, { rootCa: () => "" }).map(({ name }) => name);
}
