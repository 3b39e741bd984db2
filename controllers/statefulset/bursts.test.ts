import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { StatefulSetInWorld } from "../../test/harness/stateful-set-in-world.ts";
import { statefulSetController } from "./controller.ts";
import { changed, statefulSet } from "./samples.test-data.ts";

const controller = statefulSetController({ workers: 2 });
/** How long the server takes for each request: all of one batch are answered in the same second. */
const ANSWER_MS = 1_000;

let world: ControllerWorld;
let foo: StatefulSetInWorld;
beforeEach(async () => {
  world = await newWorld();
  foo = new StatefulSetInWorld(world);
  await world.start(controller);
});
afterEach(async () => world.stop());

/** How many requests were answered in each second, until there are none any more. */
async function answeredTogether(verb: "create" | "delete"): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let count = -1; count !== 0;) {
    await world.run(ANSWER_MS);
    count = world.takeWrites().filter((write) => write.verb === verb && write.resource === "pods").length;
    if (count > 0) counts.push(count);
  }
  return counts;
}

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestParallelScale. It goes to 1000 at most, where the
// largest batch does not show yet.
test.for<[string, string, number, number, number[]]>([
  ["in turn, one by one", "OrderedReady", 3, 0, [1, 1, 1]],
  ["at once, from 3 to 30", "Parallel", 3, 30, [1, 2, 4, 8, 12]],
  ["at once, from 10 to 1", "Parallel", 10, 1, [1, 2, 4, 2]],
  ["at once, from 501 to none", "Parallel", 501, 0, [1, 2, 4, 8, 16, 32, 64, 128, 246]],
  [
    "at once, from none to 1100, 500 at the most",
    "Parallel",
    0,
    1_100,
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 500, 89],
  ],
])("requests at a time: %s", async ([_case, podManagementPolicy, before, replicas, batches]) => {
  await foo.create(statefulSet("foo", before, { podManagementPolicy, volumeClaimTemplates: [] }));
  if (podManagementPolicy === "OrderedReady") await world.runWithKubelet();
  else await world.run();
  expect(await foo.names(resources.pods)).toHaveLength(before);
  world.takeWrites();
  const verb = replicas > before ? "create" : "delete";
  world.server.parts.faults.add({
    target: { verb, resource: "pods" },
    action: { kind: "latency", ms: ANSWER_MS - 1 },
  });
  await world.update(resources.statefulSets, "foo", (owner) => changed(asStored(owner), { replicas }));
  expect(await answeredTogether(verb)).toEqual(batches);
  expect((await foo.get()).status?.replicas).toBe(replicas);
});

const LARGEST = 2 ** 31 - 1;

test("of 2^31 - 1 pods at once many are made in each sync, and the status tells of them in between", async () => {
  const recover = world.server.parts.faults.add({
    target: { verb: "create", resource: "pods" },
    action: { kind: "latency", ms: ANSWER_MS },
  });
  await foo.create(
    statefulSet("foo", LARGEST, { podManagementPolicy: "Parallel", volumeClaimTemplates: [] }),
  );
  // 1, 2, 4 … 256, 500, 500, 489: that is one sync; the next one tells of its pods.
  await world.run(12.5 * ANSWER_MS);
  expect(await foo.names(resources.pods)).toHaveLength(2_000);
  await world.run(12 * ANSWER_MS);
  expect(await foo.names(resources.pods)).toHaveLength(4_000);
  expect((await foo.get()).status?.replicas).toBe(2_000);
  recover();
  await world.update(resources.statefulSets, "foo", (owner) => changed(asStored(owner), { replicas: 3 }));
  await world.run(30 * ANSWER_MS);
  expect(await foo.names(resources.pods)).toEqual(["foo-0", "foo-1", "foo-2"]);
  expect((await foo.get()).status?.replicas).toBe(3);
});

test("2^31 - 1 pods in turn come one by one", async () => {
  await foo.create(statefulSet("foo", LARGEST));
  for (let ordinal = 0; ordinal < 3; ordinal++) {
    await world.run();
    expect(await foo.names(resources.pods)).toHaveLength(ordinal + 1);
    await world.markPod(`foo-${ordinal}`, "ready");
  }
});

// upstream: pkg/controller/statefulset/stateful_set_control.go#runForAll ends with the first batch in which one fails.
test.each([
  ["the first", 0],
  ["one in the middle", 3],
  ["the last but one", 8],
])("at once: %s, which is refused again and again, keeps no other from being made", async (_which, stuck) => {
  // A stranger has the name.
  await world.create(resources.pods, {
    metadata: { name: `foo-${stuck}` },
    spec: { containers: [{ name: "c", image: "nginx" }] },
  });
  await foo.create(statefulSet("foo", 10, { podManagementPolicy: "Parallel" }));
  await world.run(0);
  expect(await foo.names(resources.pods)).toHaveLength(10);
  await world.run();
  expect((await foo.get()).status?.replicas).toBe(9);
});

test("at once: when all are refused, few requests are made for that", async () => {
  world.server.parts.faults.add({
    target: { verb: "create", resource: "pods" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await foo.create(statefulSet("foo", 100, { podManagementPolicy: "Parallel", volumeClaimTemplates: [] }));
  await world.run(0);
  const writes = world.takeWrites().map(({ resource }) => resource);
  const firstSync = writes.slice(0, writes.indexOf("statefulsets/status"));
  expect(firstSync.filter((resource) => resource === "pods")).toHaveLength(3);
});
