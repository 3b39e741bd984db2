import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../pkg/api/types/core-v1.gen.ts";
import { conflict } from "../../pkg/apiserver/server/status-error.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { ephemeralVolumeController } from "./controller.ts";

const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const scratch: Volume = { name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } };
const CREATE = "create persistentvolumeclaims web-scratch";

let world: ControllerWorld;
let metrics: ReturnType<typeof createMetrics>;
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" });
  world = await newWorld({ metrics: metrics.main });
  await world.create(resources.namespaces, { metadata: { name: "other" } });
});
afterEach(async () => world.stop());

const claims = () => world.client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);

async function pod(volumes: readonly Volume[] = [scratch], finalizers: readonly string[] = []): Promise<Pod> {
  return world.create<Pod>(resources.pods, {
    metadata: { name: "web", finalizers },
    spec: { containers: [{ name: "main", image: "a" }], volumes },
  });
}

async function deletePod(): Promise<void> {
  await world.client
    .clientFor(resources.pods)
    .delete({ namespace: "default", name: "web" }, { gracePeriodSeconds: 0 });
}

/** The claims that were tried to be created. */
async function writes(): Promise<readonly string[]> {
  await world.run(2_000);
  const all = world.takeWrites().filter(({ resource }) => resource !== "events");
  return all.map((write) => `${lineOf(write)} ${(write.body as ApiObject).metadata.name}`);
}

async function counted(): Promise<readonly (string | undefined)[]> {
  const text = await metrics.main.expose();
  return ["create_total", "create_failures_total"].map(
    (name) => new RegExp(`^ephemeral_volume_controller_${name} (\\d+)`, "m").exec(text)?.[1],
  );
}

const made = async (): Promise<PersistentVolumeClaim> =>
  world.get(resources.persistentVolumeClaims, "web-scratch");

