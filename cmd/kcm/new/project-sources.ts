import type { Project } from "./project.ts";

export function definitionSource({ group, kind }: Project): string {
  return `import { conditionsSchema } from "kube-controller-manager/controller";
import { defineCrd, type ObjectOf } from "kube-controller-manager/crd";

/** So many pods of an image. */
export const ${kind} = defineCrd({
  group: ${JSON.stringify(group)},
  version: "v1",
  kind: ${JSON.stringify(kind)},
  scope: "Namespaced",
  spec: {
    type: "object",
    required: ["image"],
    properties: {
      image: { type: "string", minLength: 1, description: "What runs in the pods." },
      replicas: { type: "integer", minimum: 0, maximum: 100, default: 1, description: "How many pods run." },
    },
  },
  status: {
    type: "object",
    properties: {
      readyReplicas: { type: "integer" },
      observedGeneration: { type: "integer", format: "int64" },
      conditions: conditionsSchema,
    },
  },
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.readyReplicas" },
  printerColumns: [
    { name: "Image", type: "string", jsonPath: ".spec.image" },
    { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type ${kind} = ObjectOf<typeof ${kind}>;
`;
}

export function controllerSource({ name, kind }: Project): string {
  return `import { resources } from "kube-controller-manager/api";
import { changed, condition, controller } from "kube-controller-manager/controller";
import { ${kind} } from "./definition.ts";

export { ${kind} };

/** Keeps a Deployment for every ${kind}. */
export const operator = controller(${JSON.stringify(name)}, ${kind})
  .owns(resources.deployments, { where: changed.any(changed.spec, changed.at("status.readyReplicas")) })
  .reconcile(async ({ metadata: { name }, spec: { image, replicas } }, ctx) => {
    const labels = { "app.kubernetes.io/name": name };
    const deployment = await ctx.apply(resources.deployments, {
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
      },
    });
    const { readyReplicas = 0 } = deployment.status ?? {};
    const isReady = readyReplicas >= replicas;
    await ctx.status(
      { readyReplicas },
      condition("Ready", isReady, isReady ? "AllReady" : "PodsMissing", \`\${readyReplicas} of \${replicas}\`),
    );
  });

/** Those by which kcm manifests finds out what the operator must be allowed. */
export const examples = [
  ${kind}.object({ metadata: { name: "example" }, spec: { image: "nginx:1.29", replicas: 2 } }),
];
`;
}

export function controllerTest({ kind }: Project): string {
  return `import { resources } from "kube-controller-manager/api";
import { type TestCluster, testCluster } from "kube-controller-manager/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { examples, operator } from "./controller.ts";
import { ${kind} } from "./definition.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await testCluster({ definitions: [${kind}], nodes: 2, controllers: [operator] });
});
afterEach(async () => cluster.stop());

test("all pods of a ${kind} become ready", async () => {
  for (const example of examples) await cluster.create(${kind}, example);
  await cluster.until("it is ready", async () => {
    const { status } = await cluster.get(${kind}, "example");
    return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  });
  expect(await cluster.list(resources.pods)).toHaveLength(2);
});

test("a Deployment that somebody deletes is made again", async () => {
  for (const example of examples) await cluster.create(${kind}, example);
  await cluster.until("it is there", async () => (await cluster.list(resources.deployments)).length === 1);
  await cluster.delete(resources.deployments, "example");
  await cluster.until("it is there again", async () => (await cluster.list(resources.deployments)).length === 1);
});
`;
}

export function mainSource({ name, kind }: Project): string {
  return `import { manager } from "kube-controller-manager/manager";
import { operator } from "./controller.ts";
import { ${kind} } from "./definition.ts";

await manager({
  name: ${JSON.stringify(name)},
  run: [operator],
  installCrds: [${kind}],
  leaderElection: { namespace: process.env["POD_NAMESPACE"] ?? "default" },
  port: { health: 8081, metrics: 8080 },
}).run();
`;
}

export function devSource({ name }: Project): string {
  return `// Runs the operator in a cluster of its own, until one of them ends.
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

const name = ${JSON.stringify(name)};
const home = process.env["KCM_HOME"] || join(homedir(), ".kcm");
// Both are detached: Ctrl-C reaches them from here, first the operator, and the cluster when that has ended.
const cluster = spawn("kcm", ["up", "--name", name], { stdio: ["ignore", "pipe", "inherit"], detached: true });
let operator: ReturnType<typeof spawn> | undefined;
let said = "";
cluster.stdout.on("data", (chunk: Buffer) => {
  process.stdout.write(chunk);
  said += chunk.toString();
  if (operator !== undefined || !said.includes("ready after")) return;
  const env = { ...process.env, KUBECONFIG: join(home, name, "kubeconfig") };
  operator = spawn(process.execPath, ["src/main.ts"], { stdio: "inherit", env, detached: true });
  operator.once("exit", (code) => {
    process.exitCode = code ?? 1;
    cluster.kill("SIGTERM");
  });
});
cluster.once("exit", (code) => {
  process.exitCode ||= code ?? 1;
  operator?.kill("SIGTERM");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => (operator ?? cluster).kill(signal));
`;
}
