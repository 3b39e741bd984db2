import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { createMetrics, type ExposedMetrics } from "../../pkg/metrics/registry.ts";
import type { ControllerWorld } from "../../test/harness/controller-world.ts";
import { VolumesInWorld } from "./world.test-data.ts";

const { persistentVolumes, persistentVolumeClaims } = resources;

let here: VolumesInWorld;
let world: ControllerWorld;
let metrics: ExposedMetrics;
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" }).main;
  here = await VolumesInWorld.create({ metrics });
  world = here.world;
});
afterEach(async () => world.stop());

/** The series of a name, as they are exposed. */
async function series(name: string): Promise<readonly string[]> {
  const lines = (await metrics.expose()).split("\n");
  return lines.filter((line) => line.startsWith(name)).toSorted();
}

// upstream: pkg/controller/volume/persistentvolume/metrics/metrics.go#pvAndPVCCountCollector
test("volumes and claims are counted by what they are and whether they are bound", async () => {
  await here.volume("one");
  await here.volume("two", { volumeMode: "Block", storageClassName: "gold" });
  await here.volume("three", { nfs: { server: "files", path: "/" } });
  await here.volume("four", { csi: { driver: "disks", volumeHandle: "h" } });
  await here.start();
  await here.claim("data", { volumeName: "one" });
  await here.claim("more", { storageClassName: "gold" });
  await world.run();
  expect(await series("pv_collector_")).toEqual([
    'pv_collector_bound_pv_count{storage_class=""} 1',
    'pv_collector_bound_pvc_count{namespace="default",storage_class="",volume_attributes_class=""} 1',
    'pv_collector_total_pv_count{plugin_name="N/A",volume_mode="Filesystem"} 1',
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Block"} 1',
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Filesystem"} 1',
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/nfs",volume_mode="Filesystem"} 1',
    'pv_collector_unbound_pv_count{storage_class=""} 2',
    'pv_collector_unbound_pv_count{storage_class="gold"} 1',
    'pv_collector_unbound_pvc_count{namespace="default",storage_class="gold",volume_attributes_class=""} 1',
  ]);
  for (const name of ["two", "three", "four"]) await world.delete(persistentVolumes, name);
  for (const name of ["data", "more"]) await world.delete(persistentVolumeClaims, name);
  await world.run();
  expect(await series("pv_collector_")).toEqual([
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Filesystem"} 1',
    'pv_collector_unbound_pv_count{storage_class=""} 1',
  ]);
});

// upstream: pv_controller_test.go#TestControllerSync 5-5 to 5-8, metrics_test.go#TestVolumeOperationError
describe("what takes its time", () => {
  const provision = 'operation_name="provision"';
  const deletion = 'operation_name="delete"';

  test("to be provisioned is measured until the claim is bound", async () => {
    await here.class("disks");
    const { metadata } = await here.claim("data", { storageClassName: "disks" });
    await here.start();
    await world.run(20_000);
    expect(await series("volume_operation_total_seconds_count")).toEqual([]);
    const { uid = "" } = metadata;
    const claimRef = { namespace: "default", name: "data", uid };
    await here.volume("made", { claimRef, storageClassName: "disks" });
    await world.run();
    expect(await series("volume_operation_total_seconds_count")).toEqual([
      `volume_operation_total_seconds_count{${provision},plugin_name="example.com/disks"} 1`,
    ]);
    const [sum = ""] = await series("volume_operation_total_seconds_sum");
    expect(parseFloat(sum.split(" ")[1] ?? "")).toBeGreaterThan(20);
  });

  test("and of a claim that is deleted meanwhile is forgotten", async () => {
    await here.class("disks");
    await here.claim("data", { storageClassName: "disks" });
    await here.start();
    await world.delete(persistentVolumeClaims, "data");
    await world.run();
    await here.volume("one", { storageClassName: "disks" });
    await here.claim("data", { storageClassName: "disks", volumeName: "one" });
    await world.run();
    expect(await here.claims()).toEqual(["data Bound one"]);
    expect(await series("volume_operation_total_seconds_count")).toEqual([]);
  });

  test("to be deleted is measured until the volume is gone, whoever deletes it", async () => {
    await here.class("disks");
    await here.volume(
      "one",
      { storageClassName: "disks", persistentVolumeReclaimPolicy: "Delete" },
      { "pv.kubernetes.io/provisioned-by": "example.com/disks" },
    );
    await here.claim("data", { storageClassName: "disks" });
    await here.start();
    await world.delete(persistentVolumeClaims, "data");
    await world.run(20_000);
    expect(await series('volume_operation_total_seconds_count{operation_name="delete')).toEqual([]);
    await world.delete(persistentVolumes, "one");
    await world.run();
    expect(await series('volume_operation_total_seconds_count{operation_name="delete')).toEqual([
      `volume_operation_total_seconds_count{${deletion},plugin_name="example.com/disks"} 1`,
    ]);
  });

  test("and was not begun is not measured", async () => {
    await here.volume("one", { persistentVolumeReclaimPolicy: "Delete" });
    await here.claim("data");
    await here.start();
    await world.delete(persistentVolumes, "one");
    await world.run();
    await world.delete(persistentVolumeClaims, "data");
    await world.run();
    expect(await series("volume_operation_total_seconds_count")).toEqual([]);
  });

  test("of the controller's own plugin is measured step by step, and its errors are counted", async () => {
    await here.class("gold", { provisioner: "kubernetes.io/host-path", volumeBindingMode: "Immediate" });
    await here.start();
    await here.claim("data", { storageClassName: "gold" });
    await world.run();
    here.failures.push("busy");
    await world.delete(persistentVolumeClaims, "data");
    await world.run(5_000);
    const plugin = 'plugin_name="kubernetes.io/host-path"';
    const step = (operation: string, status: string): string =>
      `storage_operation_duration_seconds_count{migrated="false",operation_name="${operation}",status="${status}",volume_plugin="kubernetes.io/host-path"} 1`;
    expect(await series("storage_operation_duration_seconds_count")).toEqual([
      step("volume_delete", "fail-unknown"),
      step("volume_delete", "success"),
      step("volume_provision", "success"),
    ]);
    expect(await series("volume_operation_errors_total")).toEqual([
      `volume_operation_errors_total{${deletion},${plugin}} 1`,
    ]);
    // Hidden since 1.36.
    expect(await series("volume_operation_total_errors")).toEqual([]);
    expect(await series("volume_operation_total_seconds_count")).toEqual([
      `volume_operation_total_seconds_count{${deletion},${plugin}} 1`,
      `volume_operation_total_seconds_count{${provision},${plugin}} 1`,
    ]);
  });
});

test("default classes that are given later are counted, and so are those that could not be", async () => {
  await here.class("disks", {
    metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  });
  await here.start();
  world.server.parts.faults.add({
    target: { verb: "update", resource: "persistentvolumeclaims" },
    action: { kind: "status", when: "before", error: internal("down") },
    times: 1,
  });
  await world.create(persistentVolumeClaims, {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await world.run();
  expect(await series("retroactive_storageclass")).toEqual([
    "retroactive_storageclass_errors_total 1",
    "retroactive_storageclass_total 2",
  ]);
});
