import { afterEach, describe, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import type { ApiObject } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import type { ConfigMap, Pod } from "../api/types/core-v1.gen.ts";
import { internal } from "../apiserver/server/status-error.ts";
import { wired } from "./kit.ts";
import { OwnedPods, type OwnedPodsOptions } from "./owned-pods.ts";
import type { OwnerSync } from "./sync.ts";

const FINALIZER = "x.io/counted";
const LABELS = { app: "web" };
const template = {
  metadata: { labels: LABELS, finalizers: [FINALIZER] },
  spec: { containers: [{ name: "main", image: "web:1" }] },
};

let world: ControllerWorld;
afterEach(async () => world.stop());

interface Stage {
  readonly sync: OwnerSync<ConfigMap>;
  readonly owned: OwnedPods<ConfigMap, Pod>;
}

/** A ConfigMap that owns pods, and what its sync is given. */
async function stage(options: Partial<OwnedPodsOptions<ConfigMap, Pod>> = {}): Promise<Stage> {
  world = await newWorld();
  await world.create(resources.configMaps, { metadata: { name: "owner" } });
  let given: Stage | undefined;
  await world.start({
    name: "probe",
    clientName: "probe",
    eventSource: "probe",
    build: wired((kit) => {
      const owners = kit.reads(resources.configMaps);
      const pods = kit.reads(resources.pods);
      const owned = new OwnedPods(kit, {
        owners,
        pods,
        podClient: kit.env.client.metadata(resources.pods),
        ...options,
      });
      const sync = async (each: OwnerSync<ConfigMap>) => ((given ??= { sync: each, owned }), {});
      const queue = kit.ownerQueue({
        name: "probe",
        workers: 1,
        owners,
        remembers: [owned],
        sync,
      });
      pods.wakes(queue, owned.rule({}));
    }),
  });
  if (given === undefined) throw new Error("nothing was synced");
  return given;
}

const counted = async (): Promise<Stage> => stage({ finalizer: FINALIZER });
const pods = async (): Promise<readonly Pod[]> => world.list<Pod>(resources.pods);
const finalizersOf = (all: readonly ApiObject[]): readonly unknown[] =>
  all.map(({ metadata }) => metadata.finalizers ?? []);
const refuse = (verb: "create" | "delete" | "patch", times: number): (() => void) =>
  world.server.parts.faults.add({
    target: { verb, resource: "pods" },
    action: { kind: "status", when: "before", error: internal("down") },
    times,
  });
const held = (): (() => void) => world.server.parts.faults.holdWatches({ resource: "pods" });

async function withPods(count: number): Promise<Stage> {
  const made = await counted();
  await made.owned.create(made.sync, template, count);
  await world.run();
  return made;
}

describe("pods that are created", () => {
  test("are waited for until the cache has seen them all", async () => {
    const { sync, owned } = await stage();
    const release = held();
    expect(await owned.create(sync, template, 3)).toEqual([]);
    expect(owned.settled(sync.owner)).toBe(false);
    expect(owned.untilSettledMs(sync.owner)).toBeGreaterThan(0);
    release();
    await world.run();
    expect(owned.settled(sync.owner)).toBe(true);
    expect(owned.ownedBy(sync.owner)).toHaveLength(3);
  });

  test("may be made of a draft each, with a prefix of their own", async () => {
    const { sync, owned } = await stage();
    const { successes, errors } = await owned.createEach(sync, 3, (position) => ({
      template: { ...template, metadata: { ...template.metadata, annotations: { at: `${position}` } } },
      ...(position > 0 && { generateName: `web-${position}-` }),
    }));
    expect([successes, errors]).toEqual([3, []]);
    const names = (await pods()).map(({ metadata: { name = "", annotations } }) =>
      [annotations?.["at"], name.slice(0, -5)].join(" "),
    );
    expect(names.toSorted()).toEqual(["0 owner-", "1 web-1-", "2 web-2-"]);
  });

  test("are not waited for when they could not be created, and the rest is not tried", async () => {
    const { sync, owned } = await stage();
    refuse("create", 1);
    const { successes, errors } = await owned.createEach(sync, 5, () => ({ template }));
    expect([successes, errors.length]).toEqual([0, 1]);
    expect(owned.settled(sync.owner)).toBe(true);
  });
});

describe("pods that are removed", () => {
  test("lose their finalizer first, and are waited for", async () => {
    const { sync, owned } = await withPods(2);
    const release = held();
    const known = owned.ownedBy(sync.owner);
    expect(await owned.discard(sync, known)).toEqual({ removed: known, errors: [] });
    expect(await pods()).toEqual([]);
    expect(owned.settled(sync.owner)).toBe(false);
    release();
    await world.run();
    expect(owned.settled(sync.owner)).toBe(true);
  });

  test.each(["delete", "patch"] as const)("are not waited for when the %s was refused", async (verb) => {
    const { sync, owned } = await withPods(2);
    refuse(verb, 1);
    const { removed, errors } = await owned.discard(sync, owned.ownedBy(sync.owner));
    expect([removed.length, errors.length]).toEqual([1, 1]);
    await world.run();
    expect(owned.settled(sync.owner)).toBe(true);
    expect(await pods()).toHaveLength(1);
  });

  test("may be gone already", async () => {
    const { sync, owned } = await withPods(1);
    const known = owned.ownedBy(sync.owner);
    held();
    await owned.discard(sync, known);
    expect(await owned.remove(sync, known)).toEqual([]);
    expect(owned.settled(sync.owner)).toBe(true);
  });

  test("keep their finalizer at the end of their owner, which waits for none of them", async () => {
    const { sync, owned } = await withPods(2);
    held();
    expect((await owned.end(sync, owned.ownedBy(sync.owner))).removed).toHaveLength(2);
    expect(finalizersOf(await pods())).toEqual([[FINALIZER], [FINALIZER]]);
    expect((await pods()).every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);
    expect(owned.settled(sync.owner)).toBe(true);
  });
});

describe("the finalizer", () => {
  test("is put on what is adopted, and taken off what is released", async () => {
    const { sync, owned } = await counted();
    const bare: Pod = { metadata: { name: "bare", labels: LABELS }, spec: template.spec };
    await world.create<Pod>(resources.pods, bare);
    await world.run();
    const claim = async (matches: boolean): Promise<readonly Pod[]> =>
      owned.claim(sync, owned.ownedByOrFree(sync.owner), () => matches);
    const adopted = await claim(true);
    expect(adopted.every((pod) => owned.isTracked(pod))).toBe(true);
    expect(finalizersOf(await pods())).toEqual([[FINALIZER]]);
    await world.run();
    expect(await claim(false)).toEqual([]);
    expect(finalizersOf(await pods())).toEqual([[]]);
  });

  test("is taken off the very pod, and not off another that has its name", async () => {
    const { sync, owned } = await withPods(1);
    const [pod] = owned.ownedBy(sync.owner);
    if (pod === undefined) throw new Error("there is no pod");
    await owned.takeOffFinalizer(pod, sync.signal);
    expect(finalizersOf(await pods())).toEqual([[]]);
    await world.delete(resources.pods, pod.metadata.name ?? "");
    await owned.takeOffFinalizer(pod, sync.signal);
    const { name } = pod.metadata;
    await world.create<Pod>(resources.pods, {
      metadata: { name, finalizers: [FINALIZER] },
      spec: template.spec,
    });
    await owned.takeOffFinalizer(pod, sync.signal);
    expect(finalizersOf(await pods())).toEqual([[FINALIZER]]);
    refuse("patch", 1);
    await expect(owned.takeOffFinalizer(pod, sync.signal)).rejects.toThrow("down");
  });
});

test("of an owner that is gone nothing is waited for", async () => {
  const { sync, owned } = await stage();
  held();
  await owned.create(sync, template, 1);
  expect(owned.settled(sync.owner)).toBe(false);
  await world.delete(resources.configMaps, "owner");
  await world.run();
  expect(owned.settled(sync.owner)).toBe(true);
});
