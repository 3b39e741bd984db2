import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { conflict, internal } from "../../pkg/apiserver/server/status-error.ts";
import type { ControllerWorld } from "../../test/harness/controller-world.ts";
import { VolumesInWorld } from "./world.test-data.ts";

const { persistentVolumes, persistentVolumeClaims, pods, storageClasses } = resources;

let here: VolumesInWorld;
let world: ControllerWorld;
beforeEach(async () => {
  here = await VolumesInWorld.create();
  world = here.world;
});
afterEach(async () => world.stop());

/** Those that are not told of every claim for which there is no volume yet. */
async function eventsOf(): Promise<readonly string[]> {
  return (await world.events()).filter((event) => !event.startsWith("FailedBinding"));
}

function syncsOf(set: Awaited<ReturnType<ControllerWorld["start"]>>, queue: string): number {
  const page = set.debug("persistentvolume-binder-controller", "/", new URLSearchParams());
  const queues = JSON.parse(page?.body ?? "[]") as { queue: string; syncs: number }[];
  return queues.find((each) => each.queue === queue)?.syncs ?? 0;
}

// upstream: pkg/controller/volume/persistentvolume/pv_controller_test.go#TestControllerSync
describe("claims and volumes", () => {
  test("find one another, whoever was there first", async () => {
    await here.volume("one");
    await here.start();
    await here.claim("data");
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
    await here.claim("later");
    await world.run();
    await here.volume("two");
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one", "later Bound two"]);
    expect(await here.volumes()).toEqual(["one Bound data", "two Bound later"]);
  });

  test("that were there both find one another with four writes, and no more", async () => {
    await here.volume("one");
    await here.claim("data");
    await here.start();
    await world.run(60_000);
    expect(here.takeWrites()).toEqual([
      "update persistentvolumes/status one 200",
      "update persistentvolumes one 200",
      "update persistentvolumes/status one 200",
      "update persistentvolumeclaims data 200",
      "update persistentvolumeclaims/status data 200",
    ]);
  });

  test("that are bound are left alone for an hour, and by a new process", async () => {
    for (let each = 0; each < 20; each++) {
      await here.volume(`v${each}`);
      await here.claim(`c${each}`);
    }
    await here.start();
    await world.run(60_000);
    here.takeWrites();
    const set = await here.start();
    await world.run(60_000);
    const before = syncsOf(set, "claims") + syncsOf(set, "volumes");
    expect(before).toBeGreaterThan(0);
    await world.run(3_600_000);
    expect(syncsOf(set, "claims") + syncsOf(set, "volumes")).toBe(before);
    expect(here.takeWrites()).toEqual([]);
  });

  test("part: the volume is released, and another claim of the name does not get it", async () => {
    await here.volume("one");
    await here.claim("data");
    await here.start();
    await world.delete(persistentVolumeClaims, "data");
    await world.run();
    expect(await here.volumes()).toEqual(["one Released data"]);
    await here.claim("data");
    await world.run();
    expect(await here.claims()).toEqual(["data Pending"]);
  });

  test("part: the claim is lost, and found again with a volume that is there again for it", async () => {
    await here.volume("one");
    const { metadata } = await here.claim("data");
    await here.start();
    await world.delete(persistentVolumes, "one");
    await world.run();
    expect((await here.getClaim("data")).status).toEqual({ phase: "Lost" });
    expect(await eventsOf()).toEqual([
      "ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    ]);
    const { uid = "" } = metadata;
    await here.volume("one", { claimRef: { namespace: "default", name: "data", uid } });
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
  });

  test("of which the volume is the claim's and the claim has another part", async () => {
    const { metadata } = await here.claim("data");
    const { uid = "" } = metadata;
    const claimRef = { namespace: "default", name: "data", uid };
    await here.volume("one", { claimRef });
    await here.volume("two", { claimRef }, { "pv.kubernetes.io/bound-by-controller": "yes" });
    await here.start();
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
    expect(await here.volumes()).toEqual(["one Bound data", "two Available"]);
  });
});

describe("a claim that waits", () => {
  test("gets the volume that it names when that comes", async () => {
    await here.start();
    await here.claim("data", { volumeName: "one" });
    await world.run();
    await here.volume("one");
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
  });

  test("gets the volume that it names when the other claim is gone", async () => {
    await here.volume("one");
    await here.claim("first");
    await here.start();
    await here.claim("second", { volumeName: "one" });
    await world.run();
    expect(await here.claims()).toEqual(["first Bound one", "second Pending one"]);
    await world.delete(persistentVolumeClaims, "first");
    await world.run();
    await world.update(persistentVolumes, "one", ({ spec = {}, ...volume }) => {
      const { claimRef: _, ...rest } = spec;
      return { ...volume, spec: rest };
    });
    await world.run();
    expect(await here.claims()).toEqual(["second Bound one"]);
  });

  test("is kept a volume for", async () => {
    await here.start();
    await here.claim("data", { storageClassName: "none" });
    await world.run();
    await here.volume("kept", {
      claimRef: { namespace: "default", name: "data" },
      capacity: { storage: "7Gi" },
    });
    await world.run();
    expect((await here.getClaim("data")).status?.capacity).toEqual({ storage: "7Gi" });
  });

  test("is handed over when its class comes, and takes the default when there is one", async () => {
    await here.start();
    await here.claim("named", { storageClassName: "disks" });
    await world.create<PersistentVolumeClaim>(persistentVolumeClaims, {
      metadata: { name: "unnamed" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await world.run();
    await here.class("disks");
    await world.run();
    expect((await here.getClaim("named")).metadata.annotations).toEqual({
      "volume.beta.kubernetes.io/storage-provisioner": "example.com/disks",
      "volume.kubernetes.io/storage-provisioner": "example.com/disks",
    });
    expect((await here.getClaim("unnamed")).spec?.storageClassName).toBeUndefined();
    await world.update(storageClasses, "disks", (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    }));
    await world.run();
    expect((await here.getClaim("unnamed")).spec?.storageClassName).toBe("disks");
    expect((await here.getClaim("unnamed")).metadata.annotations).toHaveProperty([
      "volume.kubernetes.io/storage-provisioner",
    ]);
  });

  // upstream: provision_test.go#TestProvisionMultiSync
  test("for a provisioner gets what that has made", async () => {
    await here.class("disks");
    const { metadata } = await here.claim("data", { storageClassName: "disks" });
    await here.start();
    const { namespace, name, uid } = metadata;
    await here.volume("made", { claimRef: { namespace, name, uid } as never, storageClassName: "disks" });
    await world.run();
    expect(await here.claims()).toEqual(["data Bound made"]);
    expect((await here.getVolume("made")).metadata.annotations).toBeUndefined();
  });

  test("for its first pod is told of that, and gets the volume that the scheduler keeps for it", async () => {
    await here.class("wait", { volumeBindingMode: "WaitForFirstConsumer" });
    await here.volume("one", { storageClassName: "wait" });
    const { metadata } = await here.claim("data", { storageClassName: "wait" });
    await here.start();
    await here.pod("web", "data");
    await world.run();
    expect(await here.claims()).toEqual(["data Pending"]);
    expect(await eventsOf()).toEqual([
      "WaitForFirstConsumer waiting for first consumer to be created before binding",
      "WaitForPodScheduled waiting for pod web to be scheduled",
    ]);
    const { namespace = "", name = "", uid = "" } = metadata;
    await world.update(persistentVolumes, "one", (volume) => ({
      ...volume,
      metadata: { ...volume.metadata, annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } },
      spec: { ...volume.spec, claimRef: { namespace, name, uid } },
    }));
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
  });

  test("for its first pod waits for none any more when its class is gone", async () => {
    await here.class("wait", { volumeBindingMode: "WaitForFirstConsumer" });
    await here.volume("one", { storageClassName: "wait" });
    await here.claim("data", { storageClassName: "wait" });
    await here.start();
    expect(await here.claims()).toEqual(["data Pending"]);
    await world.delete(storageClasses, "wait");
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
  });

  test("for its first pod is handed over with the node that the scheduler has chosen", async () => {
    await here.class("wait", { volumeBindingMode: "WaitForFirstConsumer" });
    await here.volume("one", { storageClassName: "wait" });
    await here.claim("data", { storageClassName: "wait" });
    await here.start();
    await world.update(persistentVolumeClaims, "data", (claim) => ({
      ...claim,
      metadata: { ...claim.metadata, annotations: { "volume.kubernetes.io/selected-node": "node" } },
    }));
    await world.run();
    expect((await here.getClaim("data")).metadata.annotations).toHaveProperty(
      ["volume.kubernetes.io/storage-provisioner"],
      "example.com/disks",
    );
    expect(await here.claims()).toEqual(["data Pending"]);
  });
});

describe("many claims", () => {
  const COUNT = 60;

  test("get a volume each, side by side, and no write is refused", async () => {
    for (let each = 0; each < COUNT; each++) await here.volume(`v${each}`);
    for (let each = 0; each < COUNT; each++) await here.claim(`c${each}`);
    const { faults } = world.server.parts;
    const slow = ["persistentvolumes", "persistentvolumeclaims"].map((resource) =>
      faults.add({ target: { verb: "update", resource }, action: { kind: "latency", ms: 20 } }),
    );
    await here.start();
    // One after the other they would take four times 20 ms each.
    await world.run(2_000);
    for (const undo of slow) undo();
    const volumes = (await here.claims()).map((line) => line.split(" ")[2]);
    expect(new Set(volumes).size).toBe(COUNT);
    expect(here.takeWrites().filter((line) => !line.endsWith(" 200"))).toEqual([]);
    expect(await eventsOf()).toEqual([]);
  });

  test("that come before their volumes get one each, the largest first", async () => {
    await here.start();
    for (let each = 1; each <= 10; each++)
      await here.claim(`c${each}`, { resources: { requests: { storage: `${each}Gi` } } });
    await world.run();
    for (let each = 1; each <= 10; each++) await here.volume(`v${each}`, { capacity: { storage: "10Gi" } });
    await world.run();
    expect((await here.claims()).filter((line) => line.includes("Pending"))).toEqual([]);
    expect(here.takeWrites().filter((line) => !line.endsWith(" 200"))).toEqual([]);
  });

  test("are looked at no more often than volumes come", async () => {
    const set = await here.start();
    for (let each = 0; each < COUNT; each++)
      await here.claim(`c${each}`, { resources: { requests: { storage: "10Gi" } } });
    await world.run();
    const before = syncsOf(set, "claims");
    for (let each = 0; each < COUNT; each++) await here.volume(`v${each}`);
    await world.run();
    expect(syncsOf(set, "claims") - before).toBe(0);
    await here.volume("large", { capacity: { storage: "10Gi" } });
    await world.run();
    expect((await here.claims()).filter((line) => line.includes("Bound"))).toHaveLength(1);
    expect(syncsOf(set, "claims") - before).toBeLessThan(8);
  });

  test("whose volumes are new have one writer each", async () => {
    for (let each = 0; each < COUNT; each++) {
      await here.volume(`v${each}`, { claimRef: { namespace: "default", name: `c${each}` } });
      await here.claim(`c${each}`);
    }
    const { faults } = world.server.parts;
    const target = { verb: "update", resource: "persistentvolumes" };
    const undo = faults.add({ target, action: { kind: "latency", ms: 20 } });
    await here.start();
    await world.run(10_000);
    undo();
    expect((await here.claims()).filter((line) => !line.includes("Bound"))).toEqual([]);
    expect(here.takeWrites().filter((line) => !line.endsWith(" 200"))).toEqual([]);
  });

  test("are offered a volume that another has no need of any more", async () => {
    await here.start();
    await here.claim("first", { resources: { requests: { storage: "2Gi" } } });
    await here.claim("second");
    await world.run();
    const release = world.server.parts.faults.holdWatches({ resource: "persistentvolumes" });
    await here.volume("v", { capacity: { storage: "5Gi" } });
    await world.update(persistentVolumes, "v", (volume) => volume);
    await world.client
      .clientFor(persistentVolumes)
      .patch(
        { name: "v" },
        { type: "merge", body: { status: { phase: "Available" } } },
        { subresource: "status" },
      );
    await here.volume("kept", {
      capacity: { storage: "3Gi" },
      claimRef: { namespace: "default", name: "first" },
    });
    release();
    await world.run();
    expect(await here.claims()).toEqual(["first Bound kept", "second Bound v"]);
  });

  test("are offered a volume whose claim is gone before it has looked", async () => {
    await here.class("disks");
    const ofClass = { storageClassName: "disks" };
    await here.claim("second", ofClass);
    await here.start();
    const { faults } = world.server.parts;
    let release = (): void => undefined;
    // What is written of the first is not seen, so that it waits with its next look.
    faults.add({
      target: { verb: "update", resource: "persistentvolumeclaims", name: "first" },
      action: {
        kind: "interfere",
        run: () => {
          release = faults.holdWatches({ resource: "persistentvolumeclaims" });
        },
      },
      times: 1,
    });
    await here.claim("first", { ...ofClass, resources: { requests: { storage: "2Gi" } } });
    await world.run();
    await here.volume("v", { ...ofClass, capacity: { storage: "5Gi" } });
    await world.run();
    await world.delete(persistentVolumeClaims, "first");
    release();
    await world.run();
    expect(await here.claims()).toEqual(["second Bound v"]);
  });

  test("are offered a volume that another has left, or cannot get", async () => {
    await here.start();
    await here.claim("first", { resources: { requests: { storage: "2Gi" } } });
    await here.claim("second");
    await world.run();
    // The first is offered it, and is gone when it looks.
    world.server.parts.faults.add({
      target: { verb: "update", resource: "persistentvolumes", name: "v" },
      action: { kind: "status", when: "before", error: internal("down") },
      times: 1,
    });
    await here.volume("v", { capacity: { storage: "5Gi" } });
    await world.delete(persistentVolumeClaims, "first");
    await world.run();
    expect(await here.claims()).toEqual(["second Bound v"]);
  });
});

describe("late caches", () => {
  test("of volumes give no volume to a second claim", async () => {
    await here.volume("one");
    await here.start();
    const release = world.server.parts.faults.holdWatches({ resource: "persistentvolumes" });
    await here.claim("first");
    await world.run();
    await here.claim("second");
    await world.run(60_000);
    release();
    await world.run();
    expect(await here.claims()).toEqual(["first Bound one", "second Pending"]);
    expect(here.takeWrites().filter((line) => !line.endsWith(" 200"))).toEqual([]);
  });

  test("of claims have nothing written twice", async () => {
    await here.volume("one");
    await here.start();
    await here.claim("data");
    let release = (): void => undefined;
    world.server.parts.faults.add({
      target: { verb: "update", resource: "persistentvolumeclaims", name: "data" },
      action: {
        kind: "interfere",
        run: () => {
          release = world.server.parts.faults.holdWatches({ resource: "persistentvolumeclaims" });
        },
      },
      times: 1,
    });
    await world.run(60_000);
    release();
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
    expect(here.takeWrites().filter((line) => line.includes("claims") || !line.endsWith(" 200"))).toEqual([
      "update persistentvolumeclaims data 200",
      "update persistentvolumeclaims/status data 200",
    ]);
  });

  test("of claims do not release the volume of one that they lack", async () => {
    await here.start();
    const release = world.server.parts.faults.holdWatches({ resource: "persistentvolumeclaims" });
    const { metadata } = await here.claim("data");
    const { uid = "" } = metadata;
    await here.volume("one", {
      claimRef: { namespace: "default", name: "data", uid },
      persistentVolumeReclaimPolicy: "Delete",
    });
    await world.run(60_000);
    expect(await here.volumes()).toEqual(["one Pending data"]);
    release();
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
  });
});

describe("failures midway", () => {
  test.each([
    ["persistentvolumes", undefined],
    ["persistentvolumes", "status"],
    ["persistentvolumeclaims", undefined],
    ["persistentvolumeclaims", "status"],
  ])(
    "of writes of %s/%s whose answers are lost are made good, and the pair is one in the end",
    async (resource, subresource) => {
      await here.volume("one");
      await here.start();
      world.server.parts.faults.add({
        target: { verb: "update", resource, ...(subresource !== undefined && { subresource }) },
        action: { kind: "disconnect", when: "after" },
        times: 3,
      });
      await here.claim("data");
      await here.claim("other");
      await world.run(60_000);
      const bound = (await here.claims()).filter((line) => line.includes("Bound"));
      expect(bound).toHaveLength(1);
      expect(await here.volumes()).toEqual([`one Bound ${bound[0]?.split(" ")[0]}`]);
    },
  );

  test("by a conflict are made good as soon as the cache knows", async () => {
    await here.volume("one");
    await here.start();
    world.server.parts.faults.add({
      target: { verb: "update", resource: "persistentvolumes", name: "one" },
      action: { kind: "status", when: "before", error: conflict(persistentVolumes, "one", "changed") },
      times: 1,
    });
    await here.claim("data");
    await world.run(1_000);
    expect(await here.claims()).toEqual(["data Bound one"]);
  });
});

describe("a directory", () => {
  // upstream: provision_test.go#TestProvisionMultiSync 12-1, delete_test.go#TestDeleteMultiSync
  test("is made for a claim, and removed after it, however often that fails", async () => {
    await here.class("gold", { provisioner: "kubernetes.io/host-path", volumeBindingMode: "Immediate" });
    await here.start();
    const { metadata } = await here.claim("data", { storageClassName: "gold" });
    await world.run();
    const name = `pvc-${metadata.uid}`;
    expect(await here.claims()).toEqual([`data Bound ${name}`]);
    expect(here.directories.size).toBe(1);
    expect((await here.getVolume(name)).metadata.finalizers).toEqual(["kubernetes.io/pv-controller"]);
    here.failures.push("busy", "busy");
    await world.delete(persistentVolumeClaims, "data");
    await world.run(1_000);
    expect(await here.volumes()).toEqual([`${name} Failed data`]);
    expect((await here.getVolume(name)).status?.message).toBe("busy");
    await world.run(10_000);
    expect([await here.volumes(), here.directories.size]).toEqual([[], 0]);
    expect(await eventsOf()).toEqual([
      `ProvisioningSucceeded Successfully provisioned volume ${name} using kubernetes.io/host-path`,
      "VolumeFailedDelete busy",
    ]);
  });
});

// upstream: recycle_test.go#TestRecycleSync, TestRecycleMultiSync
describe("a volume that is recycled", () => {
  const POD = "recycler-for-one";

  async function release(spec = {}): Promise<void> {
    await here.volume("one", {
      persistentVolumeReclaimPolicy: "Recycle",
      capacity: { storage: "5Gi" },
      ...spec,
    });
    await here.claim("data");
    await here.start();
    await world.delete(persistentVolumeClaims, "data");
    await world.run();
  }

  test("is scrubbed by a pod, and free again when that has succeeded", async () => {
    await release();
    expect(await here.volumes()).toEqual(["one Released data"]);
    const pod = await world.get(pods, POD);
    expect(pod.spec).toMatchObject({
      activeDeadlineSeconds: 150,
      restartPolicy: "Never",
      volumes: [{ name: "vol", hostPath: { path: "/tmp/one" } }],
      containers: [{ name: "pv-recycler", volumeMounts: [{ name: "vol", mountPath: "/scrub" }] }],
    });
    await here.setPodStatus(POD, { phase: "Running" });
    await world.run(60_000);
    expect(await here.volumes()).toEqual(["one Released data"]);
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
    expect(await here.volumes()).toEqual(["one Available"]);
    expect(await world.list(pods)).toEqual([]);
    expect(await eventsOf()).toEqual(["VolumeRecycled Volume recycled"]);
    await here.claim("next");
    await world.run();
    expect(await here.claims()).toEqual(["next Bound one"]);
  });

  test("tells what happens to the pod", async () => {
    await release({ nfs: { server: "files", path: "/exported" } });
    const pod = await world.get(pods, POD);
    expect(pod.spec).toMatchObject({
      activeDeadlineSeconds: 300,
      volumes: [{ name: "vol", nfs: { server: "files", path: "/exported" } }],
    });
    await world.create(resources.events, {
      metadata: { name: "pulled" },
      involvedObject: { kind: "Pod", namespace: "default", name: POD },
      type: "Warning",
      reason: "Failed",
      message: "no such image",
    });
    await world.run();
    expect(await eventsOf()).toContain("RecyclerPod Recycler pod: no such image");
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
  });

  test.each([
    ["fails", { phase: "Failed", message: "full" }, "Recycle failed: failed to recycle volume: full"],
    [
      "fails silently",
      { phase: "Failed" },
      "Recycle failed: failed to recycle volume: pod failed, pod.Status.Message unknown",
    ],
  ])("has failed when the pod %s, and is tried again after a while", async (_, status, message) => {
    await release();
    await here.setPodStatus(POD, status);
    await world.run();
    expect((await here.getVolume("one")).status).toMatchObject({ phase: "Failed", message });
    expect(await world.list(pods)).toEqual([]);
    await world.run(15_000);
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
    expect(await here.volumes()).toEqual(["one Available"]);
    expect(await eventsOf()).toEqual([`VolumeFailedRecycle ${message}`, "VolumeRecycled Volume recycled"]);
  });

  test("has failed when the pod is deleted", async () => {
    await release();
    await world.client.clientFor(pods).delete({ namespace: "default", name: POD }, { gracePeriodSeconds: 0 });
    await world.run();
    expect((await here.getVolume("one")).status?.message).toBe(
      "Recycle failed: failed to recycle volume: recycler pod was deleted",
    );
  });

  test("finds the pod of a try that nobody follows any more, and begins anew", async () => {
    await here.pod(POD, "data");
    await here.volume("one", { persistentVolumeReclaimPolicy: "Recycle" });
    await here.claim("data");
    await here.start();
    await world.delete(persistentVolumeClaims, "data");
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
    expect((await here.getVolume("one")).status?.message).toBe(
      "Recycle failed: old recycler pod found, will retry later",
    );
    await world.run(16_000);
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
    expect(await here.volumes()).toEqual(["one Available"]);
  });

  test("waits for the pods that still use it, and no longer", async () => {
    await here.pod("user", "data", "node");
    await here.setPodStatus("user", { phase: "Running" });
    await release();
    expect(await eventsOf()).toEqual(["VolumeFailedRecycle Volume is used by pods: default/user"]);
    await world.run(600_000);
    expect(here.takeWrites().filter((line) => line.includes("pods"))).toEqual([]);
    await here.setPodStatus("user", { phase: "Succeeded" });
    await world.run();
    expect(here.takeWrites()).toEqual(["create pods  201"]);
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
  });

  test("keeps the binding of a user", async () => {
    await here.volume("one", {
      persistentVolumeReclaimPolicy: "Recycle",
      claimRef: { namespace: "default", name: "data" },
    });
    await here.claim("data");
    await here.start();
    await world.delete(persistentVolumeClaims, "data");
    await world.run();
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
    expect(await here.volumes()).toEqual(["one Available data"]);
    expect((await here.getVolume("one")).spec?.claimRef?.uid).toBeUndefined();
  });

  test("is scrubbed by a pod of one's own", async () => {
    await here.volume("one", { persistentVolumeReclaimPolicy: "Recycle" });
    await here.claim("data");
    await here.start({
      recyclerTemplates: () => ({
        nfs: undefined,
        hostPath: {
          metadata: { name: "any", generateName: "x", labels: { app: "scrub" } },
          spec: { volumes: [{ name: "disk", emptyDir: {} }], containers: [{ name: "own", image: "own" }] },
        },
      }),
    });
    await world.delete(persistentVolumeClaims, "data");
    await world.run();
    const pod = await world.get(pods, POD);
    expect(pod.metadata).toMatchObject({ name: POD, labels: { app: "scrub" } });
    expect(pod.spec).toMatchObject({
      activeDeadlineSeconds: 60,
      volumes: [{ name: "disk", hostPath: { path: "/tmp/one" } }],
      containers: [{ name: "own" }],
    });
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
  });
});
