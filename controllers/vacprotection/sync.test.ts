import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttributesClass } from "../../pkg/api/types/storage-v1.gen.ts";
import { forbidden } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { attributesClassProtectionController } from "./controller.ts";

const FINALIZER = "kubernetes.io/vac-protection";
/** Keeps what is deleted, so that it can be looked at. */
const OTHER = "example.com/test";
const UPDATE = "update volumeattributesclasses gold";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

interface ClassFacts {
  readonly finalizers?: readonly string[];
  readonly isDeleted?: boolean;
}

async function createClass({
  finalizers = [FINALIZER, OTHER],
  isDeleted = false,
}: ClassFacts): Promise<void> {
  await world.create<VolumeAttributesClass>(resources.volumeAttributesClasses, {
    metadata: { name: "gold", finalizers },
    driverName: "csi.example.com",
    parameters: { iops: "5" },
  });
  if (isDeleted) await world.delete(resources.volumeAttributesClasses, "gold");
}

const storage = { requests: { storage: "1Gi" } };

async function createVolume(name: string, volumeAttributesClassName?: string): Promise<void> {
  await world.create<PersistentVolume>(resources.persistentVolumes, {
    metadata: { name },
    spec: {
      capacity: storage.requests,
      accessModes: ["ReadWriteOnce"],
      csi: { driver: "csi.example.com", volumeHandle: name },
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
    },
  });
}

async function createClaim(name: string, asks: string | undefined, status: object = {}): Promise<void> {
  await world.createWithStatus<PersistentVolumeClaim>(resources.persistentVolumeClaims, {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: storage,
      ...(asks !== undefined && { volumeAttributesClassName: asks }),
    },
    status: { phase: "Bound", ...status },
  });
}

async function finalizers(): Promise<readonly string[] | undefined> {
  const { metadata } = await world.get<VolumeAttributesClass>(resources.volumeAttributesClasses, "gold");
  return metadata.finalizers;
}

async function writes(): Promise<readonly string[]> {
  await world.run(10_000);
  return world.takeWrites().map(lineOf);
}

// upstream: pkg/controller/volume/vacprotection/vac_protection_controller_test.go#TestVACProtectionController
describe("a class", () => {
  interface Case extends ClassFacts {
    readonly failures?: number;
    readonly usedBy?: () => Promise<void>;
    readonly writes: number;
    readonly expected: readonly string[];
  }
  test.each<[string, Case]>([
    ["gets the finalizer", { finalizers: [], writes: 1, expected: [FINALIZER] }],
    ["that has it is left alone", { writes: 0, expected: [FINALIZER, OTHER] }],
    ["gets it though the server fails", { finalizers: [], failures: 2, writes: 3, expected: [FINALIZER] }],
    ["that is deleted loses it", { isDeleted: true, writes: 1, expected: [OTHER] }],
    [
      "that is deleted loses it though the server fails",
      { isDeleted: true, failures: 2, writes: 3, expected: [OTHER] },
    ],
    [
      "that is deleted stays for a volume",
      {
        isDeleted: true,
        usedBy: async () => createVolume("v", "gold"),
        writes: 0,
        expected: [FINALIZER, OTHER],
      },
    ],
    [
      "that is deleted stays for a claim",
      {
        isDeleted: true,
        usedBy: async () => createClaim("c", "gold"),
        writes: 0,
        expected: [FINALIZER, OTHER],
      },
    ],
    [
      "that is deleted goes whatever others use",
      {
        isDeleted: true,
        usedBy: async () => {
          await createVolume("v", "silver");
          await createVolume("none");
          await createClaim("c", "silver");
          await createClaim("none", undefined);
        },
        writes: 1,
        expected: [OTHER],
      },
    ],
  ])("%s", async (_, { failures = 0, usedBy, writes: count, expected, ...facts }) => {
    await usedBy?.();
    await createClass(facts);
    if (failures > 0)
      world.server.parts.faults.add({
        target: { verb: "update", resource: "volumeattributesclasses" },
        action: {
          kind: "status",
          when: "before",
          error: forbidden(resources.volumeAttributesClasses, "gold", "no"),
        },
        times: failures,
      });
    await world.start(attributesClassProtectionController());
    expect(await writes()).toEqual(Array.from({ length: count }, () => UPDATE));
    expect(await finalizers()).toEqual(expected);
  });
});

