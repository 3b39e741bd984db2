import { hostname } from "node:os";
import { FlagError } from "../kube-controller-manager/options/flag.ts";
import { StartError } from "../../pkg/manager/start-error.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import {
  ClaimedCluster,
  clusterHome,
  type FoundCluster,
  findCluster,
  findClusters,
  isClusterName,
} from "./clusters/cluster-home.ts";
import { describeHolder, DirectoryLock } from "./clusters/directory-lock.ts";
import { defineCommand } from "./command.ts";
import { removeFromSharedFile } from "./kubeconfig/shared-file.ts";

const POLL_MS = 50;
const END_LIMIT_MS = 30_000;

export const downCommand = defineCommand({
  name: "down",
  takes: "[NAME]",
  summary: "End a cluster, the one called default if no name is given",
  flags: {},
  examples: [["kcm down second", "What runs in --data-dir can be started again"]],
  run: async ({ words }) => {
    const [name = "default", ...more] = words;
    if (more.length > 0)
      throw new FlagError(`unexpected argument ${JSON.stringify(more[0])}: one name at a time`);
    if (!isClusterName(name)) throw new FlagError(`${JSON.stringify(name)} cannot be the name of a cluster`);
    process.stdout.write(`${await down(clusterHome(process.env), name)}\n`);
    return 0;
  },
});

/** Resolves to what has been done. */
async function down(home: string, name: string): Promise<string> {
  const cluster = findCluster(home, name);
  if (cluster === undefined) throw new StartError(notThere(home, name));
  if (cluster.state === "stale") return cleanUp(home, cluster);
  end(cluster);
  const limitMs = realClock.monotonicMs() + END_LIMIT_MS;
  while (DirectoryLock.isTaken(cluster.directory)) {
    if (realClock.monotonicMs() > limitMs) {
      throw new StartError(`cluster ${name} is still about to end: ${describeHolder(cluster.holder)}`);
    }
    await sleep(realClock, POLL_MS);
  }
  // One that was killed meanwhile has left all this to others.
  const left = findCluster(home, name);
  if (left?.state === "stale") await cleanUp(home, left);
  return `cluster ${name} ended`;
}

/** As Ctrl-C does. */
function end({ name, holder }: FoundCluster): void {
  if (holder === undefined || holder.host !== hostname()) {
    throw new StartError(`cluster ${name} runs as ${describeHolder(holder)}: it can be ended only there`);
  }
  try {
    process.kill(holder.processId, "SIGTERM");
  } catch (error) {
    // It has ended by itself just now; whether it has is seen at its lock.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return;
    throw new StartError(`cluster ${name}, ${describeHolder(holder)}, cannot be ended`, error);
  }
}

async function cleanUp(home: string, { name, record, holder }: FoundCluster): Promise<string> {
  const claimed = ClaimedCluster.claim(home, name);
  try {
    if (record.mergedInto !== undefined) await removeFromSharedFile(record.mergedInto, name);
  } finally {
    claimed.release();
  }
  return `cluster ${name} had ended without cleaning up (${describeHolder(holder)}); what it had left is removed`;
}

function notThere(home: string, name: string): string {
  const names = findClusters(home).map((cluster) => cluster.name);
  return `there is no cluster ${name}${names.length === 0 ? "" : `, but ${names.join(", ")}`}`;
}
