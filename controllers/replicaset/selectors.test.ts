import { afterEach, beforeEach, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { asStored } from "../../test/harness/stored.ts";
import { type ControllerWorld, lineOf } from "../../test/harness/controller-world.ts";
import { newToldWorld } from "../../test/harness/told-errors.ts";
import { replicaSetController } from "./controller.ts";
import { pod, replicaSet } from "./samples.test-data.ts";

const controller = replicaSetController({ workers: 2 });
/** No server lets it in: it is there from before it was so strict, or from a newer one. */
const UNREADABLE = { matchExpressions: [{ key: "foo", operator: "Like" }] };

let world: ControllerWorld;
/** What went wrong, as the log has it. */
let told: readonly string[];
beforeEach(async () => {
  ({ world, told } = await newToldWorld());
});
afterEach(async () => world.stop());

const withSelector = (owner: ReplicaSet, selector: typeof UNREADABLE): ReplicaSet => ({
  ...owner,
  ...(owner.spec && { spec: { ...owner.spec, selector } }),
});

// upstream: pkg/controller/replicaset/replica_set.go#syncReplicaSet
test("a selector that cannot be read is told of once, and nothing is done until it changes", async () => {
  const owner = replicaSet("foobar", 2);
  world.keep(resources.replicaSets, withSelector(owner, UNREADABLE));
  await world.create(resources.pods, pod("free"));
  await world.start(controller);
  await world.run(60_000);
  expect(world.takeWrites()).toEqual([]);
  expect(told).toEqual([expect.stringMatching(/^The selector cannot be read: .*Like/)]);
});

// upstream: pkg/controller/replicaset/replica_set.go#getIndirectlyRelatedPods
test("the selector of a sibling, which cannot be read, keeps nobody from being scaled down", async () => {
  const managed = (owner: ReplicaSet): ReplicaSet => ({
    ...owner,
    metadata: {
      ...owner.metadata,
      ownerReferences: [
        newControllerRef(asStored({ metadata: { name: "web", uid: "web-uid" } }), resources.deployments),
      ],
    },
  });
  world.keep(resources.replicaSets, managed(withSelector(replicaSet("sibling", 1), UNREADABLE)));
  const owner = managed(replicaSet("foobar", 1));
  world.keep(resources.replicaSets, owner);
  for (const name of ["a", "b"]) await world.create<Pod>(resources.pods, pod(name, owner));
  await world.start(controller);
  expect(world.takeWrites().map(lineOf)).toContainEqual(expect.stringMatching(/^delete pods [ab]$/));
  expect(await world.list(resources.pods)).toHaveLength(1);
  expect(told).toHaveLength(1);
});
