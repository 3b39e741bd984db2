import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { findCondition } from "../../api/conditions.ts";
import { resources } from "../../api/resources.ts";
import { parseTime } from "../../api/time.ts";
import type { Node, Pod } from "../../api/types/core-v1.gen.ts";
import { internal } from "../../apiserver/server/status-error.ts";
import { hollowNodes } from "./hollow-nodes.ts";

const LEASES = "kube-node-lease";
const FAILS = "kcm.dev/fails";
const STATUS = "patch nodes/status node-0";
const LEASE = "patch leases node-0";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  await world.create(resources.namespaces, { metadata: { name: LEASES } });
});
afterEach(async () => world.stop());

describe("a hollow node", () => {
  beforeEach(async () => start());

  test("says that it is there, ready, and how it is, in the words of kubelets", async () => {
    const { metadata, spec, status } = await node();
    expect(spec?.podCIDR).toBe("10.0.0.0/24");
    expect(metadata.labels?.["kubernetes.io/hostname"]).toBe("node-0");
    expect(
      status?.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
    ).toEqual([
      ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
      ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
      ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
      ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
    ]);
  });

  test("has a Lease, which goes with it", async () => {
    await world.run(10_000);
    const { metadata } = await node();
    const lease = await leases().get({ namespace: LEASES, name: "node-0" });
    expect(lease.spec).toMatchObject({ holderIdentity: "node-0", leaseDurationSeconds: 40 });
    await leases().delete({ namespace: LEASES, name: "node-0" });
    await world.run(10_000);
    const again = await leases().get({ namespace: LEASES, name: "node-0" });
    expect(again.metadata.ownerReferences).toEqual([
      { apiVersion: "v1", kind: "Node", name: "node-0", uid: metadata.uid },
    ]);
  });

  test("renews its Lease every 10 s and says how it is every 5 min", async () => {
    const startMs = world.clock.nowMs();
    world.takeWrites();
    await world.run(295_000);
    expect(linesTaken()).toEqual(Array.from({ length: 29 }, () => LEASE));
    const { spec } = await leases().get({ namespace: LEASES, name: "node-0" });
    expect((parseTime(spec?.renewTime) ?? 0) - startMs).toBe(288_000);
    await world.run(10_000);
    expect(linesTaken().toSorted()).toEqual([LEASE, STATUS]);
    const ready = await condition("Ready");
    expect((parseTime(ready?.lastHeartbeatTime) ?? 0) - startMs).toBe(298_000);
    expect((parseTime(ready?.lastTransitionTime) ?? 0) - startMs).toBeLessThan(0);
  });

  test.each([
    ["disk-pressure", "DiskPressure", "True", "KubeletHasDiskPressure: kubelet has disk pressure"],
    [
      "memory-pressure",
      "MemoryPressure",
      "True",
      "KubeletHasInsufficientMemory: kubelet has insufficient memory available",
    ],
    [
      "pid-pressure",
      "PIDPressure",
      "True",
      "KubeletHasInsufficientPID: kubelet has insufficient PID available",
    ],
    ["not-ready", "Ready", "False", "KubeletNotReady: container runtime is down"],
  ])("that is told to be %s says so at once, until that is over", async (failure, type, status, why) => {
    await world.run(5_000);
    const before = await condition(type);
    const fromMs = world.clock.nowMs();
    world.takeWrites();
    await fail(` ${failure} , `);
    await world.run(500);
    expect(linesTaken().toSorted()).toEqual([LEASE, STATUS]);
    const told = await condition(type);
    expect([told?.status, `${told?.reason}: ${told?.message}`]).toEqual([status, why]);
    expect(parseTime(told?.lastTransitionTime)).toBe(Math.floor(fromMs / 1_000) * 1_000);
    await fail(undefined);
    await world.run(500);
    expect(await condition(type)).toMatchObject({ status: before?.status, reason: before?.reason });
  });

  test("corrects at its next turn what others say of it, and not before", async () => {
    const ready = { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" };
    await nodes().patch(
      { name: "node-0" },
      { type: "strategic", body: { status: { conditions: [ready] } } },
      { subresource: "status" },
    );
    await world.run(5_000);
    expect((await condition("Ready"))?.status).toBe("Unknown");
    await world.run(5_000);
    expect((await condition("Ready"))?.status).toBe("True");
  });

  test("that cannot write tries again", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "patch", resource: "nodes" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.update<Node>(resources.nodes, "node-0", (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { [FAILS]: "disk-pressure" } },
    }));
    await world.run(1_000);
    repair();
    await world.run(5_000);
    expect((await condition("DiskPressure"))?.status).toBe("True");
  });

  test("tells of a failure that it does not know", async () => {
    await fail("silent,broken");
    expect(await world.events()).toEqual([
      "UnknownFailure kcm.dev/fails is broken, and a node can only be silent, not-ready, memory-pressure, disk-pressure, pid-pressure",
    ]);
  });
});

