import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { PodSpec, ReplicationController } from "../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../pkg/clock/real.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { AuditLog, describeEvent, isUnauthorized } from "../harness/audit-log.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { Deployments } from "../harness/deployments.ts";
import { markPod } from "../harness/hollow-kubelet.ts";
import { HOLLOW_WORLD_FLAGS, type HollowWorld, startHollowWorld } from "../harness/hollow-world.ts";
import { kubeadmFlags, MANAGER_USER } from "../harness/kubeadm-flags.ts";
import { freePorts, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { until } from "../harness/until.ts";
import { identityJourneys } from "./identity-journeys.ts";

const ACTOR = "manager";
const namespace = "default";
const podSpec = { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "main:1" }] };

/** The bootstrap roles of the API server are upstream's; nothing here adds to them. */
describe("each controller under its own account", () => {
  let cluster: RealCluster;
  let admin: ClientBuilder;
  let client: ClientSet;
  let deployments: Deployments;
  let audit: AuditLog;
  let world: HollowWorld;
  let daemon: Daemon;

  beforeAll(async () => {
    cluster = await startRealCluster({ audit: true, apiServerFlags: HOLLOW_WORLD_FLAGS });
    admin = await clientsOf(cluster.kubeconfig);
    client = admin.client("test");
    deployments = new Deployments(client, namespace);
    audit = new AuditLog(cluster.auditLog);
    world = startHollowWorld(admin, 3);
    const kubeconfig = await audit.identify(ACTOR, cluster, MANAGER_USER);
    const [port = 0] = await freePorts(1);
    daemon = new Daemon(ourProgram, [
      ...kubeadmFlags(cluster, kubeconfig, port),
      "--terminated-pod-gc-threshold=1",
    ]);
    await daemon.says("uccessfully acquired lease");
    // It takes a minute to be sure that a node is gone, so this one is left to wait while the others are tested.
    await createPod("lost", {}, { nodeName: "gone" });
  });

  afterAll(async () => {
    await daemon?.end();
    await world?.stop();
    await admin?.close();
    await cluster?.stop();
  });

  async function createPod(
    name: string,
    labels: Record<string, string>,
    more: Partial<PodSpec> = {},
  ): Promise<void> {
    await client.clientFor(resources.pods).create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace, labels },
      spec: { ...podSpec, ...more },
    });
  }

  async function complete(name: string): Promise<void> {
    await until(`Deployment ${name} is complete`, async () => deployments.isComplete(name));
  }

  async function ownerOf(pod: string): Promise<string | undefined> {
    const { metadata } = await client.clientFor(resources.pods).get({ namespace, name: pod });
    return metadata.ownerReferences?.[0]?.kind;
  }

  async function isGone(pod: string): Promise<boolean> {
    const fieldSelector = `metadata.name=${pod}`;
    return (await client.clientFor(resources.pods).list({ namespace, fieldSelector })).items.length === 0;
  }

  test("Deployments are rolled, scaled, paused and resumed", async () => {
    await deployments.create("web", 3);
    await complete("web");
    await deployments.patch("web", { replicas: 5 });
    await complete("web");
    await deployments.patch("web", { paused: true });
    await deployments.roll("web", "main:2");
    await deployments.patch("web", { paused: false, replicas: 2 });
    await complete("web");
  });

  test("ReplicaSets and pods are adopted and released", async () => {
    const labels = { app: "adopted" };
    await createPod("orphan", { ...labels, "pod-template-hash": "x" });
    await client.clientFor(resources.replicaSets).create({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "adopted-x", namespace, labels: { ...labels, "pod-template-hash": "x" } },
      spec: {
        replicas: 1,
        selector: { matchLabels: { ...labels, "pod-template-hash": "x" } },
        template: { metadata: { labels: { ...labels, "pod-template-hash": "x" } }, spec: podSpec },
      },
    });
    await until("the pod is adopted", async () => (await ownerOf("orphan")) === "ReplicaSet");
    await deployments.create("adopted", 2);
    await complete("adopted");
    await createPod("stray", labels);
    const ref = { namespace, name: "adopted-x" };
    await until("the ReplicaSet is adopted", async () => {
      const { metadata } = await client.clientFor(resources.replicaSets).get(ref);
      return metadata.ownerReferences?.[0]?.kind === "Deployment";
    });
  });

  test("a ReplicationController is scaled, and releases a pod that no longer matches", async () => {
    const labels = { app: "old" };
    const controllers = client.clientFor<ReplicationController>(resources.replicationControllers);
    await controllers.create({
      apiVersion: "v1",
      kind: "ReplicationController",
      metadata: { name: "old", namespace },
      spec: { replicas: 2, selector: labels, template: { metadata: { labels }, spec: podSpec } },
    });
    const hasReady = async (count: number): Promise<boolean> =>
      (await controllers.get({ namespace, name: "old" })).status?.readyReplicas === count;
    await until("two pods are ready", async () => hasReady(2));
    const { items } = await client.clientFor(resources.pods).list({ namespace, labelSelector: "app=old" });
    const name = items[0]?.metadata.name ?? "";
    const body = { metadata: { labels: { app: "other" } } };
    await client.clientFor(resources.pods).patch({ namespace, name }, { type: "merge", body });
    await until("the pod is released", async () => (await ownerOf(name)) === undefined);
    await controllers.patch({ namespace, name: "old" }, { type: "merge", body: { spec: { replicas: 1 } } });
    await until("one pod is left", async () => hasReady(1));
  });

  test("finished pods above the threshold, and pods that nobody will end, are collected", async () => {
    for (const name of ["done-1", "done-2", "done-3"]) {
      await createPod(name, {});
      await until(`${name} runs`, async () => {
        const { status } = await client.clientFor(resources.pods).get({ namespace, name });
        return status?.phase === "Running";
      });
      await markPod(client, { namespace, name }, "failed", realClock.nowMs());
    }
    await client.clientFor(resources.pods).create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "stuck", namespace, finalizers: ["example.com/hold"] },
      spec: { ...podSpec, nodeSelector: { no: "such-node" } },
    });
    await client.clientFor(resources.pods).delete({ namespace, name: "stuck" });
    await until("two of three finished pods are deleted", async () => {
      const gone = await Promise.all(["done-1", "done-2", "done-3"].map(isGone));
      return gone.filter(Boolean).length === 2;
    });
    await until("the stuck pod is marked as failed", async () => {
      const { status } = await client.clientFor(resources.pods).get({ namespace, name: "stuck" });
      return status?.phase === "Failed";
    });
  });

  // From here on most of the time is spent waiting, for each in a namespace of its own.
  test.concurrent("a pod whose node is gone is collected", async () => {
    await until("it is deleted", async () => isGone("lost"), 120_000, 500);
  });

  test.concurrent.each(identityJourneys.map((journey, index) => ({ ...journey, own: `journey-${index}` })))(
    "$name, and its namespace ends with all that is in it",
    async ({ run, own }) => {
      const namespaces = client.clientFor(resources.namespaces);
      await namespaces.create({ metadata: { name: own } });
      await until("the namespace is furnished", async () => {
        const accounts = await client.clientFor(resources.serviceAccounts).list({ namespace: own });
        const maps = await client.clientFor(resources.configMaps).list({ namespace: own });
        return accounts.items.length === 1 && maps.items.length === 1;
      });
      await run(client, own);
      await namespaces.delete({ name: own });
      await until("the namespace is gone", async () => {
        return (await namespaces.list({ fieldSelector: `metadata.name=${own}` })).items.length === 0;
      });
    },
  );

  test("no request of ours was forbidden, and every controller wrote as itself", async () => {
    expect(await daemon.end("SIGTERM")).toEqual({ code: 0, signal: null });
    await audit.read();
    const ours = audit.events.filter((event) => audit.actor(event) === ACTOR);
    const refused = ours.filter(isUnauthorized);
    expect(refused.map(describeEvent)).toEqual([]);
    const usersOf = (resource: string, verb: string, subresource?: string): readonly string[] => [
      ...new Set(
        ours
          .filter((event) => event.objectRef?.resource === resource && event.verb === verb)
          .filter((event) => event.objectRef?.subresource === subresource)
          .map(({ user }) => user.username),
      ),
    ];
    const account = (name: string): string => `system:serviceaccount:kube-system:${name}`;
    expect(usersOf("leases", "update")).toEqual([MANAGER_USER]);
    expect(usersOf("replicasets", "create")).toEqual([account("deployment-controller")]);
    expect(usersOf("pods", "create").toSorted()).toEqual([
      account("daemon-set-controller"),
      account("job-controller"),
      account("replicaset-controller"),
      account("replication-controller"),
      account("statefulset-controller"),
    ]);
    // The controllers of nodes look past their caches only where these are in doubt.
    const readers = usersOf("nodes", "get").filter((user) => user !== account("node-controller"));
    expect(readers).toEqual([account("pod-garbage-collector")]);
    expect(usersOf("pods", "delete")).toContain(account("pod-garbage-collector"));
    expect(usersOf("serviceaccounts", "create", "token")).toEqual([MANAGER_USER]);
    // The accounts to act as are made by whoever asks for their tokens, "default" of every namespace by its controller.
    expect(usersOf("serviceaccounts", "create").toSorted()).toEqual([
      MANAGER_USER,
      account("service-account-controller"),
    ]);
    const kinds = Object.entries(Object.groupBy(ours, ({ user }) => user.username));
    console.log(kinds.map(([user, events]) => `${user}: ${events?.length ?? 0} requests`).join("\n"));
  });
});
