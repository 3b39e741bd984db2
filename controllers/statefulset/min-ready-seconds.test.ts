import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSetUpdateStrategy } from "../../pkg/api/types/apps-v1.gen.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { StatefulSetInWorld } from "../../test/harness/stateful-set-in-world.ts";
import { statefulSetController } from "./controller.ts";
import { changed, statefulSet, withImage } from "./samples.test-data.ts";

const controller = statefulSetController({ workers: 2 });
const MIN_READY_MS = 30_000;

let world: ControllerWorld;
let foo: StatefulSetInWorld;
beforeEach(async () => {
  world = await newWorld();
  foo = new StatefulSetInWorld(world);
  await world.start(controller);
});
afterEach(async () => world.stop());

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetOnDeleteStrategyIgnoresMinReadySeconds,
// #TestStatefulSetPartitionRollingUpdateWithMinReadySeconds, #TestStatefulSetRollingUpdateRespectsMinReadySeconds
test.each<[string, StatefulSetUpdateStrategy, readonly string[]]>([
  ["on deletion, then none goes either", { type: "OnDelete" }, []],
  [
    "with a partition, then those from there on go",
    { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
    ["foo-2", "foo-3"],
  ],
  [
    "without a partition, then all go",
    { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    ["foo-0", "foo-1", "foo-2", "foo-3"],
  ],
])("no outdated pod goes before all are available: %s", async (_case, updateStrategy, outdated) => {
  await foo.create(statefulSet("foo", 4, { updateStrategy }));
  await world.runWithKubelet();
  const before = await foo.uids();
  const readySinceMs = world.clock.nowMs();
  for (const name of before.keys()) {
    await world.markPod(name, "running");
    await world.markPod(name, "ready");
  }
  await world.update(resources.statefulSets, "foo", (owner) =>
    changed(withImage(asStored(owner), "foo"), { minReadySeconds: MIN_READY_MS / 1_000 }),
  );
  await world.run(readySinceMs + 10_000 - world.clock.nowMs());
  const { status } = await foo.get();
  expect(status).toMatchObject({ replicas: 4, readyReplicas: 4, availableReplicas: 0, currentReplicas: 4 });
  expect(status?.updateRevision).not.toBe(status?.currentRevision);
  expect(await foo.uids()).toEqual(before);

  await world.run(readySinceMs + MIN_READY_MS + 1_000 - world.clock.nowMs());
  // One after the other, each with its time.
  for (const _ of outdated) {
    await world.runWithKubelet();
    await world.run(MIN_READY_MS);
  }
  const after = await foo.uids();
  expect([...after].filter(([name, uid]) => uid !== before.get(name)).map(([name]) => name)).toEqual(
    outdated,
  );
  expect((await foo.get()).status).toMatchObject({ availableReplicas: 4 });
});