describe("a hollow node that is silent", () => {
  beforeEach(async () => {
    await start();
    for (const name of ["stays", "goes", "forced"]) await addPod(name);
    await world.run();
    await fail("silent");
    await world.run(1_000);
    world.takeWrites();
  });

  test("writes nothing, starts no pods and ends none", async () => {
    await world.client.clientFor(resources.pods).delete({ namespace: "default", name: "goes" });
    await addPod("new");
    await world.run(600_000);
    expect(linesTaken()).toEqual([]);
    expect((await pod("new")).status?.phase).toBe("Pending");
    expect((await pod("goes")).metadata.deletionTimestamp).toBeDefined();
  });

  test("says when it comes back how it is, though it has said so a minute before", async () => {
    await world.run(60_000);
    await fail(undefined);
    await world.run(1_000);
    expect(linesTaken().toSorted()).toEqual([LEASE, STATUS]);
  });

  test("does when it comes back what it was told meanwhile, and says at once how it is and how its pods are", async () => {
    const pods = world.client.clientFor(resources.pods);
    await pods.delete({ namespace: "default", name: "goes" });
    await pods.delete({ namespace: "default", name: "forced" }, { gracePeriodSeconds: 0 });
    const unready = { status: { conditions: [{ type: "Ready", status: "False" }] } };
    await pods.patch(
      { namespace: "default", name: "stays" },
      { type: "strategic", body: unready },
      { subresource: "status" },
    );
    await addPod("new");
    await world.run(600_000);
    await fail(undefined);
    await world.run(1_000);
    const lines = linesTaken();
    expect(lines).toContain(STATUS);
    expect(lines).toContain(LEASE);
    const found = await world.list<Pod>(resources.pods);
    expect(found.map(({ metadata, status }) => [metadata.name, status?.phase, readyOf(status)])).toEqual([
      ["new", "Running", "True"],
      ["stays", "Running", "True"],
    ]);
  });
});

test("pods of a node that was silent go on, at their address, when it is made anew with another range", async () => {
  await start();
  await addPod("stays");
  await world.run();
  const { podIP } = (await pod("stays")).status ?? {};
  await fail("silent");
  await world.run(1_000);
  const unready = { status: { conditions: [{ type: "Ready", status: "False" }] } };
  await world.client
    .clientFor(resources.pods)
    .patch(
      { namespace: "default", name: "stays" },
      { type: "strategic", body: unready },
      { subresource: "status" },
    );
  // Whatever was to be done for that is done before the node goes.
  await world.run(1_000);
  await world.delete(resources.nodes, "node-0");
  const podCIDR = "10.9.0.0/24";
  await world.create<Node>(resources.nodes, {
    metadata: { name: "node-0" },
    spec: { podCIDR, podCIDRs: [podCIDR] },
  });
  await world.run(1_000);
  const { status } = await pod("stays");
  expect(readyOf(status)).toBe("True");
  expect(status?.podIP).toBe(podIP);
  expect(podIP).toBe("10.0.0.1");
});

test("many nodes are all there at once, and then write in turns, each once in 10 s", async () => {
  await start(120);
  expect(await world.list(resources.nodes)).toHaveLength(120);
  world.takeWrites();
  const counts: number[] = [];
  for (let each = 0; each < 6; each++) {
    await world.run(10_000 / 3);
    counts.push(linesTaken().length);
  }
  expect(counts).toEqual([40, 40, 40, 40, 40, 40]);
});

async function start(count = 1): Promise<void> {
  await world.start(hollowNodes({ nodes: count, tellsEvents: true }));
}

function nodes(): ReturnType<typeof world.client.clientFor<Node>> {
  return world.client.clientFor(resources.nodes);
}

function leases() {
  return world.client.clientFor(resources.leases);
}

async function node(): Promise<Node> {
  return nodes().get({ name: "node-0" });
}

async function pod(name: string): Promise<Pod> {
  return world.get<Pod>(resources.pods, name);
}

function readyOf(status: Pod["status"]): string | undefined {
  return findCondition(status?.conditions, "Ready")?.status;
}

async function condition(type: string) {
  return findCondition((await node()).status?.conditions, type);
}

async function fail(how: string | undefined): Promise<void> {
  const body = { metadata: { annotations: { [FAILS]: how ?? null } } };
  await nodes().patch({ name: "node-0" }, { type: "merge", body });
}

async function addPod(name: string): Promise<void> {
  const spec = { nodeName: "node-0", containers: [{ name: "main", image: "main" }] };
  await world.create<Pod>(resources.pods, { metadata: { name }, spec });
}

function linesTaken(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
