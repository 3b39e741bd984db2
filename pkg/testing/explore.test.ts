import { expect, test } from "vitest";
import { messageOf } from "../api/errors.ts";
import { resources } from "../api/resources.ts";
import { controller } from "../controller/index.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import { explore, ExploreError, type Story, testCluster, type Trouble, type Write } from "./index.ts";

const { configMaps, secrets } = resources;

/** Gives each ConfigMap a Secret of its name. */
const copier = (onError: (error: unknown) => void = () => undefined): ControllerDescriptor =>
  controller("copier", configMaps)
    .owns(secrets)
    .onError((error) => (onError(error), undefined))
    .reconcile(async ({ metadata: { name }, data }, ctx) => {
      const desired = { metadata: { name }, stringData: {}, data: { copy: btoa(data?.["key"] ?? "") } };
      await ctx.apply(secrets, desired);
    });

const lineOf = ({ verb, resource, name, status }: Write): string => `${verb} ${resource} ${name} ${status}`;

/** What a ConfigMap that changes all the time leads to while there is this trouble. */
async function history(seed: number, kinds: readonly Trouble[]) {
  const errors: string[] = [];
  let processes = 0;
  const cluster = await testCluster({ seed });
  await cluster.start(() => {
    processes++;
    return copier((error) => errors.push(messageOf(error)));
  });
  await cluster.create(configMaps, { metadata: { name: "a" } });
  cluster.stirUp(kinds);
  for (let round = 0; round < 30; round++) {
    await cluster.update(configMaps, "a", (map) => ({ ...map, data: { key: `${round}` } }));
    await cluster.pass(2_000);
  }
  await cluster.calm();
  const secret = await cluster.get(secrets, "a");
  const writes = cluster.takeWrites().map(lineOf);
  await cluster.stop();
  return { writes, errors, processes, value: atob(secret.data?.["copy"] ?? "") };
}

test("the same seed gives the same history, and another one another", async () => {
  const kinds: readonly Trouble[] = ["slow requests", "refused requests", "lost answers", "restarts"];
  const [one, again, other] = [await history(5, kinds), await history(5, kinds), await history(6, kinds)];
  expect(again).toEqual(one);
  expect(other.writes).not.toEqual(one.writes);
  expect([one.value, other.value]).toEqual(["29", "29"]);
});

test.each<readonly [Trouble, (seen: Awaited<ReturnType<typeof history>>) => boolean]>([
  ["slow requests", ({ errors, writes }) => errors.length === 0 && writes.length > 0],
  [
    "refused requests",
    ({ errors }) => errors.some((error) => error.includes("the object has been modified")),
  ],
  ["lost answers", ({ errors }) => errors.some((error) => error.includes("lost before the answer"))],
  ["stale caches", ({ errors, writes }) => errors.length === 0 && writes.length < 30],
  ["cut watches", ({ errors, value }) => errors.length === 0 && value === "29"],
  ["expired history", ({ errors, value }) => errors.length === 0 && value === "29"],
  ["restarts", ({ processes, value }) => processes > 1 && value === "29"],
  ["hand-overs", ({ processes, value }) => processes > 1 && value === "29"],
])("%s are had, and end when all is calm", async (kind, shows) => {
  const seen = await history(3, [kind]);
  expect(shows(seen), JSON.stringify(seen)).toBe(true);
});

test("a process that is killed does nothing more, and one that is stopped ends in order", async () => {
  const cluster = await testCluster();
  const first = await cluster.start(copier());
  first.kill();
  await cluster.create(configMaps, { metadata: { name: "a" } });
  await cluster.pass(10_000);
  expect(cluster.takeWrites()).toEqual([]);
  await cluster.start(copier());
  await cluster.settle();
  expect(cluster.takeWrites().map(lineOf)).toEqual(["patch secrets a 201"]);
  await cluster.stop();
});

test("a process that leads no more writes nothing more, whatever it has begun", async () => {
  const cluster = await testCluster();
  const held = Promise.withResolvers<void>();
  const outcomes: string[] = [];
  const slow = controller("slow", configMaps).reconcile(async ({ metadata: { name, namespace } }, ctx) => {
    await held.promise;
    const made = ctx.client.clientFor(secrets).create({ metadata: { name, namespace } });
    outcomes.push(await made.then(() => "made", messageOf));
  });
  const process = await cluster.start(slow);
  await cluster.create(configMaps, { metadata: { name: "a" } });
  await cluster.pass(1_000);
  process.depose();
  held.resolve();
  await cluster.pass(1_000);
  expect(outcomes).toEqual([expect.stringContaining("does not hold the leader lease")]);
  expect(cluster.takeWrites()).toEqual([]);
  await cluster.stop();
});

const failsOn =
  (bad: readonly number[]): Story =>
  async ({ seed }) => {
    if (bad.includes(seed)) throw new Error(`seed ${seed} is bad`);
  };

test("the first seed that fails is told, and shows it again", async () => {
  const error = await explore(10, failsOn([4, 7])).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(ExploreError);
  expect(error).toMatchObject({ seed: 4, failed: [4], cause: new Error("seed 4 is bad") });
  await expect(explore([4], failsOn([4, 7]))).rejects.toThrow("seed 4 is bad");
  await explore([1, 2, 3], failsOn([4, 7]));
});

test("all seeds that fail are told to who asks", async () => {
  const error = await explore(10, failsOn([4, 7]), { untilFailure: false }).catch(
    (failure: unknown) => failure,
  );
  expect(error).toMatchObject({ seed: 4, failed: [4, 7] });
});

test("a write that never should be fails the test", async () => {
  const story: Story = async (cluster) => {
    await cluster.start(copier());
    cluster.always(({ resource }) => (resource === "secrets" ? "a Secret was written" : undefined));
    await cluster.create(configMaps, { metadata: { name: "a" } });
    await cluster.calm();
  };
  await expect(explore(1, story)).rejects.toThrow("a Secret was written");
});

test("who changes what is in a cache fails the test", async () => {
  const cluster = await testCluster();
  const errors: unknown[] = [];
  await cluster.create(configMaps, { metadata: { name: "a" }, data: { key: "1" } });
  await cluster.start(
    controller("careless", configMaps)
      .onError((error) => (errors.push(error), "drop"))
      .reconcile(async (map) => void Object.assign(map.data ?? {}, { key: "2" })),
  );
  expect(String(errors)).toContain("read only");
  await cluster.stop();
});
