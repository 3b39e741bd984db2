import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { invalid, internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { EventRecorder } from "../../pkg/events/recorder.ts";
import { wired } from "../../pkg/controller/kit.ts";
import type { Sync } from "../../pkg/controller/sync.ts";
import { REVISION, ROLLBACK_TO, sizeAnnotations } from "./annotations.ts";
import { deploymentContext } from "./context.ts";
import { syncDeployment } from "./sync.ts";
import { deploymentController } from "./controller.ts";
import { deployment, template, type DeploymentSketch } from "./samples.test-data.ts";

// Only the Deployment's controller runs: nobody makes pods of ReplicaSets but where a case says so.
const controller = deploymentController({ workers: 1 });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

describe("one sync", () => {
  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestSyncDeploymentCreatesReplicaSet
  test("creates the ReplicaSet, and tells revision and progress in the status", async () => {
    await world.start(controller);
    await create({ name: "foo" });
    await world.run();
    const name = (await theReplicaSet()).metadata.name;
    expect(world.takeWrites().map(lineOf)).toEqual([
      "create replicasets",
      "update deployments/status foo",
      "update deployments/status foo",
    ]);
    const made = await world.get(resources.deployments, "foo");
    expect(made.metadata.annotations?.[REVISION]).toBe("1");
    expect(findCondition(made.status?.conditions, "Progressing")).toMatchObject({
      reason: "NewReplicaSetCreated",
      message: `Created new replica set "${name}"`,
    });
    expect(await world.events()).toEqual([`ScalingReplicaSet Scaled up replica set ${name} from 0 to 1`]);
  });

  test("creates a ReplicaSet that was deleted again, and writes no status that says what is said already", async () => {
    await world.start(controller);
    await create({ name: "foo" });
    await world.run();
    world.takeWrites();
    await world.delete(resources.replicaSets, (await theReplicaSet()).metadata.name ?? "");
    await world.run();
    expect(world.takeWrites().map(lineOf)).toEqual(["create replicasets"]);
  });

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestSyncDeploymentDontDoAnythingDuringDeletion
  test("of a Deployment that is being deleted writes its status and nothing else", async () => {
    await create({ name: "foo" }, { finalizers: ["x.io/hold"] });
    await world.delete(resources.deployments, "foo");
    await world.start(controller);
    expect(world.takeWrites().map(lineOf)).toEqual(["update deployments/status foo"]);
  });

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestSyncDeploymentDeletionRace
  test("adopts nothing for a Deployment that the server knows to be going, and tries again", async () => {
    await world.start(controller);
    await create({ name: "foo", paused: true }, { finalizers: ["x.io/hold"] });
    await world.run();
    world.takeWrites();
    const release = world.server.parts.faults.holdWatches({ resource: "deployments" });
    await world.delete(resources.deployments, "foo");
    await createOrphan("orphan");
    await world.run();
    expect(world.takeWrites()).toEqual([]);
    release();
    await world.run();
    expect((await world.get(resources.replicaSets, "orphan")).metadata.ownerReferences).toBeUndefined();
  });

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestDontSyncDeploymentsWithEmptyPodSelector. No
  // server lets such a Deployment in, so that it can only be in the cache.
  test("of a Deployment that selects everything warns, and claims nothing", async () => {
    const told: string[] = [];
    const everything = deployment({ name: "foo", selector: {} });
    await createOrphan("orphan");
    const event: EventRecorder["event"] = (_, type, reason) => void told.push(`${type} ${reason}`);
    await world.start({
      ...controller,
      build: wired((kit) => {
        const events = { event, eventWithAnnotations: () => undefined };
        const context = { ...deploymentContext(kit), events };
        const sync = async (run: Sync) =>
          syncDeployment(Object.assign(run, { owner: asStored(everything) }), context);
        kit.queue({ name: "deployment", workers: 1, sync }).add("default/foo");
      }),
    });
    expect(told).toEqual(["Warning SelectingAll"]);
    expect((await world.get(resources.replicaSets, "orphan")).metadata.ownerReferences).toBeUndefined();
  });

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestReentrantRollback
  test("that goes back writes the Deployment, and no ReplicaSet before the next", async () => {
    const owner = await create({ name: "foo", template: template("new"), paused: true });
    await createOwned(owner, "one", 0, { image: "old", revision: "1" });
    await createOwned(owner, "two", 1, { image: "new", revision: "2" });
    await world.update(resources.deployments, "foo", (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { [REVISION]: "2", [ROLLBACK_TO]: "0" } },
      ...(current.spec && { spec: { ...current.spec, paused: false } }),
    }));
    await world.start(controller);
    const writes = world.takeWrites().map(lineOf);
    const rollback = writes.indexOf("update deployments foo");
    expect(rollback).toBeGreaterThanOrEqual(0);
    // What comes before is no ReplicaSet's; what comes after belongs to the next syncs.
    expect(writes.slice(0, rollback).filter((line) => line.includes("replicasets"))).toEqual([]);
    const back = await world.get(resources.deployments, "foo");
    expect(back.spec?.template.spec?.containers[0]?.image).toBe("old");
    expect(back.metadata.annotations).not.toHaveProperty(ROLLBACK_TO);
    expect(await world.events()).toContain('DeploymentRollback Rolled back deployment "foo" to revision 1');
  });

  test("settles: what was done is not done again", async () => {
    await create({ name: "foo", replicas: 3 });
    await world.start(controller);
    world.takeWrites();
    await world.run(1_000);
    expect(world.takeWrites()).toEqual([]);
  });
});

