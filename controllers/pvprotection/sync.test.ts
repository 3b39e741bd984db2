import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolume } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { volumeProtectionController } from "./controller.ts";

const FINALIZER = "kubernetes.io/pv-protection";
/** Keeps what is deleted, so that it can be looked at. */
const OTHER = "example.com/test";
const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } };

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

async function create(finalizers: readonly string[], phase: string, isDeleted: boolean): Promise<void> {
  const metadata = { name: "a", finalizers };
  await world.createWithStatus<PersistentVolume>(resources.persistentVolumes, {
    metadata,
    spec,
    status: { phase },
  });
  if (isDeleted) await world.delete(resources.persistentVolumes, "a");
}

const finalizers = async (): Promise<readonly string[] | undefined> =>
  (await world.get<PersistentVolume>(resources.persistentVolumes, "a")).metadata.finalizers;

interface Case {
  readonly has: readonly string[];
  readonly phase?: string;
  readonly isDeleted?: boolean;
  /** Of the first writes. */
  readonly failures?: number;
  readonly expected: readonly string[];
}

// upstream: pkg/controller/volume/pvprotection/pv_protection_controller_test.go#TestPVProtectionController
test.each<[string, Case]>([
  ["gets the finalizer", { has: [OTHER], expected: [OTHER, FINALIZER] }],
  ["that is bound gets it, too", { has: [OTHER], phase: "Bound", expected: [OTHER, FINALIZER] }],
  ["that has it is left alone", { has: [FINALIZER], expected: [FINALIZER] }],
  ["gets it though the server fails", { has: [], failures: 2, expected: [FINALIZER] }],
  ["that is deleted loses it", { has: [FINALIZER, OTHER], isDeleted: true, expected: [OTHER] }],
  [
    "that is deleted and released loses it",
    { has: [FINALIZER, OTHER], phase: "Released", isDeleted: true, expected: [OTHER] },
  ],
  [
    "that is deleted loses it though the server fails",
    { has: [FINALIZER, OTHER], isDeleted: true, failures: 2, expected: [OTHER] },
  ],
  [
    "that is deleted and bound keeps it",
    { has: [FINALIZER], phase: "Bound", isDeleted: true, expected: [FINALIZER] },
  ],
  ["that is deleted without it is left alone", { has: [OTHER], isDeleted: true, expected: [OTHER] }],
])("a volume %s", async (_, { has, phase = "Available", isDeleted = false, failures = 0, expected }) => {
  await create(has, phase, isDeleted);
  if (failures > 0)
    world.server.parts.faults.add({
      target: { verb: "update", resource: "persistentvolumes" },
      action: { kind: "status", when: "before", error: internal("down") },
      times: failures,
    });
  await world.start(volumeProtectionController());
  await world.run(10_000);
  expect(await finalizers()).toEqual(expected);
  const writes = has.includes(FINALIZER) === expected.includes(FINALIZER) ? 0 : failures + 1;
  expect(world.takeWrites().map(lineOf)).toEqual(
    Array.from({ length: writes }, () => "update persistentvolumes a"),
  );
});

test("a volume that is deleted goes when its claim lets go of it", async () => {
  await create([FINALIZER], "Bound", true);
  await world.start(volumeProtectionController());
  const volumes = world.client.clientFor<PersistentVolume>(resources.persistentVolumes);
  const bound = await volumes.get({ name: "a" });
  await volumes.updateStatus({ ...bound, status: { phase: "Released" } });
  await world.run();
  await expect(volumes.get({ name: "a" })).rejects.toThrow("not found");
});

test("it works under the name that upstream has for it", () => {
  const { clientName, eventSource, featureGates } = volumeProtectionController();
  expect([clientName, eventSource, featureGates]).toEqual(["pv-protection-controller", undefined, undefined]);
});
