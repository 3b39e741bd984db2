import { FlagError } from "../kube-controller-manager/options/flag.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { clusterHome, type FoundCluster, findClusters } from "./clusters/cluster-home.ts";
import { clusterTable } from "./clusters/cluster-table.ts";
import { defineCommand } from "./command.ts";

export const listCommand = defineCommand({
  name: "list",
  summary: "List the clusters of this user",
  flags: {},
  examples: [],
  run: async ({ words }) => {
    if (words.length > 0) throw new FlagError(`unexpected argument ${JSON.stringify(words[0])}`);
    const clusters: readonly FoundCluster[] = findClusters(clusterHome(process.env));
    if (clusters.length === 0) process.stdout.write("No cluster runs; kcm up starts one.\n");
    else for (const line of clusterTable(clusters, realClock.nowMs())) process.stdout.write(`${line}\n`);
    return 0;
  },
});