describe("a Deployment in the middle of a rollout", () => {
  test("that is paused brings up no new revision, though sizes follow", async () => {
    const owner = await create({ name: "foo", replicas: 4, paused: true, template: template("new") });
    await createOwned(owner, "one", 3, { image: "old", revision: "1" });
    await world.start(controller);
    expect(await sizes()).toEqual(["one 4"]);
    expect(world.takeWrites().filter(({ verb }) => verb === "create")).toEqual([]);
  });

  test("that is scaled shares the change among its revisions, and only then rolls on", async () => {
    const owner = await create({
      name: "foo",
      replicas: 10,
      surge: 0,
      unavailable: 1,
      template: template("new"),
    });
    const annotations = sizeAnnotations(deployment({ replicas: 5 }));
    await createOwned(owner, "one", 3, { image: "old", revision: "1", annotations });
    await createOwned(owner, "two", 2, { image: "new", revision: "2", annotations });
    await world.start(controller);
    const scaled = world.takeWrites().filter(({ resource }) => resource === "replicasets");
    expect(
      scaled.slice(0, 2).map(({ name, body }) => `${name} ${(body as ReplicaSet).spec?.replicas}`),
    ).toEqual(["one 6", "two 4"]);
  });

  test("that is paused and settled is written no more", async () => {
    const owner = await create({
      name: "foo",
      replicas: 5,
      surge: 1,
      paused: true,
      template: template("new"),
    });
    await createOwned(owner, "one", 3, { image: "old", revision: "1" });
    await createOwned(owner, "two", 2, { image: "new", revision: "2" });
    await world.start(controller);
    world.takeWrites();
    await world.stop();
    await world.start(controller);
    await world.update(resources.deployments, "foo", touched);
    await world.run();
    expect(world.takeWrites().map(lineOf)).toEqual([]);
  });
});

describe("ReplicaSets", () => {
  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestGetReplicaSetsForDeployment
  test("belong to whom they name, though others select them too", async () => {
    const [one, two] = [
      await create({ name: "one", paused: true }),
      await create({ name: "two", paused: true }),
    ];
    await createOwned(one, "rs1", 3);
    await createOwned(two, "rs2", 4);
    await world.start(controller);
    // While paused, sizes follow: each has taken its own to its own size.
    const sizes = (await world.list(resources.replicaSets)).map(
      ({ metadata, spec }) => `${metadata.name} ${spec?.replicas}`,
    );
    expect(sizes).toEqual(["rs1 1", "rs2 1"]);
  });

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestGetReplicaSetsForDeploymentAdoptRelease
  test("are adopted when they match, and released when they do not any more", async () => {
    const owner = await create({ name: "foo", paused: true });
    await createOrphan("adopted");
    await createOwned(owner, "released", 0, { labels: { foo: "notbar" } });
    await world.start(controller);
    const managers = (await world.list(resources.replicaSets)).map(
      ({ metadata }) => `${metadata.name}: ${metadata.ownerReferences?.[0]?.name ?? "nobody"}`,
    );
    expect(managers).toEqual(["adopted: foo", "released: nobody"]);
  });
});

