import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { resources } from "../../api/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import { internal } from "../../apiserver/server/status-error.ts";
import { hollowResizer } from "./resizer.ts";

const STATUS = "update persistentvolumeclaims/status data";
const VOLUME = "update persistentvolumes vol";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

async function createPair(driver: string, uid?: string): Promise<void> {
  const accessModes = ["ReadWriteOnce"];
  const storage = { storage: "1Gi" };
  const claim = await world.createWithStatus<PersistentVolumeClaim>(resources.persistentVolumeClaims, {
    metadata: { name: "data" },
    spec: { accessModes, volumeName: "vol", resources: { requests: { storage: "3Gi" } } },
    status: { phase: "Bound", accessModes, capacity: storage },
  });
  const claimRef = { namespace: "default", name: "data", uid: uid ?? claim.metadata.uid ?? "" };
  await world.create<PersistentVolume>(resources.persistentVolumes, {
    metadata: { name: "vol" },
    spec: { accessModes, capacity: storage, claimRef, csi: { driver, volumeHandle: "vol" } },
  });
}

const writes = async (): Promise<readonly string[]> => {
  await world.run(10_000);
  return world.takeWrites().flatMap((write) => (write.resource === "events" ? [] : [lineOf(write)]));
};

test("a claim gets what it asks for, and says how far that is", async () => {
  await createPair("hollow.kcm.dev");
  await world.start(hollowResizer());
  expect(await writes()).toEqual([STATUS, VOLUME, STATUS]);
  const { status } = await world.get<PersistentVolumeClaim>(resources.persistentVolumeClaims, "data");
  expect(status).toEqual({
    phase: "Bound",
    accessModes: ["ReadWriteOnce"],
    allocatedResources: { storage: "3Gi" },
    capacity: { storage: "3Gi" },
  });
  const { spec } = await world.get<PersistentVolume>(resources.persistentVolumes, "vol");
  expect(spec?.capacity).toEqual({ storage: "3Gi" });
  expect(await world.events()).toEqual([
    "Resizing External resizer is resizing volume vol",
    "VolumeResizeSuccessful Resize volume succeeded",
  ]);
  await world.run(600_000);
  expect(await writes()).toEqual([]);
});

test.each([
  ["another driver's", "csi.example.com", undefined],
  ["another claim's", "hollow.kcm.dev", "another"],
])("a volume that is %s is left alone", async (_, driver, uid) => {
  await createPair(driver, uid);
  await world.start(hollowResizer());
  expect(await writes()).toEqual([]);
});

test("what was begun is brought to its end", async () => {
  await createPair("hollow.kcm.dev");
  world.server.parts.faults.add({
    target: { verb: "update", resource: "persistentvolumes" },
    action: { kind: "status", when: "before", error: internal("down") },
    times: 1,
  });
  await world.start(hollowResizer());
  await writes();
  const { status } = await world.get<PersistentVolumeClaim>(resources.persistentVolumeClaims, "data");
  expect([status?.capacity, status?.conditions ?? []]).toEqual([{ storage: "3Gi" }, []]);
});
