import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isPodReady } from "../../pkg/api/pod.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudgetSpec } from "../../pkg/api/types/policy-v1.gen.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { Deployments } from "../harness/deployments.ts";
import { HOLLOW_WORLD_FLAGS, type HollowWorld, startHollowWorld } from "../harness/hollow-world.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { until } from "../harness/until.ts";

const program = process.env["KUBECTL"] ?? "kubectl";
const run = promisify(execFile);
const NODES = 3;
const REPLICAS = 6;
const FLAGS = [
  "--leader-elect=false",
  "--secure-port=0",
  "--controllers=deployment-controller,replicaset-controller,daemonset-controller,disruption-controller",
];

/** Nothing here decides what may be evicted but the API server, by what our daemon has told it. */
describe("kubectl drain, with our daemon in charge of a real API server", () => {
  let cluster: RealCluster;
  let daemon: Daemon;
  let clients: ClientBuilder;
  let client: ClientSet;
  let world: HollowWorld;
  let namespace = "";

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await run(program, ["--kubeconfig", cluster.kubeconfig, ...args]);
    return stdout + stderr;
  };
  const drain = async (node: string, ...args: readonly string[]): Promise<string> =>
    kubectl("drain", node, "--pod-selector=app", "--ignore-daemonsets", ...args);
  const podsOf = async (app: string): Promise<readonly Pod[]> =>
    (await client.clientFor<Pod>(resources.pods).list({ namespace, labelSelector: `app=${app}` })).items;
  const onNode = async (node: string): Promise<number> =>
    (await podsOf("web")).filter(({ spec }) => spec?.nodeName === node).length;
  const deployments = (): Deployments => new Deployments(client, namespace);

  beforeAll(async () => {
    cluster = await startRealCluster({ apiServerFlags: HOLLOW_WORLD_FLAGS });
    clients = await clientsOf(cluster.kubeconfig);
    client = clients.client("test");
    world = startHollowWorld(clients, NODES);
    daemon = new Daemon(ourProgram, [`--kubeconfig=${cluster.kubeconfig}`, ...FLAGS]);
  });
  afterAll(async () => {
    await daemon.end("SIGTERM");
    await world.stop();
    await clients.close();
    await cluster.stop();
  });
  beforeEach(async () => {
    const made = await client
      .clientFor(resources.namespaces)
      .create({ metadata: { generateName: "drain-" } });
    namespace = made.metadata.name ?? "";
    const { items: nodes } = await client.clientFor(resources.nodes).list();
    for (const { metadata } of nodes) await kubectl("uncordon", metadata.name ?? "");
    await deployments().create("web", REPLICAS);
    await until("the Deployment is complete", async () => deployments().isComplete("web"));
  });

  /** What is left on the nodes would be in the next one's way. */
  afterEach(async () => {
    const { podDisruptionBudgets, deployments: owners, replicaSets, daemonSets, pods } = resources;
    for (const resource of [podDisruptionBudgets, owners, replicaSets, daemonSets, pods])
      await client.dynamic(resource).deleteCollection({ namespace }, { gracePeriodSeconds: 0 });
  });

  async function createBudget(spec: PodDisruptionBudgetSpec, allowed: number): Promise<void> {
    const budgets = client.clientFor(resources.podDisruptionBudgets);
    const selector = { matchLabels: { app: "web" } };
    await budgets.create({ metadata: { name: "web", namespace }, spec: { selector, ...spec } });
    await until(`${allowed} pods may be evicted`, async () => {
      const { status } = await budgets.get({ namespace, name: "web" });
      return status?.expectedPods === REPLICAS && status.disruptionsAllowed === allowed;
    });
  }

  async function someNode(): Promise<string> {
    const [pod] = await podsOf("web");
    return pod?.spec?.nodeName ?? "";
  }

  test("empties a node, pod by pod, and never takes more than the budget allows", async () => {
    await createBudget({ maxUnavailable: 1 }, 1);
    const node = await someNode();
    let fewest = REPLICAS;
    const drained = new AbortController();
    const watching = (async () => {
      while (!drained.signal.aborted)
        fewest = Math.min(fewest, (await podsOf("web")).filter(isPodReady).length);
    })();
    const output = await drain(node, "--timeout=120s");
    drained.abort();
    await watching;
    expect(output).toContain(`node/${node} drained`);
    expect(await onNode(node)).toBe(0);
    expect(fewest).toBeGreaterThanOrEqual(REPLICAS - 1);
    await until("the Deployment is complete again", async () => deployments().isComplete("web"));
  });

  test("waits, and gives up, where the budget allows nothing", async () => {
    await createBudget({ minAvailable: "100%" }, 0);
    const node = await someNode();
    const before = await onNode(node);
    await expect(drain(node, "--timeout=3s")).rejects.toThrow(
      "Cannot evict pod as it would violate the pod's disruption budget",
    );
    expect(await onNode(node)).toBe(before);
  });

  test("leaves the pods of a DaemonSet, which come back to a node that is closed", async () => {
    const labels = { app: "daemon" };
    await client.clientFor(resources.daemonSets).create({
      metadata: { name: "daemon", namespace },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "main:1" }] },
        },
      },
    });
    await until(
      "it runs everywhere",
      async () => (await podsOf("daemon")).filter(isPodReady).length === NODES,
    );
    const node = await someNode();
    const names = async (): Promise<readonly (string | undefined)[]> =>
      (await podsOf("daemon"))
        .filter(({ spec }) => spec?.nodeName === node)
        .map(({ metadata }) => metadata.name);
    const [before = ""] = await names();
    expect(await drain(node, "--timeout=60s")).toContain(`node/${node} drained`);
    expect(await names()).toEqual([before]);
    await client.clientFor(resources.pods).delete({ namespace, name: before });
    await until("another one runs there", async () => {
      const [after] = await names();
      return after !== undefined && after !== before;
    });
  });
});
