import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { Deployments } from "../harness/deployments.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { until } from "../harness/until.ts";

const namespace = "default";
const MAIN = "kube-controller-manager";
const MIGRATION = "test-migration";

describe("leader migration", () => {
  let cluster: RealCluster;
  let admin: ClientBuilder;
  let client: ClientSet;
  let deployments: Deployments;
  const daemons: Daemon[] = [];

  beforeAll(async () => {
    cluster = await startRealCluster({ apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] });
    admin = await clientsOf(cluster.kubeconfig);
    client = admin.client("test");
    deployments = new Deployments(client, namespace);
  });

  afterAll(async () => {
    await Promise.all(daemons.map(async (daemon) => daemon.end()));
    await admin?.close();
    await cluster?.stop();
  });

  async function start(component: string): Promise<Daemon> {
    const file = join(cluster.directory, `migration-${daemons.length}.yaml`);
    const lines = [
      "apiVersion: controllermanager.config.k8s.io/v1",
      "kind: LeaderMigrationConfiguration",
      `leaderName: ${MIGRATION}`,
      "controllerLeaders:",
      `- {name: replicaset-controller, component: "${component}"}`,
    ];
    await writeFile(file, lines.join("\n"));
    const flags = [
      `--kubeconfig=${cluster.kubeconfig}`,
      "--secure-port=0",
      "--enable-leader-migration",
      `--leader-migration-config=${file}`,
    ];
    const daemon = new Daemon(ourProgram, flags);
    daemons.push(daemon);
    return daemon;
  }

  async function holder(name: string): Promise<string> {
    const { items } = await client.clientFor(resources.leases).list({
      namespace: "kube-system",
      fieldSelector: `metadata.name=${name}`,
    });
    return items[0]?.spec?.holderIdentity ?? "";
  }

  async function count(resource: "replicaSets" | "pods"): Promise<number> {
    return (await client.dynamic(resources[resource]).list({ namespace })).items.length;
  }

  test("migrated controllers run under the second Lease, and both Leases change hands", async () => {
    const first = await start("*");
    await until(
      "both Leases are held",
      async () => (await holder(MAIN)) !== "" && (await holder(MIGRATION)) !== "",
    );
    await deployments.create("web", 2);
    await until("both shares of the controllers work", async () => (await count("pods")) === 2);

    const before = [await holder(MAIN), await holder(MIGRATION)];
    const second = await start("*");
    await second.says("Attempting to acquire leader lease");
    expect(await first.end("SIGTERM")).toEqual({ code: 0, signal: null });
    await until("the second process holds both Leases", async () => {
      const now = [await holder(MAIN), await holder(MIGRATION)];
      return now.every((identity, index) => identity !== "" && identity !== before[index]);
    });
    await deployments.patch("web", { replicas: 3 });
    await until("both shares of the controllers work again", async () => (await count("pods")) === 3);
    expect(await second.end("SIGTERM")).toEqual({ code: 0, signal: null });
  });

  test("controllers of another program are left to it", async () => {
    const daemon = await start("cloud-controller-manager");
    await deployments.create("other", 2);
    await until("the Deployment has its ReplicaSet", async () => (await count("replicaSets")) === 2);
    expect(daemon.output).toMatch(/"Leader migration".*unowned=\["replicaset-controller"\]/);
    expect(await count("pods")).toBe(3);
    await daemon.end("SIGTERM");
  });

  test("a process that loses the second Lease ends with 1", async () => {
    const daemon = await start("*");
    await until(
      "both Leases are held",
      async () => (await holder(MAIN)) !== "" && (await holder(MIGRATION)) !== "",
    );
    const body = { spec: { holderIdentity: "somebody-else" } };
    await client
      .clientFor(resources.leases)
      .patch({ namespace: "kube-system", name: MIGRATION }, { type: "merge", body });
    expect(await daemon.exit).toEqual({ code: 1, signal: null });
  });
});
