import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import type { Write } from "../../pkg/testing/recorded-transport.ts";
import { REVISION, ROLLBACK_TO } from "./annotations.ts";
import { deploymentController } from "./controller.ts";
import { deployment, type DeploymentSketch, template } from "./samples.test-data.ts";

const controller = deploymentController({ workers: 1 });

let world: ControllerWorld;
let errors: unknown[];
beforeEach(async () => {
  errors = [];
  const log = { ...silentLogger, error: (error: unknown) => void errors.push(error), child: () => log };
  world = await newWorld({ log });
});
afterEach(async () => world.stop());

describe("old ReplicaSets above the history limit go", () => {
  const sketch = { historyLimit: 1, replicas: 0, template: template("new") };

  test("when a rollout is complete", async () => {
    const owner = await create(sketch);
    for (const revision of [1, 2, 3]) await createEmpty(owner, revision);
    await world.start(controller);
    expect((await names()).filter((name) => name.startsWith("rs-"))).toEqual(["rs-3"]);
  });

  test("while the Deployment is paused", async () => {
    const owner = await create({ ...sketch, paused: true });
    for (const revision of [1, 2, 3]) await createEmpty(owner, revision);
    await world.start(controller);
    expect(await names()).toEqual(["rs-3"]);
  });
});

test("a ReplicaSet that has taken the name of an old one stays", async () => {
  const owner = await create({ historyLimit: 1, replicas: 0, template: template("new") });
  for (const revision of [1, 2]) await createEmpty(owner, revision);
  const labels = { other: "labels" };
  world.server.parts.faults.add({
    target: { verb: "delete", resource: "replicasets", name: "rs-1" },
    times: 1,
    action: {
      kind: "interfere",
      run: async () => {
        await world.delete(resources.replicaSets, "rs-1");
        const spec = { replicas: 0, selector: { matchLabels: labels }, template: template("i", labels) };
        await world.create<ReplicaSet>(resources.replicaSets, { metadata: { name: "rs-1", labels }, spec });
      },
    },
  });
  await world.start(controller);
  expect(
    world
      .takeWrites()
      .filter(({ verb }) => verb === "delete")
      .map(answered),
  ).toEqual(["delete replicasets rs-1 409"]);
  expect(await names()).toContain("rs-1");
});

describe("a Deployment", () => {
  test.each([
    [true, 0],
    [false, 1],
  ])("that is paused (%s) begins no rollout", async (paused, created) => {
    await create({ paused });
    await world.start(controller);
    expect(await names()).toHaveLength(created);
  });

  test("that is resumed goes on", async () => {
    await create({ paused: true });
    await world.start(controller);
    await change({ paused: false });
    expect(await names()).toHaveLength(1);
  });
});

