// Records which families of metrics the Go program has after a life of a cluster: node test/e2e/alone/record.ts
import { writeFile } from "node:fs/promises";
import { goProgram } from "../../harness/daemon.ts";
import {
  beginLife,
  clusterInfoIsSigned,
  dnsIsUp,
  jobsEnd,
  loadIsFollowed,
  minuteHasComeAndGone,
  namespaceGoes,
  nodeIsReplaced,
  untilDataIsReady,
  untilNodesAreReady,
} from "./journeys.ts";
import { LonelyCluster } from "./lonely-cluster.ts";
import { familiesOf, RECORDED, together } from "./metric-families.ts";

const SPACE = "shop";

if (goProgram === undefined) throw new Error("there is no Go program (make real builds it)");
const cluster = await LonelyCluster.start(goProgram);
const { client, metrics } = cluster;
try {
  await cluster.join();
  await beginLife(cluster, SPACE);
  await untilNodesAreReady(client);
  await clusterInfoIsSigned(client);
  await dnsIsUp(client);
  await Promise.all([jobsEnd(client, SPACE), loadIsFollowed(client, SPACE, metrics)]);
  const [lost] = await untilDataIsReady(client, SPACE);
  if (lost !== undefined) await nodeIsReplaced(client, SPACE, lost);
  await untilDataIsReady(client, SPACE);
  await minuteHasComeAndGone(client, SPACE);
  const before = await familiesOf(cluster);
  await namespaceGoes(client, SPACE);
  const families = together(before, await familiesOf(cluster));
  await writeFile(RECORDED, `${JSON.stringify(families, null, 2)}\n`);
} finally {
  await cluster.stop();
}
