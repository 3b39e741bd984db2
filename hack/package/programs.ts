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

/** An operator of a kind of its own, with Deployments whose pods run, for an hour of a virtual clock. */
export const operatorProgram = `
import { resources } from "kube-controller-manager/api";
import { changed, controller } from "kube-controller-manager/controller";
import { defineCrd } from "kube-controller-manager/crd";
import { testCluster } from "kube-controller-manager/testing";

const Website = defineCrd({
  group: "example.com",
  version: "v1",
  kind: "Website",
  scope: "Namespaced",
  spec: {
    type: "object",
    required: ["image", "replicas"],
    properties: { image: { type: "string" }, replicas: { type: "integer", minimum: 0 } },
  },
  status: { type: "object", properties: { readyReplicas: { type: "integer" } } },
});

const operator = controller("website-operator", Website)
  .owns(resources.deployments, { where: changed.any(changed.spec, changed.at("status.readyReplicas")) })
  .reconcile(async ({ metadata: { name }, spec: { image, replicas } }, ctx) => {
    const labels = { website: name };
    const { status } = await ctx.apply(resources.deployments, {
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
      },
    });
    await ctx.status({ readyReplicas: status?.readyReplicas ?? 0 });
    return {};
  });

const cluster = await testCluster({ definitions: [Website], nodes: 2, controllers: [operator] });
await cluster.create(Website, { metadata: { name: "blog" }, spec: { replicas: 2, image: "web:1" } });
await cluster.until("it is ready", async () => (await cluster.get(Website, "blog")).status?.readyReplicas === 2);
await cluster.pass(3_600_000);
console.log((await cluster.get(Website, "blog")).status?.readyReplicas);
await cluster.stop();
`;

export const everyRoom = (rooms: readonly string[]): string =>
  rooms
    .map((room, index) => `export * as room${index} from "kube-controller-manager${room.slice(1)}";`)
    .join("\n");
