/** What people write who have the package, as text: it is compiled and run where they would. */

/** Lists pods, and does no more. */
export const minimalProgram = `
import { resources } from "kube-controller-manager/api";
import { connect } from "kube-controller-manager/client";

const cluster = await connect({ master: "http://127.0.0.1:1", kubeconfig: process.argv[2] });
try {
  const { items } = await cluster.clientFor(resources.pods).list({ namespace: cluster.namespace });
  for (const { metadata, status } of items) console.log(metadata.name, status?.phase);
} finally {
  await cluster.close();
}
`;

/** A cluster in the process, and a Pod that runs there. */
export const clusterProgram = `
import { resources } from "kube-controller-manager/api";
import type { Pod } from "kube-controller-manager/api/core-v1";
import { conditionIs, waitFor } from "kube-controller-manager/client";
import { realClock, realRandom } from "kube-controller-manager/clock";
import { EmbeddedCluster } from "kube-controller-manager/cluster";

const startMs = performance.now();
const cluster = await EmbeddedCluster.start({ clock: realClock, random: realRandom, nodes: 1, insecure: true });
const admin = cluster.client("admin");
const ref = { namespace: "default", name: "web" };
const pod: Pod = { metadata: ref, spec: { containers: [{ name: "web", image: "web:1" }] } };
await admin.clientFor(resources.pods).create(pod);
const ready = await waitFor(admin, { resource: resources.pods, ref, until: conditionIs("Ready") }, { timeoutMs: 30_000 });
console.log(JSON.stringify({ phase: ready?.status?.phase, ms: performance.now() - startMs }));
await cluster.stop();
`;

export const everyRoom = (rooms: readonly string[]): string =>
  rooms
    .map((room, index) => `export * as room${index} from "kube-controller-manager${room.slice(1)}";`)
    .join("\n");
