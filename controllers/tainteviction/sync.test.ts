import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Node, Pod, Taint, Toleration } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { taintEvictionController } from "./controller.ts";

const NODE = "node1";
const SECOND = 1_000;

let world: ControllerWorld;
/** Paths that were asked for, one by one. */
let asked: string[];
let metrics: ReturnType<typeof createMetrics>["main"];
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" }).main;
  asked = [];
  const listens = (server: Transport): Transport => ({
    send: async (request, signal) => {
      if (request.method === "GET") asked.push(request.path);
      return server.send(request, signal);
    },
    close: async () => server.close(),
  });
  world = await newWorld({ metrics, transport: listens });
});
afterEach(async () => world.stop());

const taint = (index: number): Taint => ({
  key: `taint${index}`,
  value: `test${index}`,
  effect: "NoExecute",
});

/** Without seconds: for ever. */
const tolerates = (index: number, tolerationSeconds?: number): Toleration => ({
  key: `taint${index}`,
  value: `test${index}`,
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

const evicted = (name: string): readonly string[] => [`patch pods/status ${name}`, `delete pods ${name}`];

// upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestCreatePod, TestUpdateNode
describe.each([
  "the pod comes to the tainted node",
  "the node of the pod is tainted",
  "both were there before",
])("a pod when %s", (when) => {
  test.each<[string, readonly Toleration[], readonly Taint[], boolean]>([
    ["stays when there is no taint", [], [], false],
    ["stays when the taint does not evict", [], [{ ...taint(1), effect: "NoSchedule" }], false],
    ["goes when it does not tolerate it", [], [taint(1)], true],
    ["stays for now when it tolerates it for a while", [tolerates(1, 100)], [taint(1)], false],
    ["stays when it tolerates it", [tolerates(1)], [taint(1)], false],
    ["goes when it tolerates another", [tolerates(2)], [taint(1)], true],
    ["goes when it tolerates one of two", [tolerates(1, 100)], [taint(1), taint(2)], true],
  ])("%s", async (_, tolerations, taints, goes) => {
    if (when.startsWith("both")) {
      await addNode(taints);
      await addPod("pod1", tolerations);
      await start();
    } else {
      const comes = when.startsWith("the pod");
      await addNode(comes ? taints : []);
      if (!comes) await addPod("pod1", tolerations);
      await start();
      if (comes) await addPod("pod1", tolerations);
      else await setTaints(...taints);
    }
    await world.run();
    expect(linesTaken()).toEqual(goes ? evicted("pod1") : []);
  });
});

test("a pod that comes to a tainted node has all of its time, though the clock of the process is ahead", async () => {
  await addNode([taint(1)]);
  await start();
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await addPod("pod1", [tolerates(1, 20)]);
  world.clock.jumpWallClock(60 * SECOND);
  release();
  await world.run(19 * SECOND);
  expect(linesTaken()).toEqual([]);
  await world.run(2 * SECOND);
  expect(linesTaken()).toEqual(evicted("pod1"));
});

test("a pod that comes to a node which the cache has yet to show has all of its time, too", async () => {
  const timeAdded = formatTime(world.clock.nowMs());
  await addNode([{ ...taint(1), timeAdded }]);
  const repairs = ["list", "watch"].map((verb) =>
    world.server.parts.faults.add({
      target: { verb, resource: "nodes" },
      action: { kind: "status", when: "before", error: internal("no") },
    }),
  );
  const started = start();
  await world.run(10 * SECOND);
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await addPod("pod1", [tolerates(1, 20)]);
  world.clock.jumpWallClock(60 * SECOND);
  release();
  await world.run();
  for (const repair of repairs) repair();
  await started;
  await world.run(15 * SECOND);
  expect(linesTaken()).toEqual([]);
  await world.run(10 * SECOND);
  expect(linesTaken()).toEqual(evicted("pod1"));
});

// upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestCreatePod, TestDeletePod, TestDeleteNode
describe("nothing is done", () => {
  test("for a pod without a node", async () => {
    await addNode([taint(1)]);
    await start();
    await addPod("pod1", [], "");
    await world.run();
    expect(linesTaken()).toEqual([]);
  });

  test("for a pod that is gone, or whose node was gone before", async () => {
    await addNode([taint(1)]);
    await addPod("pod1", [tolerates(1, 10)]);
    await addPod("pod2", [], "gone");
    await start();
    await remove("pod1");
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual([]);
    expect(await world.events()).toEqual(["TaintManagerEviction Cancelling deletion of Pod default/pod1"]);
  });

  test("for a pod that is being deleted", async () => {
    await addNode([]);
    await addPod("pod1", []);
    await world.delete(resources.pods, "pod1");
    await start();
    await setTaints(taint(1));
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual([]);
  });
});

// upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestUpdatePod, TestEventualConsistency
describe("a pod on a tainted node", () => {
  test.each<[string, readonly Toleration[], boolean]>([
    ["that it does not tolerate, to which it is bound, goes", [], true],
    ["that it tolerates, to which it is bound, stays", [tolerates(1)], false],
    ["that it tolerates for a while, to which it is bound, stays for now", [tolerates(1, 100)], false],
  ])("%s", async (_, tolerations, goes) => {
    await addNode([taint(1)]);
    await addPod("pod1", tolerations, "");
    await start();
    await bind("pod1");
    await world.run();
    expect(linesTaken()).toEqual(goes ? evicted("pod1") : []);
  });

  test("goes when it is told to stay for a shorter time, or not at all", async () => {
    await addNode([]);
    await addPod("pod1", [tolerates(1)]);
    await start();
    await setTaints(taint(1));
    await world.run(20 * SECOND);
    // A server lets tolerations be added, and times be changed; it lets none be taken away.
    await tolerate("pod1", [tolerates(1, 30)]);
    await world.run(5 * SECOND);
    expect(linesTaken()).toEqual([]);
    await tolerate("pod1", [tolerates(1, 10)]);
    await world.run();
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  // Upstream's case "lengthening toleration shouldn't work" is about what it has not mended.
  test("stays for as long as it is told to, also when that is longer than before", async () => {
    await addNode([]);
    await addPod("pod1", [tolerates(1, 10)]);
    await start();
    await setTaints(taint(1));
    await world.run(5 * SECOND);
    await tolerate("pod1", [tolerates(1, 100)]);
    await world.run(90 * SECOND);
    expect(linesTaken()).toEqual([]);
    await world.run(6 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("that the cache of pods shows only later goes then", async () => {
    await addNode([]);
    await start();
    await setTaints(taint(1));
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await addPod("pod1", []);
    await world.run(30 * SECOND);
    expect(linesTaken()).toEqual([]);
    release();
    await world.run();
    expect(linesTaken()).toEqual(evicted("pod1"));
  });
});

// upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestCreateNode
test.each<[string, readonly Toleration[], readonly Taint[], boolean]>([
  ["that comes with no taint leaves its pods alone", [], [], false],
  ["that comes with a taint loses them", [], [taint(1)], true],
  ["that comes with a taint keeps those that tolerate it", [tolerates(1)], [taint(1)], false],
])("a node %s", async (_, tolerations, taints, goes) => {
  await addPod("pod1", tolerations);
  await start();
  await addNode(taints);
  await world.run();
  expect(linesTaken()).toEqual(goes ? evicted("pod1") : []);
});

describe("time passes", () => {
  // upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestUpdateNode, timed_workers_test.go#TestCancel
  test("and a pod stays when the taint goes in time", async () => {
    await tolerating(10);
    await setTaints();
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual([]);
    expect(await world.events()).toEqual(["TaintManagerEviction Cancelling deletion of Pod default/pod1"]);
  });

  // upstream: timed_workers_test.go#TestCancelAndRead
  test("and the time begins anew with the taint", async () => {
    await tolerating(10);
    await setTaints();
    await world.run(20 * SECOND);
    await setTaints(taint(1));
    await world.run(9 * SECOND);
    expect(linesTaken()).toEqual([]);
    await world.run(2 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  // upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestUpdateNode, TestUpdateNodeWithMultiplePods
  test("and of several times the first counts", async () => {
    await addNode([]);
    await addPod("pod1", [tolerates(1, 10), tolerates(2, 100)]);
    await start();
    await setTaints(taint(1), taint(2));
    await world.run(9 * SECOND);
    expect(linesTaken()).toEqual([]);
    await world.run(2 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("and each pod goes at its own time", async () => {
    await addNode([]);
    for (const [name, tolerations] of [
      ["pod1", []],
      ["pod2", [tolerates(1, 10)]],
      ["pod3", [tolerates(1)]],
    ] as const)
      await addPod(name, tolerations);
    await start();
    await setTaints(taint(1));
    await world.run();
    expect(linesTaken()).toEqual(evicted("pod1"));
    await world.run(9 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod2"));
    await setTaints(taint(1), taint(2));
    await world.run();
    expect(linesTaken()).toEqual(evicted("pod3"));
  });

  // upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestUpdateNodeWithMultipleTaints
  test("and a taint that comes and goes beside one that is tolerated for ever leaves nothing behind", async () => {
    await addNode([]);
    await addPod("pod1", [tolerates(1), tolerates(2, 60)]);
    await start();
    for (const taints of [[taint(1)], [taint(1), taint(2)], [taint(1)]]) {
      await setTaints(...taints);
      await world.run(30 * SECOND);
    }
    await world.run(120 * SECOND);
    expect(linesTaken()).toEqual([]);
  });

  // upstream: timed_workers_test.go#TestExecute, TestExecuteDelayed
  test("and many pods go at once, each of them once", async () => {
    await addNode([]);
    for (let each = 0; each < 20; each++) await addPod(`pod${each}`, each < 10 ? [] : [tolerates(1, 10)]);
    await start();
    await setTaints(taint(1));
    await world.run();
    expect(linesTaken()).toHaveLength(20);
    await setTaints(taint(1), { ...taint(3), effect: "NoSchedule" });
    await world.run(20 * SECOND);
    expect(linesTaken()).toHaveLength(20);
  });
});

describe("a pod whose node goes", () => {
  test("goes at its own time all the same, and those that come later are not looked at", async () => {
    await tolerating(10);
    await world.delete(resources.nodes, NODE);
    await addPod("pod2", []);
    await world.run(8 * SECOND);
    expect(linesTaken()).toEqual([]);
    await world.run(2 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("stays when a node of the name comes in time, which is told at once", async () => {
    await tolerating(10);
    await world.delete(resources.nodes, NODE);
    await world.run(5 * SECOND);
    await addNode([]);
    expect(await world.events()).toEqual(["TaintManagerEviction Cancelling deletion of Pod default/pod1"]);
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual([]);
  });

  test("stays when a node of the name has come that the cache has yet to show", async () => {
    await tolerating(10);
    await world.delete(resources.nodes, NODE);
    await world.run(SECOND);
    const release = world.server.parts.faults.holdWatches({ resource: "nodes" });
    await addNode([]);
    await world.run(60 * SECOND);
    release();
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual([]);
  });
});

describe("who takes over", () => {
  test("counts from the time that the taint tells, and evicts nobody early", async () => {
    await addNode([]);
    await addPod("pod1", [tolerates(1, 60)]);
    await world.run(10 * SECOND);
    await setTaints({ ...taint(1), timeAdded: formatTime(world.clock.nowMs()) });
    await world.run(40 * SECOND);
    await start();
    await world.run(15 * SECOND);
    expect(linesTaken()).toEqual([]);
    await world.run(6 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("counts from the time that the pod came, where the taint was there before", async () => {
    await addNode([{ ...taint(1), timeAdded: formatTime(world.clock.nowMs() - 3_600 * SECOND) }]);
    await addPod("pod1", [tolerates(1, 60)]);
    await world.run(30 * SECOND);
    await start();
    await world.run(25 * SECOND);
    expect(linesTaken()).toEqual([]);
    await world.run(6 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("counts from the time that the pod was bound, however long ago it was made", async () => {
    await addNode([{ ...taint(1), timeAdded: formatTime(world.clock.nowMs() - 3_600 * SECOND) }]);
    await addPod("pod1", [tolerates(1, 60)], "");
    await world.run(600 * SECOND);
    await bind("pod1");
    await world.run(30 * SECOND);
    await start();
    await world.run(25 * SECOND);
    expect(linesTaken()).toEqual([]);
    await world.run(6 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("counts from now where nobody tells", async () => {
    await addNode([taint(1)]);
    await addPod("pod1", [tolerates(1, 60)]);
    await world.run(3_600 * SECOND);
    await start();
    await world.run(55 * SECOND);
    expect(linesTaken()).toEqual([]);
    await world.run(6 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });
});

describe("an eviction", () => {
  test("marks this very pod and deletes it, with its own time to end, tells of it and counts it", async () => {
    await addNode([taint(1)]);
    const { uid } = (await addPod("pod1", [])).metadata;
    await start();
    const [mark, deletion] = world.takeWrites();
    expect(mark?.body).toMatchObject({
      metadata: { uid },
      status: {
        conditions: [
          {
            type: "DisruptionTarget",
            status: "True",
            reason: "DeletionByTaintManager",
            message: "Taint manager: deleting due to NoExecute taint",
            observedGeneration: 1,
          },
        ],
      },
    });
    expect(deletion?.body).toMatchObject({ preconditions: { uid } });
    expect(deletion?.body).not.toHaveProperty("gracePeriodSeconds");
    const { metadata } = await world.get<Pod>(resources.pods, "pod1");
    expect(metadata.deletionGracePeriodSeconds).toBe(30);
    // upstream: pkg/controller/tainteviction/taint_eviction_test.go#TestPodDeletionEvent
    expect(await world.events()).toEqual(["TaintManagerEviction Marking for deletion Pod default/pod1"]);
    const text = await metrics.expose();
    expect(text).toContain("taint_eviction_controller_pod_deletions_total 1");
    expect(text).toContain('taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="0.1"} 1');
  });

  test.each(["get", "patch", "delete"] as const)("is tried again when it fails to %s", async (verb) => {
    await addNode([taint(1)]);
    await addPod("pod1", []);
    const repair = world.server.parts.faults.add({
      target: { verb, resource: "pods" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await start();
    await world.run(5 * SECOND);
    expect((await world.list<Pod>(resources.pods))[0]?.metadata.deletionTimestamp).toBeUndefined();
    repair();
    await world.run(20 * SECOND);
    expect((await world.list<Pod>(resources.pods))[0]?.metadata.deletionTimestamp).toBeDefined();
    expect(await world.events()).toEqual(["TaintManagerEviction Marking for deletion Pod default/pod1"]);
  });

  test.each(["get", "patch", "delete"])(
    "does not hit another pod of the name, made before it is to %s",
    async (verb) => {
      await addNode([]);
      await addPod("pod1", []);
      await start();
      const release = world.server.parts.faults.holdWatches({ resource: "pods" });
      const run = async (): Promise<void> => {
        const pods = world.client.clientFor<Pod>(resources.pods);
        await pods.delete({ namespace: "default", name: "pod1" }, { gracePeriodSeconds: 0 });
        await addPod("pod1", [tolerates(1)]);
      };
      if (verb === "get") await run();
      else
        world.server.parts.faults.add({
          target: { verb: verb === "patch" ? "patch" : "delete", resource: "pods" },
          action: { kind: "interfere", run },
          times: 1,
        });
      await setTaints(taint(1));
      await world.run();
      release();
      await world.run(20 * SECOND);
      const { metadata, status } = await world.get<Pod>(resources.pods, "pod1");
      expect([metadata.deletionTimestamp, status?.conditions]).toEqual([undefined, undefined]);
      expect(await world.events()).toEqual([]);
    },
  );

  test("is not told of as cancelled when the pod has ended", async () => {
    await tolerating(10);
    await world.run(20 * SECOND);
    await remove("pod1");
    expect(await world.events()).toEqual(["TaintManagerEviction Marking for deletion Pod default/pod1"]);
  });

  test("that was planned is cancelled when a taint comes that the pod does not tolerate: it goes now", async () => {
    await tolerating(10);
    await setTaints(taint(1), taint(2));
    expect(await world.events()).toEqual([
      "TaintManagerEviction Cancelling deletion of Pod default/pod1",
      "TaintManagerEviction Marking for deletion Pod default/pod1",
    ]);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("is cancelled when the pod goes before its time", async () => {
    await tolerating(10);
    await remove("pod1");
    expect(await world.events()).toEqual(["TaintManagerEviction Cancelling deletion of Pod default/pod1"]);
  });
});

describe("a cache that is behind", () => {
  test("of nodes evicts nobody whose node has lost the taint", async () => {
    await tolerating(10);
    const release = world.server.parts.faults.holdWatches({ resource: "nodes" });
    await setTaints();
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual([]);
    release();
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual([]);
  });

  test("of pods evicts nobody who tolerates the taint by now", async () => {
    await tolerating(10);
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await tolerate("pod1", [tolerates(1, 100)]);
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual([]);
    release();
    await world.run(60 * SECOND);
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("has nobody evicted twice", async () => {
    await addNode([]);
    await addPod("pod1", []);
    await start();
    await setTaints(taint(1));
    const release = world.server.parts.faults.holdWatches({ resource: "pods" });
    await world.run();
    await setTaints(taint(1), taint(2));
    await world.run();
    release();
    await world.run();
    expect(linesTaken()).toEqual(evicted("pod1"));
  });

  test("asks for a node once for all of its pods that go at the same time", async () => {
    await addNode([]);
    for (let each = 0; each < 20; each++) await addPod(`pod${each}`, []);
    await start();
    await setTaints(taint(1));
    await world.run();
    expect(linesTaken()).toHaveLength(40);
    expect(asked.filter((path) => path === `/api/v1/nodes/${NODE}`)).toHaveLength(1);
  });
});

/** A pod on a node that has been tainted a second ago, with so many seconds for it. */
async function tolerating(seconds: number): Promise<void> {
  await addNode([]);
  await addPod("pod1", [tolerates(1, seconds)]);
  await world.run();
  await start();
  await setTaints(taint(1));
  await world.run(SECOND);
  world.takeWrites();
}

async function start(): Promise<void> {
  await world.start(taintEvictionController());
}

async function addNode(taints: readonly Taint[]): Promise<void> {
  await world.create<Node>(resources.nodes, { metadata: { name: NODE }, spec: { taints } });
}

async function addPod(name: string, tolerations: readonly Toleration[], nodeName = NODE): Promise<Pod> {
  const containers = [{ name: "main", image: "main" }];
  const spec = { containers, tolerations, ...(nodeName !== "" && { nodeName }) };
  return world.create<Pod>(resources.pods, { metadata: { name }, spec });
}

async function bind(name: string): Promise<void> {
  const binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace: "default" },
    target: { kind: "Node", name: NODE },
  };
  await world.client
    .clientFor(resources.pods)
    .createSubresource({ namespace: "default", name }, "binding", binding);
}

async function setTaints(...taints: readonly Taint[]): Promise<void> {
  await world.client
    .clientFor<Node>(resources.nodes)
    .patch({ name: NODE }, { type: "merge", body: { spec: { taints } } });
}

async function tolerate(name: string, tolerations: readonly Toleration[]): Promise<void> {
  const body = { spec: { tolerations } };
  await world.client
    .clientFor<Pod>(resources.pods)
    .patch({ namespace: "default", name }, { type: "merge", body });
}

async function remove(name: string): Promise<void> {
  await world.client
    .clientFor(resources.pods)
    .delete({ namespace: "default", name }, { gracePeriodSeconds: 0 });
  await world.run(100);
}

function linesTaken(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
