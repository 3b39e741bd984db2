import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, PersistentVolumeClaim, Pod, PodSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { podCondition } from "../../pkg/api/pod.ts";
import { scheduler } from "../../pkg/cluster/scheduler/scheduler.ts";
import { clusterKinds, type ControllerCluster } from "../harness/controller-clusters.ts";
import { Daemon } from "../harness/daemon.ts";
import { goScheduler } from "../harness/real-programs.ts";
import type { TestSpace } from "../harness/test-space.ts";

const room = { cpu: "4", memory: "8Gi", pods: "110" };
const nodes: readonly Node[] = [
  { metadata: { name: "plain", labels: { zone: "a" } } },
  { metadata: { name: "tainted" }, spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } },
  { metadata: { name: "cordoned" }, spec: { unschedulable: true } },
];
const needs = (cpu: string, memory = "1Mi"): Partial<PodSpec> => ({
  containers: [{ name: "c", image: "i", resources: { requests: { cpu, memory } } }],
});
const uses = (claimName: string): Partial<PodSpec> => ({
  volumes: [{ name: "v", persistentVolumeClaim: { claimName } }],
});

const theirs = goScheduler();

/** Ours on the embedded server, and the real one on the real server: the same words. */
const kinds = clusterKinds.filter(({ name }) => name === "embedded" || theirs !== undefined);
describe.each(kinds)("what the scheduler of the $name cluster says", ({ name, start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  let program: Daemon | undefined;

  beforeAll(async () => {
    cluster = await start(
      name === "real" ? ["--disable-admission-plugins=TaintNodesByCondition,ServiceAccount"] : [],
    );
    const { clientFor } = cluster.client;
    for (const node of nodes) {
      await clientFor<Node>(resources.nodes).create(node);
      const ready = [{ type: "Ready", status: "True" }];
      const body = { status: { capacity: room, allocatable: room, conditions: ready } };
      await clientFor<Node>(resources.nodes).patch(
        { name: node.metadata.name ?? "" },
        { type: "merge", body },
        { subresource: "status" },
      );
    }
    const classes = clientFor(resources.storageClasses);
    await classes.create({
      metadata: { name: "now" },
      provisioner: "x.io/y",
      volumeBindingMode: "Immediate",
    });
    await classes.create({
      metadata: { name: "hand" },
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const calm = { metadata: { name: "calm" }, value: 0, preemptionPolicy: "Never" };
    await clientFor(resources.priorityClasses).create(calm);
    space = await cluster.space();
    for (const storageClassName of ["now", "hand"]) {
      const resourcesOf = { requests: { storage: "1Gi" } };
      await space.create<PersistentVolumeClaim>(resources.persistentVolumeClaims, {
        metadata: { name: storageClassName },
        spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: resourcesOf },
      });
    }
    if (name === "embedded" || theirs === undefined) cluster.run([scheduler()]);
    else {
      const flags = [`--kubeconfig=${cluster.kubeconfig}`, "--leader-elect=false", "--secure-port=0"];
      program = new Daemon([theirs], flags);
    }
    await createPod("there", needs("3"));
    await space.until(
      "the first pod has the only node",
      async () => space.get<Pod>(resources.pods, "there"),
      ({ spec }) => spec?.nodeName === "plain",
    );
  });
  afterAll(async () => {
    await program?.end("SIGKILL");
    await cluster.stop();
  });

  const createPod = async (podName: string, spec: Partial<PodSpec>): Promise<void> => {
    const containers = [{ name: "c", image: "i" }];
    await space.create<Pod>(resources.pods, { metadata: { name: podName }, spec: { containers, ...spec } });
  };

  const others = "1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.";
  const again = "no new claims to deallocate, preemption: 0/3 nodes are available:";
  const useless = "Preemption is not helpful for scheduling.";
  test.each<[string, Partial<PodSpec>, string]>([
    [
      "too-big",
      needs("64", "64Gi"),
      `1 Insufficient cpu, 1 Insufficient memory, ${others} ${again} 3 ${useless}`,
    ],
    [
      "no-room",
      needs("2"),
      `1 Insufficient cpu, ${others} ${again} 1 No preemption victims found for incoming pod, 2 ${useless}`,
    ],
    [
      "no-room-never",
      { ...needs("2"), priorityClassName: "calm", preemptionPolicy: "Never" },
      `1 Insufficient cpu, ${others} no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.`,
    ],
    [
      "selects",
      { nodeSelector: { zone: "b" } },
      `1 node(s) didn't match Pod's node affinity/selector, ${others} ${again} 3 ${useless}`,
    ],
    ["lacks-claim", uses("gone"), 'persistentvolumeclaim "gone" not found. not found'],
    ["unbound", uses("now"), "pod has unbound immediate PersistentVolumeClaims. not found"],
    [
      "no-volume",
      uses("hand"),
      `1 node(s) didn't find available persistent volumes to bind, ${others} ${again} 3 ${useless}`,
    ],
  ])("%s", async (podName, spec, message) => {
    await createPod(podName, spec);
    const pod = await space.until(
      "it is told that there is no node",
      async () => space.get<Pod>(resources.pods, podName),
      (seen) => podCondition(seen, "PodScheduled") !== undefined,
    );
    const { status, reason, message: said } = podCondition(pod, "PodScheduled") ?? {};
    expect([status, reason, said]).toEqual(["False", "Unschedulable", `0/3 nodes are available: ${message}`]);
  });
});
