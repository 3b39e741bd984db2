import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, DeploymentSpec, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { type ControllerWorld, lineOf } from "../../test/harness/controller-world.ts";
import { newToldWorld } from "../../test/harness/told-errors.ts";
import { deploymentController } from "./controller.ts";
import { deployment } from "./samples.test-data.ts";

const controller = deploymentController({ workers: 1 });

let world: ControllerWorld;
/** What went wrong, as the log has it. */
let told: readonly string[];
beforeEach(async () => {
  ({ world, told } = await newToldWorld());
});
afterEach(async () => world.stop());

/** No server lets it in: it is there from before it was so strict, or from a newer one. */
function keep(selector: DeploymentSpec["selector"], generation: number): void {
  const { metadata, spec, ...rest } = deployment({ name: "foo" });
  world.keep<Deployment>(resources.deployments, {
    ...rest,
    metadata: { ...metadata, generation },
    ...(spec && { spec: { ...spec, selector } }),
  });
}

async function createFree(): Promise<void> {
  const labels = { foo: "bar" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "image" }] } };
  await world.create<ReplicaSet>(resources.replicaSets, {
    metadata: { name: "free", labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
}

// upstream: pkg/controller/deployment/deployment_controller.go#syncDeployment
test("a Deployment that selects everything is told so, once for each generation, and claims nothing", async () => {
  keep({}, 3);
  await createFree();
  await world.start(controller);
  await world.run(60_000);
  expect(
    world
      .takeWrites()
      .map(lineOf)
      .filter((line) => !line.includes("events")),
  ).toEqual(["update deployments/status foo"]);
  const { status } = await world.get<Deployment>(resources.deployments, "foo");
  expect(status).toMatchObject({ observedGeneration: 3 });
  expect(await world.events()).toEqual([
    "SelectingAll This deployment is selecting all pods. A non-empty selector is required.",
  ]);
  expect((await world.get(resources.replicaSets, "free")).metadata.ownerReferences).toBeUndefined();
});

// upstream: …#getReplicaSetsForDeployment
test("a selector that cannot be read is told of with the Deployment's name, and nothing is claimed", async () => {
  keep({ matchExpressions: [{ key: "foo", operator: "Like" }] }, 1);
  await createFree();
  await world.start(controller);
  expect(world.takeWrites()).toEqual([]);
  expect(told[0]).toMatch(/deployment default\/foo has invalid label selector: .*Like/);
});
