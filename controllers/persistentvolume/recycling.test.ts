import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import type { ControllerWorld } from "../../test/harness/controller-world.ts";
import { VolumesInWorld } from "./world.test-data.ts";

const { persistentVolumeClaims, pods } = resources;
const POD = "recycler-for-one";

let here: VolumesInWorld;
let world: ControllerWorld;
beforeEach(async () => {
  here = await VolumesInWorld.create();
  world = here.world;
});
afterEach(async () => world.stop());

async function release(): Promise<void> {
  await here.volume("one", { persistentVolumeReclaimPolicy: "Recycle" });
  await here.claim("data");
  await here.start();
  await world.delete(persistentVolumeClaims, "data");
  await world.run();
}

function keepPods(): () => void {
  return world.server.parts.faults.add({
    target: { verb: "delete", resource: "pods" },
    action: { kind: "status", when: "before", error: internal("they stay") },
  });
}

const statusOf = async () => (await here.getVolume("one")).status;
const failures = async (): Promise<readonly string[]> =>
  (await world.events()).filter((event) => event.startsWith("VolumeFailedRecycle"));

// upstream: pkg/volume/util/recyclerclient/recycler_client.go#internalRecycleVolumeByWatchingPodUntilCompletion
describe("a volume whose recycler's pod cannot be deleted", () => {
  test("is nobody's before it is, though it is scrubbed", async () => {
    await release();
    const repair = keepPods();
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
    const message = "Recycle failed: failed to delete recycler pod: they stay";
    expect(await statusOf()).toMatchObject({ phase: "Failed", message });
    expect((await here.getVolume("one")).spec?.claimRef?.name).toBe("data");
    expect(await failures()).toEqual([`VolumeFailedRecycle ${message}`]);
    repair();
    // The first try finds the pod and deletes it, the second makes another.
    await world.run(60_000);
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
    expect(await here.volumes()).toEqual(["one Available"]);
    expect(await world.list(pods)).toEqual([]);
  });

  test("says why it could not be scrubbed, rather", async () => {
    await release();
    keepPods();
    await here.setPodStatus(POD, { phase: "Failed", message: "full" });
    await world.run();
    expect((await statusOf())?.message).toBe("Recycle failed: failed to recycle volume: full");
  });

  test("is not taken for scrubbed by the pod of a try that nobody follows any more", async () => {
    await here.pod(POD, "data");
    const repair = keepPods();
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await release();
    const message = `Recycle failed: failed to delete old recycler pod default/${POD}: they stay`;
    expect(await statusOf()).toMatchObject({ phase: "Failed", message });
    repair();
    await world.run(60_000);
    await here.setPodStatus(POD, { phase: "Succeeded" });
    await world.run();
    expect(await here.volumes()).toEqual(["one Available"]);
  });
});
