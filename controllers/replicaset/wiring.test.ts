import { asStored } from "../../test/harness/stored.ts";
import { afterEach, describe, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ReplicaSet, ReplicaSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type ControllerWorld, newWorld, type WorldOptions } from "../../test/harness/controller-world.ts";
import { replicaSetController, replicationController as replicationControllers } from "./controller.ts";
import type { ReplicaOwner } from "./replica-owner.ts";
import { LABELS, pod, replicaSet, replicationController } from "./samples.test-data.ts";

const controller = replicaSetController({ workers: 1 });
const HELD = ["x.io/hold"];

let world: ControllerWorld;
afterEach(async () => world.stop());

describe("pods that are being deleted", () => {
  const count = async (features: Readonly<Record<string, boolean>> = {}): Promise<number | undefined> => {
    world = await newWorld({ features });
    const owner = await create(replicaSet("foobar", 0));
    const stranger = await create(replicaSet("stranger", 0, { other: "labels" }));
    await createLeaving("own", owner, LABELS);
    await createLeaving("a-strangers", stranger, LABELS);
    await createLeaving("relabelled", owner, { other: "labels" });
    await createLeaving("nobodys", undefined, LABELS);
    await world.start(controller);
    return (await world.get(resources.replicaSets, "foobar")).status?.terminatingReplicas;
  };

  test("are counted when they are the owner's, and no others", async () => {
    expect(await count()).toBe(1);
  });

  test("are not counted where that is switched off, and what was counted before goes", async () => {
    expect(await count({ DeploymentReplicaSetTerminatingReplicas: false })).toBeUndefined();
    const counted = await world.get(resources.replicaSets, "foobar");
    await world.client
      .clientFor(resources.replicaSets)
      .updateStatus({ ...counted, status: { replicas: 0, ...counted.status, terminatingReplicas: 5 } });
    await world.run();
    const { status } = await world.get(resources.replicaSets, "foobar");
    expect(status).not.toHaveProperty("terminatingReplicas");
  });
});

test("a pod that has taken the name of one that is to go stays", async () => {
  world = await newWorld();
  await create(replicaSet("foobar", 1));
  await world.start(controller);
  const [made] = await world.list<Pod>(resources.pods);
  const name = made?.metadata.name ?? "";
  const release = world.server.parts.faults.holdWatches({ resource: "pods" });
  await world.delete(resources.pods, name);
  await world.create<Pod>(resources.pods, { ...pod(name), metadata: { name, labels: { other: "labels" } } });
  const ref = { namespace: "default", name: "foobar" };
  await world.client
    .clientFor(resources.replicaSets)
    .patch(ref, { type: "merge", body: { spec: { replicas: 0 } } });
  await world.run();
  release();
  await world.run();
  const deletions = world.takeWrites().filter(({ verb }) => verb === "delete");
  expect(new Set(deletions.map(({ status }) => status))).toEqual(new Set([409]));
  expect((await world.list(resources.pods)).map(({ metadata }) => metadata.name)).toEqual([name]);
});

interface Twin {
  readonly descriptor: ControllerDescriptor;
  readonly resource: TypedResource<ReplicaOwner>;
  readonly owner: ReplicaOwner;
}

test.each<[string, Twin]>([
  ["ReplicaSet", { descriptor: controller, resource: resources.replicaSets, owner: replicaSet("foobar", 3) }],
  [
    "ReplicationController",
    {
      descriptor: replicationControllers({ workers: 1 }),
      resource: resources.replicationControllers,
      owner: replicationController("foobar", 3),
    },
  ],
])("the ages of the pods that a %s deletes are measured", async (_, { descriptor, resource, owner }) => {
  const { main: metrics } = createMetrics({ version: "1.36.4" });
  world = await newWorld({ metrics });
  await world.start(descriptor);
  const { uid: _uid, ...metadata } = owner.metadata;
  await world.create(resource, { ...owner, metadata });
  await world.runWithKubelet();
  await world.run(60_000);
  const ref = { namespace: "default", name: "foobar" };
  await world.client.clientFor(resource).patch(ref, { type: "merge", body: { spec: { replicas: 1 } } });
  await world.run();
  expect(await metrics.expose()).toContain("replicaset_controller_sorting_deletion_age_ratio_count 2");
});

async function create(owner: ReplicaSet): Promise<ReplicaSet> {
  const { uid: _, ...metadata } = owner.metadata;
  return world.create(resources.replicaSets, { ...owner, metadata });
}

/** A pod that is being deleted, and stays. */
async function createLeaving(
  name: string,
  owner: ReplicaSet | undefined,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const ownerReferences =
    owner === undefined ? [] : [newControllerRef(asStored(owner), resources.replicaSets)];
  await world.create<Pod>(resources.pods, {
    ...pod(name),
    metadata: { name, labels, ownerReferences, finalizers: HELD },
  });
  await world.delete(resources.pods, name);
}

test("a server that does not know of terminating replicas is told of them once, not with every sync", async () => {
  world = await newWorld({ transport: withoutTerminatingReplicas });
  await create(replicaSet("foobar", 1));
  await world.start(controller);
  await world.runWithKubelet();
  const [made] = await world.list<Pod>(resources.pods);
  world.takeWrites();
  for (const value of ["1", "2", "3"]) {
    const name = made?.metadata.name ?? "";
    const annotations = { value };
    await world.update<Pod>(resources.pods, name, (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations },
    }));
    await world.run();
  }
  const { status } = await world.get(resources.replicaSets, "foobar");
  expect(status).not.toHaveProperty("terminatingReplicas");
  expect(world.takeWrites()).toEqual([]);
});

/** As a server that is older than the field. */
const withoutTerminatingReplicas: NonNullable<WorldOptions["transport"]> = (server) => ({
  send: async (request, signal) => server.send({ ...request, body: withoutIt(request.body) }, signal),
  close: async () => server.close(),
});

function withoutIt(body: unknown): unknown {
  const { status, ...rest } = (body ?? {}) as { readonly status?: ReplicaSetStatus };
  if (status?.terminatingReplicas === undefined) return body;
  const { terminatingReplicas: _, ...known } = status;
  return { ...rest, status: known };
}