// upstream: pkg/controller/volume/ephemeral/controller_test.go#TestSyncHandler
describe("a pod", () => {
  test("gets the claim of its ephemeral volume, which is its own", async () => {
    const { metadata } = await pod();
    await world.start(ephemeralVolumeController({ workers: 5 }));
    expect([await writes(), await counted()]).toEqual([[CREATE], ["1", "0"]]);
    const claim = await made();
    expect(claim.metadata.ownerReferences).toEqual([
      {
        apiVersion: "v1",
        kind: "Pod",
        name: "web",
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(claim.spec).toMatchObject(spec);
    expect([claim.metadata.labels, claim.metadata.annotations]).toEqual([undefined, undefined]);
    await world.run(600_000);
    expect(world.takeWrites()).toEqual([]);
  });

  test("gives its claims the labels and annotations of their templates", async () => {
    const template = { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec };
    await world.start(ephemeralVolumeController({ workers: 5 }));
    await pod([
      { name: "scratch", ephemeral: { volumeClaimTemplate: template } },
      { ...scratch, name: "logs" },
    ]);
    expect(await writes()).toEqual([CREATE, "create persistentvolumeclaims web-logs"]);
    expect((await made()).metadata).toMatchObject({ labels: { a: "b" }, annotations: { c: "d" } });
  });

  test.each([
    ["is gone", []],
    ["is to go", ["example.com/test"]],
  ])("that %s when its turn comes again gets none", async (_, finalizers) => {
    await pod([scratch], finalizers);
    const repair = world.server.parts.faults.add({
      target: { verb: "create", resource: "persistentvolumeclaims" },
      action: {
        kind: "status",
        when: "before",
        error: conflict(resources.persistentVolumeClaims, "fake", "no"),
      },
    });
    await world.start(ephemeralVolumeController({ workers: 5 }));
    await deletePod();
    await writes();
    repair();
    await world.run(600_000);
    expect(await writes()).toEqual([]);
  });

  test("that is being deleted gets none", async () => {
    await pod([scratch], ["example.com/test"]);
    await deletePod();
    await world.start(ephemeralVolumeController({ workers: 5 }));
    expect([await writes(), await counted()]).toEqual([[], ["0", "0"]]);
  });

  test("without ephemeral volumes gets none", async () => {
    await pod([
      { name: "a", emptyDir: {} },
      { name: "b", persistentVolumeClaim: { claimName: "b" } },
    ]);
    const set = await world.start(ephemeralVolumeController({ workers: 5 }));
    expect(await writes()).toEqual([]);
    expect(set.health().get("ephemeral-volume-controller")?.pools["ephemeral_volume"]?.syncs).toBe(0);
  });

  test("gets its claim whatever there is in other namespaces", async () => {
    await claims().create({ metadata: { name: "web-scratch", namespace: "other" }, spec });
    await pod();
    await world.start(ephemeralVolumeController({ workers: 5 }));
    expect([await writes(), await counted()]).toEqual([[CREATE], ["1", "0"]]);
  });

  test("is told that somebody else has made a claim of that name, and gets its own when that goes", async () => {
    await world.create(resources.persistentVolumeClaims, { metadata: { name: "web-scratch" }, spec });
    await pod();
    const set = await world.start(ephemeralVolumeController({ workers: 5 }));
    expect([await writes(), await counted()]).toEqual([[], ["0", "0"]]);
    const foreign = "PVC default/web-scratch was not created for pod default/web (pod is not owner)";
    expect(await world.events()).toEqual([`FailedBinding ephemeral volume scratch: ${foreign}`]);
    const page = set.debug("ephemeral-volume-controller", "/", new URLSearchParams())?.body;
    expect(page).toContain(`failed: pod default/web, ephemeral volume scratch: ${foreign}`);
    await world.delete(resources.persistentVolumeClaims, "web-scratch");
    expect(await writes()).toEqual([CREATE]);
  });

  test("is told that its claim cannot be made, and gets it when it can", async () => {
    await pod();
    world.server.parts.faults.add({
      target: { verb: "create", resource: "persistentvolumeclaims" },
      action: {
        kind: "status",
        when: "before",
        error: conflict(resources.persistentVolumeClaims, "fake", "no"),
      },
      times: 1,
    });
    await world.start(ephemeralVolumeController({ workers: 5 }));
    expect([await writes(), await counted()]).toEqual([
      [CREATE, CREATE],
      ["2", "1"],
    ]);
    expect(await world.events()).toEqual([
      expect.stringMatching(/^FailedBinding ephemeral volume scratch: create PVC web-scratch: .*no/),
    ]);
    const [event] = await world.list(resources.events);
    expect(event).toMatchObject({ type: "Warning", source: { component: "ephemeral_volume" } });
  });

  test("whose first claim cannot be made waits with the second", async () => {
    await pod([scratch, { ...scratch, name: "logs" }]);
    world.server.parts.faults.add({
      target: { verb: "create", resource: "persistentvolumeclaims" },
      action: {
        kind: "status",
        when: "before",
        error: conflict(resources.persistentVolumeClaims, "fake", "no"),
      },
      times: 1,
    });
    await world.start(ephemeralVolumeController({ workers: 5 }));
    expect(await writes()).toEqual([CREATE, CREATE, "create persistentvolumeclaims web-logs"]);
  });
});

describe("a claim", () => {
  test("that somebody deletes is made anew", async () => {
    await pod();
    await world.start(ephemeralVolumeController({ workers: 5 }));
    await writes();
    await world.delete(resources.persistentVolumeClaims, "web-scratch");
    expect(await writes()).toEqual([CREATE]);
  });

  test("of the pod before, which had the name, is none for the next one", async () => {
    await pod();
    await world.start(ephemeralVolumeController({ workers: 5 }));
    await writes();
    const release = world.hideEvents("pods");
    await deletePod();
    const { metadata } = await pod();
    release();
    expect(await writes()).toEqual([]);
    expect(await world.events()).toEqual([expect.stringContaining("was not created for pod default/web")]);
    await world.delete(resources.persistentVolumeClaims, "web-scratch");
    await writes();
    expect((await made()).metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
  });

  test("is made once, though the cache has yet to show it", async () => {
    const release = world.server.parts.faults.holdWatches({ resource: "persistentvolumeclaims" });
    await world.start(ephemeralVolumeController({ workers: 5 }));
    const { metadata } = await pod();
    await writes();
    await world.client
      .clientFor<Pod>(resources.pods)
      .get({ namespace: "default", name: metadata.name ?? "" });
    expect(await writes()).toEqual([]);
    release();
    expect(await writes()).toEqual([]);
  });

  test("that another manager was quicker to make is no reason for an event", async () => {
    await pod();
    world.server.parts.faults.add({
      target: { verb: "create", resource: "persistentvolumeclaims" },
      action: {
        kind: "interfere",
        run: async () => {
          const { metadata } = await world.get<Pod>(resources.pods, "web");
          const owner = {
            apiVersion: "v1",
            kind: "Pod",
            name: "web",
            uid: metadata.uid ?? "",
            controller: true,
          };
          const ownerReferences = [owner];
          await claims().create({
            metadata: { name: "web-scratch", namespace: "default", ownerReferences },
            spec,
          });
        },
      },
      times: 1,
    });
    await world.start(ephemeralVolumeController({ workers: 5 }));
    expect([await writes(), await world.events()]).toEqual([[CREATE], []]);
  });

  test("that its namespace takes no more is no reason for an event", async () => {
    await pod();
    world.refuseCreations("persistentvolumeclaims");
    await world.start(ephemeralVolumeController({ workers: 5 }));
    expect(await world.events()).toEqual([]);
  });
});

test("it works under the name that upstream has for it", () => {
  const { clientName, eventSource } = ephemeralVolumeController({ workers: 5 });
  expect([clientName, eventSource]).toEqual(["ephemeral-volume-controller", "ephemeral_volume"]);
});
