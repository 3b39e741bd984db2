import { asStored } from "../../test/harness/stored.ts";
import { afterEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { StatefulSetInWorld } from "../../test/harness/stateful-set-in-world.ts";
import { statefulSetController } from "./controller.ts";
import { changed, statefulSet } from "./samples.test-data.ts";

const controller = statefulSetController({ workers: 2 });

let world: ControllerWorld;
afterEach(async () => world.stop());

async function begin(features: Readonly<Record<string, boolean>>) {
  const { main } = createMetrics({ version: "1.36.4" });
  world = await newWorld({ metrics: main, features });
  await world.start(controller);
  /** "policy allowed actual" of each series that is shown. */
  const shown = async (): Promise<readonly string[]> => {
    const lines = (await main.expose()).split("\n");
    const series = lines.flatMap((line) => {
      const [, name, policy, value] =
        /^statefulset_controller_statefulset_(max_unavailable|unavailable_replicas)\{.*policy="(\w*)".*\} (\d+)$/.exec(
          line,
        ) ?? [];
      return name === undefined ? [] : [`${name} of ${policy}: ${value}`];
    });
    return series.toSorted();
  };
  return { foo: new StatefulSetInWorld(world), shown };
}

// upstream: pkg/controller/statefulset/metrics/metrics.go: series stay when their StatefulSet has gone.
test("how many pods may be and are unavailable is shown as long as the StatefulSet lives", async () => {
  const { foo, shown } = await begin({ MaxUnavailableStatefulSet: true });
  await foo.create(statefulSet("foo", 3, { podManagementPolicy: "Parallel" }));
  await world.run();
  expect(await shown()).toEqual(["max_unavailable of Parallel: 1", "unavailable_replicas of Parallel: 3"]);
  await world.runWithKubelet();
  expect(await shown()).toEqual(["max_unavailable of Parallel: 1", "unavailable_replicas of Parallel: 0"]);
  await world.update(resources.statefulSets, "foo", (owner) => changed(asStored(owner), { replicas: 4 }));
  await world.run();
  expect(await shown()).toContain("unavailable_replicas of Parallel: 1");
  await world.delete(resources.statefulSets, "foo");
  await world.run();
  expect(await shown()).toEqual([]);
});

test("one that is made anew under its name with another policy leaves nothing of the first", async () => {
  const { foo, shown } = await begin({ MaxUnavailableStatefulSet: true });
  await foo.create(statefulSet("foo", 1, { podManagementPolicy: "Parallel" }));
  await world.run();
  const release = world.server.parts.faults.holdWatches({ resource: "statefulsets" });
  await world.delete(resources.statefulSets, "foo");
  await foo.create(statefulSet("foo", 1, { podManagementPolicy: "OrderedReady" }));
  release();
  await world.run();
  expect((await shown()).map((series) => series.split(":")[0])).toEqual([
    "max_unavailable of OrderedReady",
    "unavailable_replicas of OrderedReady",
  ]);
});

test("nothing is shown where the gate is off", async () => {
  const { foo, shown } = await begin({ MaxUnavailableStatefulSet: false });
  await foo.create(statefulSet("foo", 1));
  await world.run();
  expect(await shown()).toEqual([]);
});