describe("trouble", () => {
  test("a name that is taken by another template counts as a collision, and another name is found", async () => {
    await world.start(controller);
    await create({ name: "foo" });
    await world.run();
    const taken = (await theReplicaSet()).metadata.name ?? "";
    await world.delete(resources.deployments, "foo");
    await world.delete(resources.replicaSets, taken);
    await createOrphan(taken, { other: "label" });
    await create({ name: "foo" });
    await world.run();
    const [made, ...others] = await world.list(resources.replicaSets, "foo=bar");
    expect(others).toEqual([]);
    expect(made?.metadata.name).not.toBe(taken);
    expect((await world.get(resources.deployments, "foo")).status?.collisionCount).toBe(1);
  });

  test("a name that is taken by another owner's ReplicaSet of the same template is a collision too", async () => {
    await world.start(controller);
    await create({ name: "foo" });
    await world.run();
    const taken = await theReplicaSet();
    await world.delete(resources.deployments, "foo");
    const [reference] = taken.metadata.ownerReferences ?? [];
    await world.update(resources.replicaSets, taken.metadata.name ?? "", (set) => ({
      ...set,
      metadata: { ...set.metadata, ownerReferences: reference ? [{ ...reference, uid: "another-uid" }] : [] },
    }));
    await create({ name: "foo" });
    await world.run();
    expect(await world.list(resources.replicaSets)).toHaveLength(2);
    expect((await world.get(resources.deployments, "foo")).status?.collisionCount).toBe(1);
  });

  test("what a sync has written is waited for: nothing is created twice, whatever else happens", async () => {
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "replicasets" });
    await create({ name: "foo" });
    await world.run();
    await world.update(resources.deployments, "foo", touched);
    await world.run();
    expect(world.takeWrites().filter((write) => lineOf(write) === "create replicasets")).toHaveLength(1);
    release();
    await world.run();
    await theReplicaSet();
  });

  test("a ReplicaSet that is there, though not in the cache yet, is no collision", async () => {
    const release = world.server.parts.faults.holdWatches({ resource: "replicasets" });
    // The first answer is lost on its way: the create is tried again.
    world.server.parts.faults.add({
      target: { verb: "create", resource: "replicasets" },
      times: 1,
      action: { kind: "status", when: "after", error: internal("lost") },
    });
    await world.start(controller);
    await create({ name: "foo" });
    await world.run();
    release();
    await world.run();
    await theReplicaSet();
    const { status, metadata } = await world.get(resources.deployments, "foo");
    expect(status?.collisionCount).toBeUndefined();
    expect(metadata.annotations?.[REVISION]).toBe("1");
    // It was found, not created: what was told of the first try stays until pods come up.
    expect(findCondition(status?.conditions, "Progressing")?.reason).toBe("ReplicaSetCreateError");
  });

  test("a ReplicaSet that cannot be created is told, and tried again", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "create", resource: "replicasets" },
      action: {
        kind: "status",
        when: "before",
        error: invalid({ group: "apps", kind: "ReplicaSet" }, "foo", []),
      },
    });
    await world.start(controller);
    await create({ name: "foo", deadline: 600 });
    await world.run(100);
    const status = (await world.get(resources.deployments, "foo")).status;
    expect(findCondition(status?.conditions, "Progressing")).toMatchObject({
      status: "False",
      reason: "ReplicaSetCreateError",
    });
    repair();
    await world.run(10_000);
    expect(await world.list(resources.replicaSets)).toHaveLength(1);
    expect((await world.events()).join()).toContain("Failed to create new replica set");
  });

  test("a failure that goes on is given up after 15 more tries, until something changes", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "create", resource: "replicasets" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(controller);
    await create({ name: "foo" });
    await world.run(3_600_000);
    expect(world.takeWrites().filter((write) => lineOf(write) === "create replicasets")).toHaveLength(16);
    repair();
    await world.run(3_600_000);
    expect(await world.list(resources.replicaSets)).toEqual([]);
    await world.update(resources.deployments, "foo", touched);
    await world.run();
    await theReplicaSet();
  });
});

async function create(sketch: DeploymentSketch, metadata: Deployment["metadata"] = {}): Promise<Deployment> {
  const { name } = sketch;
  const { uid: _, ...own } = deployment({ surge: 1, ...sketch }).metadata;
  const made = await world.create(resources.deployments, {
    ...deployment({ surge: 1, ...sketch }),
    metadata: { ...own, ...metadata, ...(name !== undefined && { name }) },
  });
  return made;
}

async function createOrphan(
  name: string,
  labels = { foo: "bar" } as Record<string, string>,
): Promise<ReplicaSet> {
  return world.create(resources.replicaSets, {
    metadata: { name, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: template("image", labels) },
  });
}

interface ReplicaSetSketch {
  readonly image?: string;
  readonly revision?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

async function createOwned(
  owner: Deployment,
  name: string,
  replicas: number,
  { image = "image", revision = "1", labels = { foo: "bar" }, annotations = {} }: ReplicaSetSketch = {},
): Promise<ReplicaSet> {
  const { uid = "", name: ownerName = "" } = owner.metadata;
  return world.create(resources.replicaSets, {
    metadata: {
      name,
      labels,
      annotations: { ...annotations, [REVISION]: revision },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          name: ownerName,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: { replicas, selector: { matchLabels: labels }, template: template(image, labels) },
  });
}

async function sizes(): Promise<readonly string[]> {
  const sets = await world.list(resources.replicaSets);
  return sets.map(({ metadata, spec }) => `${metadata.name} ${spec?.replicas}`);
}

function touched(owner: Deployment): Deployment {
  return { ...owner, metadata: { ...owner.metadata, labels: { touched: "yes" } } };
}

async function theReplicaSet(): Promise<ReplicaSet> {
  const [only, ...others] = await world.list(resources.replicaSets);
  expect(others).toEqual([]);
  if (only === undefined) throw new Error("there is no ReplicaSet");
  return only;
}