// upstream: the same function, its events of volumes and claims
describe("a class that is being deleted", () => {
  const volumes = () => world.client.clientFor<PersistentVolume>(resources.persistentVolumes);
  const claims = () => world.client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);
  const changeVolume = async (volumeAttributesClassName: string): Promise<void> => {
    await volumes().patch({ name: "v" }, { type: "merge", body: { spec: { volumeAttributesClassName } } });
  };
  const changeClaim = async (asks: string, status: object): Promise<void> => {
    const ref = { namespace: "default", name: "c" };
    const body = { spec: { volumeAttributesClassName: asks } };
    const changed = await claims().patch(ref, { type: "merge", body });
    await claims().updateStatus({ ...changed, status: { phase: "Bound", ...status } });
  };
  const target = { status: "InProgress", targetVolumeAttributesClassName: "gold" };

  interface Case {
    readonly before: () => Promise<void>;
    readonly change: () => Promise<void>;
    readonly isFree: boolean;
  }
  test.each<[string, Case]>([
    [
      "goes when a volume gets another",
      {
        before: async () => createVolume("v", "gold"),
        change: async () => changeVolume("silver"),
        isFree: true,
      },
    ],
    [
      "goes with its volume",
      {
        before: async () => createVolume("v", "gold"),
        change: async () => world.delete(resources.persistentVolumes, "v"),
        isFree: true,
      },
    ],
    [
      "stays for another volume",
      {
        before: async () => {
          await createVolume("v", "gold");
          await createVolume("other", "gold");
        },
        change: async () => world.delete(resources.persistentVolumes, "v"),
        isFree: false,
      },
    ],
    [
      "stays for a claim when its volume goes",
      {
        before: async () => {
          await createVolume("v", "gold");
          await createClaim("c", "gold");
        },
        change: async () => world.delete(resources.persistentVolumes, "v"),
        isFree: false,
      },
    ],
    [
      "goes when a claim has another",
      {
        before: async () => createClaim("c", "gold", { currentVolumeAttributesClassName: "gold" }),
        change: async () => changeClaim("silver", { currentVolumeAttributesClassName: "silver" }),
        isFree: true,
      },
    ],
    [
      "stays while a claim that asks for another has it",
      {
        before: async () => createClaim("c", "gold"),
        change: async () => changeClaim("silver", { currentVolumeAttributesClassName: "gold" }),
        isFree: false,
      },
    ],
    [
      "stays while a claim that asks for another is on its way to it",
      {
        before: async () => createClaim("c", "gold"),
        change: async () => changeClaim("silver", { modifyVolumeStatus: target }),
        isFree: false,
      },
    ],
    [
      "stays for another claim",
      {
        before: async () => {
          await createClaim("c", "gold");
          await createClaim("other", "gold");
        },
        change: async () => world.delete(resources.persistentVolumeClaims, "c"),
        isFree: false,
      },
    ],
    [
      "stays for a volume when its claim goes",
      {
        before: async () => {
          await createVolume("v", "gold");
          await createClaim("c", "gold");
        },
        change: async () => world.delete(resources.persistentVolumeClaims, "c"),
        isFree: false,
      },
    ],
    [
      "goes with its claim",
      {
        before: async () => createClaim("c", "gold"),
        change: async () => world.delete(resources.persistentVolumeClaims, "c"),
        isFree: true,
      },
    ],
  ])("%s", async (_, { before, change, isFree }) => {
    await before();
    await createClass({ isDeleted: true });
    await world.start(attributesClassProtectionController());
    expect([await writes(), await finalizers()]).toEqual([[], [FINALIZER, OTHER]]);
    await change();
    expect([await writes(), await finalizers()]).toEqual(
      isFree ? [[UPDATE], [OTHER]] : [[], [FINALIZER, OTHER]],
    );
  });

  test("goes with the last of a hundred claims, and is not looked at for the others' changes", async () => {
    for (let each = 0; each < 100; each++) await createClaim(`c-${each}`, "gold");
    await createClass({});
    const set = await world.start(attributesClassProtectionController());
    const syncs = (): number | undefined =>
      set.health().get("volumeattributesclass-protection-controller")?.pools["vacprotection"]?.syncs;
    for (let each = 0; each < 50; each++) await world.delete(resources.persistentVolumeClaims, `c-${each}`);
    await world.run();
    expect(syncs()).toBe(0);
    await world.delete(resources.volumeAttributesClasses, "gold");
    for (let each = 50; each < 100; each++) await world.delete(resources.persistentVolumeClaims, `c-${each}`);
    expect([await writes(), await finalizers()]).toEqual([[UPDATE], [OTHER]]);
  });
});

test("it runs under the name and behind the gate that upstream has for it", () => {
  const { clientName, eventSource, featureGates } = attributesClassProtectionController();
  expect([clientName, eventSource, featureGates]).toEqual([
    "volumeattributesclass-protection-controller",
    undefined,
    ["VolumeAttributesClass"],
  ]);
});
