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

const websiteOperator = `const Website = defineCrd({
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
`;

/** An operator of a kind of its own, with Deployments whose pods run, for an hour of a virtual clock. */
export const operatorProgram = `
import { resources } from "kube-controller-manager/api";
import { changed, controller } from "kube-controller-manager/controller";
import { defineCrd } from "kube-controller-manager/crd";
import { testCluster } from "kube-controller-manager/testing";

${websiteOperator}
const cluster = await testCluster({ definitions: [Website], nodes: 2, controllers: [operator] });
await cluster.create(Website, { metadata: { name: "blog" }, spec: { replicas: 2, image: "web:1" } });
await cluster.until("it is ready", async () => (await cluster.get(Website, "blog")).status?.readyReplicas === 2);
await cluster.pass(3_600_000);
console.log((await cluster.get(Website, "blog")).status?.readyReplicas);
await cluster.stop();
`;

/** The same operator as a program, which says by a page when it is ready. */
export const managedProgram = `
import { resources } from "kube-controller-manager/api";
import { changed, controller } from "kube-controller-manager/controller";
import { defineCrd } from "kube-controller-manager/crd";
import { manager } from "kube-controller-manager/manager";

${websiteOperator}
await manager({
  name: "website-operator",
  run: [operator],
  installCrds: [Website],
  leaderElection: { namespace: "default" },
  port: { health: Number(process.argv[2]) },
}).run();
`;

/** Libraries of schemas, which `make check-package` installs. */
export const SCHEMA_LIBRARIES = ["zod@4.6.7", "typebox@1.4.3", "@sinclair/typebox@0.34.52"] as const;

/** The same definition by each of them. */
export const schemasProgram = `
import assert from "node:assert/strict";
import { Type as OldType } from "@sinclair/typebox";
import { defineCrd, type ObjectOf } from "kube-controller-manager/crd";
import { Type } from "typebox";
import { z } from "zod";

const names = { group: "example.com", version: "v1", scope: "Namespaced" } as const;
const ByZod = defineCrd({
  ...names,
  kind: "ByZod",
  spec: z.object({
    host: z.string().min(1),
    replicas: z.int().min(0).max(10).default(2),
    theme: z.enum(["light", "dark"]).optional(),
  }),
});
const ByTypeBox = defineCrd({
  ...names,
  kind: "ByTypeBox",
  spec: Type.Object({
    host: Type.String({ minLength: 1 }),
    replicas: Type.Integer({ minimum: 0, maximum: 10, default: 2 }),
    theme: Type.Optional(Type.Union([Type.Literal("light"), Type.Literal("dark")])),
  }),
});
const ByOldTypeBox = defineCrd({
  ...names,
  kind: "ByOldTypeBox",
  spec: OldType.Object({
    host: OldType.String({ minLength: 1 }),
    replicas: OldType.Integer({ minimum: 0, maximum: 10, default: 2 }),
    theme: OldType.Optional(OldType.Union([OldType.Literal("light"), OldType.Literal("dark")])),
  }),
});
const read: [ObjectOf<typeof ByZod>["spec"], ObjectOf<typeof ByTypeBox>["spec"], ObjectOf<typeof ByOldTypeBox>["spec"]] =
  [{ host: "a", replicas: 1 }, { host: "a", replicas: 1, theme: "dark" }, { host: "a", replicas: 1, theme: "light" }];
// @ts-expect-error: there is no such theme
read[0] = { host: "a", replicas: 1, theme: "grey" };
// @ts-expect-error: there is no such theme
read[1] = { host: "a", replicas: 1, theme: "grey" };
// @ts-expect-error: there is no such theme
read[2] = { host: "a", replicas: 1, theme: "grey" };

const properties = {
  host: { type: "string", minLength: 1 },
  replicas: { type: "integer", minimum: 0, maximum: 10, default: 2 },
  theme: { type: "string", enum: ["light", "dark"] },
};
for (const crd of [ByZod, ByTypeBox, ByOldTypeBox])
  assert.deepEqual(crd.manifest().spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["spec"]?.properties, properties);
assert.deepEqual(ByZod.object({ metadata: { name: "a" }, spec: { host: "x" } }).spec, { host: "x", replicas: 2 });
`;

export const everyRoom = (rooms: readonly string[]): string =>
  rooms
    .map((room, index) => `export * as room${index} from "kube-controller-manager${room.slice(1)}";`)
    .join("\n");
