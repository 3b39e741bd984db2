import { beforeEach, afterEach, expect, test } from "vitest";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { DRIVER, MINUTE, RWO, Scene } from "./scene.test-data.ts";

let scene: Scene;
let metrics: ReturnType<typeof createMetrics>["main"];
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" }).main;
  scene = await Scene.make({ metrics });
  await scene.addNode("node-1");
  await scene.addVolume("pv", RWO);
  await scene.start();
});
afterEach(async () => scene.world.stop());

async function lines(name: string): Promise<readonly string[]> {
  const text = await metrics.expose();
  return text.split("\n").filter((line) => line.startsWith(`${name}{`) && !line.includes("_bucket"));
}

const operation = (rest: string): string => `storage_operation_duration_seconds_count{${rest}`;

async function attach(): Promise<void> {
  await scene.addPod("pod", "node-1", "pv");
  await scene.world.run();
  await scene.attached("pv", "node-1");
}

// upstream: pkg/controller/volume/attachdetach/metrics/metrics_test.go
test("volumes of pods, and those that are to be and are attached, are counted", async () => {
  await attach();
  await scene.addPodWith("other", "node-1", [
    { name: "inline", csi: { driver: "inline.example.com" } },
    { name: "iscsi", iscsi: { targetPortal: "1.2.3.4:3260", iqn: "iqn.2001-04.com.example:a", lun: 1 } },
    { name: "config", configMap: { name: "c" } },
    { name: "late", persistentVolumeClaim: { claimName: "late" } },
  ]);
  await scene.world.run();
  expect(await lines("storage_count_attachable_volumes_in_use")).toEqual([
    `storage_count_attachable_volumes_in_use{node="node-1",volume_plugin="kubernetes.io/csi:${DRIVER}"} 1`,
    'storage_count_attachable_volumes_in_use{node="node-1",volume_plugin="kubernetes.io/csi:inline.example.com"} 1',
    'storage_count_attachable_volumes_in_use{node="node-1",volume_plugin="kubernetes.io/iscsi"} 1',
  ]);
  const total = (plugin: string, state: string) =>
    `attachdetach_controller_total_volumes{plugin_name="${plugin}",state="${state}"} 1`;
  expect((await lines("attachdetach_controller_total_volumes")).toSorted()).toEqual(
    [`kubernetes.io/csi:${DRIVER}`, "kubernetes.io/iscsi"].flatMap((plugin) => [
      total(plugin, "actual_state_of_world"),
      total(plugin, "desired_state_of_world"),
    ]),
  );
  await scene.removePod("pod");
  await scene.removePod("other");
  await scene.world.run();
  expect(await lines("storage_count_attachable_volumes_in_use")).toEqual([]);
  expect(await lines("attachdetach_controller_total_volumes")).toEqual([]);
});

// upstream: …/reconciler/reconciler_test.go#testForceDetachMetric
test.each([
  ["timeout", async () => scene.setReady("node-1", false)],
  ["out-of-service", async () => scene.taint("node-1", "node.kubernetes.io/out-of-service")],
])("detachments by force are counted by their reason: %s", async (reason, act) => {
  const name = "attach_detach_controller_attachdetach_controller_forced_detaches";
  await attach();
  await scene.use("node-1", "pv");
  await scene.removePod("pod");
  await act();
  await scene.world.run(7 * MINUTE);
  expect(await lines(name)).toEqual([`${name}{reason="${reason}"} 1`]);
});

test("operations are measured, with what has become of them", async () => {
  const name = "storage_operation_duration_seconds_count";
  await scene.addPod("pod", "node-1", "pv");
  await scene.world.run();
  await scene.answer("pv", "node-1", { attached: false, attachError: { message: "no room" } });
  await scene.world.run(100);
  await scene.attached("pv", "node-1");
  await scene.removePod("pod");
  await scene.world.run();
  const plugin = `volume_plugin="kubernetes.io/csi:${DRIVER}"`;
  const of = (what: string, status: string): string =>
    operation(`migrated="false",operation_name="${what}",status="${status}",${plugin}} 1`);
  expect((await lines(name)).toSorted()).toEqual([
    of("volume_attach", "fail-unknown"),
    of("volume_attach", "success"),
    of("volume_detach", "success"),
  ]);
});

test("operations with volumes of plugins that are no more are told as such", async () => {
  await scene.addPodWith("pod", "node-1", [{ name: "disk", cinder: { volumeID: "disk" } }]);
  await scene.world.run();
  await scene.attachedAll();
  expect(await lines("storage_operation_duration_seconds_count")).toEqual([
    operation(
      'migrated="true",operation_name="volume_attach",status="success",volume_plugin="kubernetes.io/csi:cinder.csi.openstack.org"} 1',
    ),
  ]);
});
