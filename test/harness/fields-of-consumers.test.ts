import { afterEach, expect, test } from "vitest";
import { deploymentController } from "../../controllers/deployment/controller.ts";
import { jobController } from "../../controllers/job/controller.ts";
import { podGarbageCollectorController } from "../../controllers/podgc/controller.ts";
import { replicaSetController } from "../../controllers/replicaset/controller.ts";
import { findCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { type ControllerWorld, NAMESPACE, newWorld } from "./controller-world.ts";
import { Deployments } from "./deployments.ts";

// What a controller reads of pods only now and then: a field that it has forgotten to declare is not there for it.
let world: ControllerWorld;
afterEach(async () => world.stop());

const containers = [{ name: "main", image: "main:1" }];

async function patchPod(name: string, body: object, subresource?: "status"): Promise<void> {
  const options = subresource === undefined ? {} : { subresource };
  await world.client
    .clientFor<Pod>(resources.pods)
    .patch({ namespace: NAMESPACE, name }, { type: "merge", body }, options);
}

function status(restartCount: number): Pod["status"] {
  const state = { running: { startedAt: "2026-01-01T00:00:00Z" } };
  const ready = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const one = { name: "main", image: "main:1", imageID: "main", ready: true, restartCount, state };
  return { phase: "Running", conditions: [ready], containerStatuses: [one] };
}

async function podNames(): Promise<readonly string[]> {
  return (await world.list(resources.pods)).map(({ metadata }) => metadata.name ?? "");
}

test.each<[string, (name: string, chosen: boolean) => Promise<void>]>([
  [
    "costs least",
    async (name, chosen) => {
      const cost = chosen ? "-1" : "1";
      const annotations = { "controller.kubernetes.io/pod-deletion-cost": cost };
      await patchPod(name, { metadata: { annotations } });
      await patchPod(name, { status: status(0) }, "status");
    },
  ],
  [
    "was restarted most",
    async (name, chosen) => patchPod(name, { status: status(chosen ? 5 : 1) }, "status"),
  ],
])("a ReplicaSet gives up the pod that %s", async (_, mark) => {
  world = await newWorld();
  await world.start(replicaSetController({ workers: 1 }));
  const selector = { matchLabels: { app: "web" } };
  const template = { metadata: { labels: { app: "web" } }, spec: { containers } };
  await world.create(resources.replicaSets, {
    metadata: { name: "web" },
    spec: { replicas: 2, selector, template },
  });
  for (const index of [0, 1]) {
    await world.run();
    const names = await podNames();
    expect(names).toHaveLength(2);
    const chosen = names[index] ?? "";
    for (const name of names) await mark(name, name === chosen);
    await world.run();
    const scale = async (replicas: number): Promise<void> => {
      const ref = { namespace: NAMESPACE, name: "web" };
      await world.client
        .clientFor(resources.replicaSets)
        .patch(ref, { type: "merge", body: { spec: { replicas } } });
      await world.run();
    };
    await scale(1);
    expect(await podNames()).toEqual(names.filter((name) => name !== chosen));
    await scale(2);
  }
});

test("a Job whose containers are restarted in place fails at its limit", async () => {
  world = await newWorld();
  await world.start(jobController({ workers: 1 }));
  await world.create<Job>(resources.jobs, {
    metadata: { name: "job" },
    spec: { backoffLimit: 2, template: { spec: { restartPolicy: "OnFailure", containers } } },
  });
  await world.run();
  const [name = ""] = await podNames();
  await patchPod(name, { status: status(2) }, "status");
  await world.run(20_000);
  const { status: said } = await world.get<Job>(resources.jobs, "job");
  expect(findCondition(said?.conditions, "FailureTarget")?.reason ?? said?.conditions?.[0]?.reason).toBe(
    "BackoffLimitExceeded",
  );
});

test("above the threshold evicted pods go before older ones", async () => {
  world = await newWorld();
  for (const [name, reason] of [
    ["old", "Error"],
    ["evicted", "Evicted"],
  ] as const) {
    await world.create<Pod>(resources.pods, { metadata: { name }, spec: { nodeName: "node", containers } });
    await patchPod(name, { status: { phase: "Failed", reason } }, "status");
    await world.run();
  }
  await world.client.clientFor(resources.nodes).create({ metadata: { name: "node" } });
  await world.start(podGarbageCollectorController({ threshold: 1 }));
  await world.run(30_000);
  expect(await podNames()).toEqual(["old"]);
});

test("a Deployment that recreates does not wait for pods that have finished", async () => {
  world = await newWorld();
  await world.start(deploymentController({ workers: 1 }), replicaSetController({ workers: 1 }));
  const deployments = new Deployments(world.client, NAMESPACE);
  await deployments.create("web", 1, { strategy: { type: "Recreate" } });
  await world.run();
  const [name = ""] = await podNames();
  // It stays: its finalizer holds it.
  await patchPod(name, { metadata: { finalizers: ["x.io/hold"] } });
  await patchPod(name, { status: { phase: "Failed" } }, "status");
  await deployments.roll("web", "main:2");
  await world.run(5_000);
  expect(await world.list(resources.replicaSets)).toHaveLength(2);
});