describe("what was written is waited for, so that no write is refused for its age", () => {
  test("the size of a ReplicaSet", async () => {
    await world.start(controller);
    await create({ replicas: 1 });
    await world.run();
    world.takeWrites();
    const release = world.server.parts.faults.holdWatches({ resource: "replicasets" });
    for (const replicas of [2, 3]) await change({ replicas });
    release();
    await world.run();
    const writes = world.takeWrites().filter(({ resource }) => resource === "replicasets");
    expect(writes.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("the template of a Deployment that goes back", async () => {
    const owner = await create({ template: template("new"), paused: true });
    const [old, current] = [await createEmpty(owner, 1, "old"), await createEmpty(owner, 2, "new")];
    await world.start(controller);
    world.takeWrites();
    await world.update(resources.deployments, "foo", (live) => ({
      ...live,
      metadata: { ...live.metadata, annotations: { [REVISION]: "2", [ROLLBACK_TO]: "1" } },
      ...(live.spec && { spec: { ...live.spec, paused: false } }),
    }));
    const { faults } = world.server.parts;
    let release = (): void => undefined;
    const hold = (): void => {
      release = faults.holdWatches({ resource: "deployments" });
    };
    faults.add({
      target: { verb: "update", resource: "deployments", subresource: "" },
      action: { kind: "interfere", run: hold },
      times: 1,
    });
    await world.run();
    for (const { metadata } of [old, current]) {
      await world.update(resources.replicaSets, metadata.name ?? "", relabelled);
      await world.run();
    }
    release();
    await world.run();
    const writes = world.takeWrites().filter((write) => lineOf(write) === "update deployments foo");
    expect(writes.map(({ status }) => status)).toEqual([200]);
  });

  test("the owner of a ReplicaSet that was adopted", async () => {
    await world.start(controller);
    await createOrphan(0);
    await world.run();
    const release = world.server.parts.faults.holdWatches({ resource: "replicasets" });
    await create({ replicas: 0, paused: true, template: template("another") });
    await world.run();
    for (const minReadySeconds of [1, 2]) await change({ minReadySeconds });
    release();
    await world.run();
    expect(world.takeWrites().filter(isOfReplicaSet).map(answered)).toEqual(["patch replicasets orphan 200"]);
  });

  test("the owner of a ReplicaSet that was adopted, and what is written to that at once", async () => {
    await world.start(controller);
    await createOrphan(1);
    await world.run();
    const release = world.server.parts.faults.holdWatches({ resource: "replicasets" });
    await create({ replicas: 3 });
    await world.run();
    for (const replicas of [4, 5]) await change({ replicas });
    const patches = (): readonly string[] => world.takeWrites().filter(isOfReplicaSet).map(answered);
    // Adopted, given the revision and scaled in one sync.
    const update = "update replicasets orphan 200";
    expect(patches()).toEqual(["patch replicasets orphan 200", update, update]);
    release();
    await world.run();
    expect(new Set(patches())).toEqual(new Set([update]));
  });
});

test.each([
  [true, 2],
  [false, undefined],
])("pods that are being deleted are counted (%s) as the feature gate says", async (on, expected) => {
  await world.stop();
  world = await newWorld({ features: { DeploymentReplicaSetTerminatingReplicas: on } });
  const owner = await create({ paused: true, replicas: 0 });
  const made = await createEmpty(owner, 1);
  const status = { replicas: 0, observedGeneration: 1, terminatingReplicas: 2 };
  await world.client.clientFor(resources.replicaSets).updateStatus({ ...made, status });
  await world.start(controller);
  expect((await world.get(resources.deployments, "foo")).status?.terminatingReplicas).toBe(expected);
});

test("neither error is lost when a ReplicaSet cannot be created and that cannot be written down", async () => {
  for (const resource of ["replicasets", "deployments"]) {
    world.server.parts.faults.add({
      target: { resource, verb: resource === "replicasets" ? "create" : "update" },
      action: { kind: "status", when: "before", error: internal(`no ${resource}`) },
    });
  }
  await create({ deadline: 600 });
  await world.start(controller);
  const [first] = errors;
  expect(first).toBeInstanceOf(AggregateError);
  const said = (first as AggregateError).errors.map((error) => (error as Error).message);
  expect(said).toEqual([
    expect.stringContaining("no replicasets") as string,
    expect.stringContaining("no deployments") as string,
  ]);
});

async function create(sketch: DeploymentSketch): Promise<Deployment> {
  const made = deployment({ name: "foo", surge: 1, ...sketch });
  const { uid: _, ...metadata } = made.metadata;
  return world.create(resources.deployments, { ...made, metadata });
}

async function change(spec: Partial<NonNullable<Deployment["spec"]>>): Promise<void> {
  await world.update(resources.deployments, "foo", (live) => ({
    ...live,
    ...(live.spec && { spec: { ...live.spec, ...spec } }),
  }));
  await world.run();
}

/** An old one without pods, as its controller has seen it. */
async function createEmpty(owner: Deployment, revision: number, image = `old-${revision}`) {
  const name = `rs-${revision}`;
  return world.createWithStatus<ReplicaSet>(resources.replicaSets, {
    metadata: {
      name,
      labels: { foo: "bar" },
      annotations: { [REVISION]: `${revision}` },
      ownerReferences: [newControllerRef(asStored(owner), resources.deployments)],
    },
    spec: { replicas: 0, selector: { matchLabels: { foo: "bar" } }, template: template(image) },
    status: { replicas: 0, observedGeneration: 1 },
  });
}

async function createOrphan(replicas: number): Promise<void> {
  await world.create<ReplicaSet>(resources.replicaSets, {
    metadata: { name: "orphan", labels: { foo: "bar" } },
    spec: { replicas, selector: { matchLabels: { foo: "bar" } }, template: template() },
  });
}

function isOfReplicaSet({ resource }: Write): boolean {
  return resource === "replicasets";
}

/** E.g. "update replicasets web 200". */
function answered(write: Write): string {
  return `${lineOf(write)} ${write.status}`;
}

async function names(): Promise<readonly string[]> {
  return (await world.list(resources.replicaSets)).map(({ metadata }) => metadata.name ?? "");
}

function relabelled(replicaSet: ReplicaSet): ReplicaSet {
  const { metadata } = replicaSet;
  return { ...replicaSet, metadata: { ...metadata, labels: { ...metadata.labels, touched: "yes" } } };
}
