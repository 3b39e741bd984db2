import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { goManager, hasRealCluster } from "../../test/harness/real-programs.ts";

interface Load {
  readonly name: string;
  readonly args: readonly string[];
}

/** What test/parity/load.ts prints. */
interface LoadFigures {
  readonly seconds: number;
  readonly writesPerPod: Readonly<Record<string, number>>;
  readonly conflicts: Readonly<Record<string, number>>;
  readonly longestWaitSeconds: { readonly deployment: number; readonly replicaSet: number };
  readonly cpuSeconds: number;
  readonly rssMiB: number;
}

export interface DeploymentsBenchResult {
  readonly name: string;
  readonly figures: string;
}

const DEPLOYMENTS = 200;
const REPLICAS = 25;
const upstream = goManager();

/**
 * 200 Deployments of 25 pods each at once on hollow nodes: on the embedded API server; on a real one where there is one;
 * and there with upstream's program too, where GO_KCM names it.
 */
export async function benchDeployments(): Promise<readonly DeploymentsBenchResult[]> {
  const hasReal = hasRealCluster();
  const loads: readonly Load[] = [
    { name: "embedded API server", args: ["--on", "embedded"] },
    ...(hasReal ? [{ name: "real API server", args: ["--on", "real"] }] : []),
    ...(hasReal && upstream !== undefined
      ? [{ name: "real API server, upstream's program", args: ["--on", "real", "--manager", upstream] }]
      : []),
  ];
  const results: DeploymentsBenchResult[] = [];
  for (const { name, args } of loads) {
    const script = join(import.meta.dirname, "../../test/parity/load.ts");
    const size = ["--deployments", String(DEPLOYMENTS), "--replicas", String(REPLICAS)];
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args, ...size]);
    results.push({
      name: `${DEPLOYMENTS} Deployments × ${REPLICAS}, ${name}`,
      figures: show(JSON.parse(stdout) as LoadFigures),
    });
  }
  return results;
}

function show(load: LoadFigures): string {
  const { seconds, writesPerPod, conflicts, longestWaitSeconds, cpuSeconds, rssMiB } = load;
  const byActor = Object.entries(writesPerPod)
    .filter(([actor]) => actor.endsWith("-controller"))
    .map(([actor, writes]) => `${actor} ${writes.toFixed(2)}`);
  const conflictCount = Object.values(conflicts).reduce((sum, count) => sum + count, 0);
  return [
    `all available after ${seconds.toFixed(1)} s`,
    `writes a pod: ${byActor.join(", ")}`,
    `${conflictCount} conflicts`,
    `longest wait ${Math.max(longestWaitSeconds.deployment, longestWaitSeconds.replicaSet).toFixed(1)} s`,
    `CPU ${cpuSeconds.toFixed(1)} s`,
    `RSS ${Math.round(rssMiB)} MiB`,
  ].join("; ");
}
