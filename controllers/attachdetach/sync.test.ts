import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { MINUTE, objectName, RWO, RWX, Scene, SECOND, uniqueName } from "./scene.test-data.ts";

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.make();
});
afterEach(async () => scene.world.stop());

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** Two nodes and a volume, which the pod on the first is about to get. */
async function attachedTo(node: string, modes = RWO): Promise<void> {
  await scene.addNode("node-1");
  await scene.addNode("node-2");
  await scene.addVolume("pv", modes);
  await scene.start();
  await scene.addPod("pod", node, "pv");
  await scene.world.run();
  await scene.attached("pv", node);
}

// upstream: pkg/controller/volume/attachdetach/reconciler/reconciler_test.go
describe("a volume", () => {
  test("that nobody needs is left alone", async () => {
    await scene.addNode("node-1");
    await scene.addVolume("pv", RWO);
    await scene.start();
    await scene.world.run(5 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
  });

  test("that a pod needs is attached, which the node and the pod are told", async () => {
    await attachedTo("node-1");
    expect(scene.takeWrites()).toEqual([
      "create volumeattachments pv on node-1",
      "patch nodes/status node-1",
    ]);
    expect(await scene.reported("node-1")).toEqual([uniqueName("pv")]);
    expect(await scene.events()).toEqual([
      'pod: SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "pv" ',
    ]);
  });

  test("that is not in use is detached when its pod goes, and the node is told first", async () => {
    await attachedTo("node-1");
    scene.takeWrites();
    await scene.removePod("pod");
    await scene.world.run();
    expect(scene.takeWrites()).toEqual([
      "patch nodes/status node-1",
      "delete volumeattachments pv on node-1",
    ]);
    expect(await scene.reported("node-1")).toEqual([]);
  });

  test("that is in use stays on a node that is well, for ever", async () => {
    await attachedTo("node-1");
    await scene.use("node-1", "pv");
    scene.takeWrites();
    await scene.removePod("pod");
    await scene.world.run(20 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
    await scene.use("node-1");
    await scene.world.run();
    expect(scene.takeWrites()).toEqual([
      "patch nodes/status node-1",
      "delete volumeattachments pv on node-1",
    ]);
  });
});

const DETACHED = ["patch nodes/status node-1", "delete volumeattachments pv on node-1"];
const FAILED = 'FailedAttachVolume AttachVolume.Attach failed for volume "pv" : ';

// upstream: pkg/controller/volume/attachdetach/reconciler/reconciler_test.go#Test_Run_OneVolumeDetachOnUnhealthyNode,
// Test_Run_Positive_OneDesiredVolumeAttachThenDetachWithMountedVolume
describe("a volume in use on a node that is not ready", () => {
  beforeEach(async () => {
    await attachedTo("node-1");
    await scene.use("node-1", "pv");
    await scene.removePod("pod");
    await scene.world.run();
    scene.takeWrites();
  });

  test("is detached by force after six minutes", async () => {
    await scene.setReady("node-1", false);
    await scene.world.run(6 * MINUTE - 5 * SECOND);
    expect(scene.takeWrites()).toEqual([]);
    await scene.world.run(6 * SECOND);
    expect(scene.takeWrites()).toEqual(DETACHED);
  });

  test("is detached at once when it was to go for six minutes before", async () => {
    await scene.world.run(7 * MINUTE);
    await scene.setReady("node-1", false);
    await scene.world.run();
    expect(scene.takeWrites()).toEqual(DETACHED);
  });

  test("stays when the node comes back in time", async () => {
    await scene.setReady("node-1", false);
    await scene.world.run(3 * MINUTE);
    await scene.setReady("node-1", true);
    await scene.world.run(20 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
  });

  test("stays when its pod comes back, and has all of its time again when that goes", async () => {
    await scene.world.run(5 * MINUTE);
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
    await scene.removePod("pod");
    await scene.setReady("node-1", false);
    await scene.world.run(5 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
    await scene.world.run(MINUTE + SECOND);
    expect(scene.takeWrites()).toEqual(DETACHED);
  });

  test("is detached at once when the node is out of service", async () => {
    await scene.taint("node-1", OUT_OF_SERVICE);
    await scene.world.run();
    expect(scene.takeWrites()).toEqual(DETACHED);
  });

  test("stays when the node has another taint", async () => {
    await scene.taint("node-1", "example.com/other");
    await scene.world.run();
    expect(scene.takeWrites()).toEqual([]);
  });

  test("goes after six minutes when its node is gone", async () => {
    await scene.world.client.clientFor(resources.nodes).delete({ name: "node-1" });
    await scene.world.run(5 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
    await scene.world.run(MINUTE);
    expect(scene.takeWrites()).toEqual(["delete volumeattachments pv on node-1"]);
  });
});

// upstream: …#Test_Run_OneVolumeDetachOnUnhealthyNodeWithForceDetachOnUnmountDisabled
test("with --disable-force-detach-on-timeout only a node that is out of service loses what it uses", async () => {
  await scene.addNode("node-1");
  await scene.addVolume("pv", RWO);
  await scene.start({ disableForceDetachOnTimeout: true });
  await scene.addPod("pod", "node-1", "pv");
  await scene.world.run();
  await scene.attached("pv", "node-1");
  await scene.use("node-1", "pv");
  await scene.removePod("pod");
  await scene.setReady("node-1", false);
  scene.takeWrites();
  await scene.world.run(20 * MINUTE);
  await scene.taint("node-1", "example.com/other");
  await scene.world.run();
  expect(scene.takeWrites()).toEqual([]);
  await scene.taint("node-1", OUT_OF_SERVICE);
  await scene.world.run();
  expect(scene.takeWrites()).toEqual(DETACHED);
});

// upstream: …#Test_Run_OneVolumeAttachAndDetachMultipleNodesWithReadWriteMany, …WithReadWriteOnce,
// Test_ReportWaitingOnDetach
describe("a volume that pods on two nodes need", () => {
  test("is attached to both when its mode allows that, and leaves each when its pod goes", async () => {
    await attachedTo("node-1", RWX);
    await scene.addPod("pod-2", "node-2", "pv");
    await scene.world.run();
    await scene.attached("pv", "node-2");
    expect(await scene.attachments()).toEqual(["pv on node-1", "pv on node-2"]);
    await scene.removePod("pod");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-2"]);
    await scene.removePod("pod-2");
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
  });

  test("is attached to one at a time when its mode wants that, and users are told once", async () => {
    await attachedTo("node-1");
    await scene.addPod("pod-2", "node-2", "pv");
    await scene.world.run(5 * MINUTE);
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    expect(await scene.events()).toContain(
      'pod-2: FailedAttachVolume Waiting for detach for volume "pv" Volume is already used by pod(s) pod',
    );
    expect(await scene.events()).toHaveLength(2);
    await scene.removePod("pod");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-2"]);
    expect(await scene.events()).toHaveLength(2);
  });

  test("waits for a node that uses it still, which users are told, as its pod there is gone", async () => {
    await attachedTo("node-1");
    await scene.use("node-1", "pv");
    await scene.removePod("pod");
    await scene.addPod("pod-2", "node-2", "pv");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    expect(await scene.events()).toContain(
      'pod-2: FailedAttachVolume Waiting for detach for volume "pv" Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node',
    );
    await scene.use("node-1");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-2"]);
  });

  test("waits while it is not known whether the first has got it", async () => {
    await scene.addNode("node-1");
    await scene.addNode("node-2");
    await scene.addVolume("pv", RWO);
    await scene.start();
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
    await scene.answer("pv", "node-1", { attached: false, attachError: { message: "no room" } });
    await scene.addPod("pod-2", "node-2", "pv");
    await scene.world.run(MINUTE);
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    await scene.removePod("pod");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-2"]);
  });
});

// upstream: …#Test_Run_OneVolumeAttachAndDetachUncertainNodesWithReadWriteOnce, …TimeoutNodesWithReadWriteOnce
describe("a volume whose driver", () => {
  beforeEach(async () => {
    await scene.addNode("node-1");
    await scene.addVolume("pv", RWO);
    await scene.start();
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
  });

  test("fails is tried again after ever longer times, and users are told why", async () => {
    await scene.answer("pv", "node-1", { attached: false, attachError: { message: "no room" } });
    await scene.world.run(33 * SECOND);
    // From the second on 0.5 s each for the driver, and 0.5, 1, 2, 4, 8 s between.
    const events = await scene.world.list(resources.events);
    expect(events.map(({ message, count }) => [message, count])).toEqual([
      ['AttachVolume.Attach failed for volume "pv" : no room', 6],
    ]);
    expect(scene.takeWrites()).toEqual(["create volumeattachments pv on node-1"]);
  });

  test("fails, and then attaches it after all, has it reported at once", async () => {
    await scene.answer("pv", "node-1", { attached: false, attachError: { message: "no room" } });
    await scene.world.run(2 * MINUTE);
    await scene.attached("pv", "node-1");
    expect(await scene.reported("node-1")).toEqual([uniqueName("pv")]);
  });

  test("says nothing is waited for two minutes", async () => {
    await scene.world.run(2 * MINUTE);
    expect(await scene.events()).toEqual([
      `pod: ${FAILED}timed out waiting for external-attacher of csi.example.com CSI driver to attach volume handle-pv`,
    ]);
  });

  test("takes its time loses it at once when the pod goes", async () => {
    await scene.removePod("pod");
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
    expect(await scene.reported("node-1")).toEqual([]);
  });

  test("has its VolumeAttachment deleted by somebody is asked anew", async () => {
    await scene.world.client
      .clientFor(resources.volumeAttachments)
      .delete({ name: objectName("pv", "node-1") });
    await scene.world.run();
    expect(scene.takeWrites()).toEqual([
      "create volumeattachments pv on node-1",
      "create volumeattachments pv on node-1",
    ]);
  });

  test("cannot be asked is asked again, and users are told why", async () => {
    await scene.removePod("pod");
    await scene.world.run();
    scene.world.refuseCreations("volumeattachments");
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
    expect((await scene.events())[0]).toMatch(
      `pod: ${FAILED}kubernetes.io/csi: attacher.Attach failed: forbidden`,
    );
  });
});

// upstream: …#Test_Run_OneVolumeDetachFailNodeWithReadWriteOnce
describe("a volume that is being detached", () => {
  beforeEach(async () => {
    await attachedTo("node-1");
    // As drivers have it: who deletes a VolumeAttachment waits for them.
    await scene.hold("pv", "node-1");
    await scene.removePod("pod");
    await scene.world.run();
  });

  test("is attached to another node when it has gone, and not before", async () => {
    await scene.addPod("pod-2", "node-2", "pv");
    await scene.world.run(MINUTE);
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    await scene.letGo("pv", "node-1");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-2"]);
  });

  test("is attached to the same node again when it has gone", async () => {
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run(MINUTE);
    expect(await scene.reported("node-1")).toEqual([]);
    await scene.letGo("pv", "node-1");
    await scene.world.run();
    await scene.attached("pv", "node-1");
    expect(await scene.reported("node-1")).toEqual([uniqueName("pv")]);
  });

  test("and cannot be, is not reported as attached, and nobody else gets it", async () => {
    await scene.answer("pv", "node-1", { attached: true, detachError: { message: "busy" } });
    await scene.addPod("pod-2", "node-2", "pv");
    await scene.world.run(10 * MINUTE);
    expect(await scene.reported("node-1")).toEqual([]);
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    await scene.letGo("pv", "node-1");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-2"]);
  });
});

// upstream: …#Test_Run_Negative_OneDesiredVolumeAttachThenDetachWithUnmountedVolumeUpdateStatusFail,
// Test_Run_UpdateNodeStatusFailBeforeOneVolumeDetachNodeWithReadWriteOnce
test("a volume is not detached while its node cannot be told", async () => {
  await attachedTo("node-1");
  scene.takeWrites();
  const target = { verb: "patch", resource: "nodes" } as const;
  const error = internal("down for now");
  const heal = scene.world.server.parts.faults.add({
    target,
    action: { kind: "status", when: "before", error },
  });
  await scene.removePod("pod");
  await scene.world.run(MINUTE);
  expect(await scene.attachments()).toEqual(["pv on node-1"]);
  heal();
  await scene.world.run(MINUTE);
  expect(await scene.attachments()).toEqual([]);
});

test("a node is told by its uid, so that another of its name is not", async () => {
  await scene.addNode("node-1");
  await scene.addVolume("pv", RWO);
  await scene.start();
  await scene.addPod("pod", "node-1", "pv");
  await scene.world.run();
  await scene.attached("pv", "node-1");
  const { metadata } = await scene.world.get(resources.nodes, "node-1");
  const write = scene.world.takeWrites().find(({ resource }) => resource === "nodes/status");
  expect(write?.body).toEqual({
    metadata: { uid: metadata.uid },
    status: { volumesAttached: [{ name: uniqueName("pv"), devicePath: "" }] },
  });
});

test("a VolumeAttachment that somebody has made anew a moment ago is not taken for the one before", async () => {
  await attachedTo("node-1");
  const release = scene.world.server.parts.faults.holdWatches({ resource: "volumeattachments" });
  const attachments = scene.world.client.clientFor(resources.volumeAttachments);
  await attachments.delete({ name: objectName("pv", "node-1") });
  await scene.addAttachment("pv", "node-1", true);
  await scene.removePod("pod");
  await scene.world.run();
  expect(await scene.attachments()).toEqual(["pv on node-1"]);
  release();
  await scene.world.run(3 * MINUTE);
  expect(await scene.attachments()).toEqual([]);
});

test("a server that cannot be reached is no failure of a volume", async () => {
  await scene.addNode("node-1");
  await scene.addVolume("pv", RWO);
  await scene.start();
  const target = { verb: "create", resource: "volumeattachments" } as const;
  scene.world.server.parts.faults.add({ target, action: { kind: "disconnect", when: "refused" }, times: 1 });
  await scene.addPod("pod", "node-1", "pv");
  await scene.world.run();
  expect(await scene.attachments()).toEqual(["pv on node-1"]);
  expect(await scene.events()).toEqual([]);
});

test("what was never reported is not detached before the server has been asked whether the node uses it", async () => {
  await scene.addNode("node-1");
  await scene.addVolume("pv", RWO);
  await scene.start();
  await scene.addPod("pod", "node-1", "pv");
  await scene.world.run();
  const release = scene.world.server.parts.faults.holdWatches({ resource: "nodes" });
  await scene.use("node-1", "pv");
  await scene.removePod("pod");
  await scene.world.run(MINUTE);
  expect(await scene.attachments()).toEqual(["pv on node-1"]);
  release();
  await scene.use("node-1");
  await scene.world.run(MINUTE);
  expect(await scene.attachments()).toEqual([]);
});

// upstream: …/statusupdater/node_status_updater_test.go#TestNodeStatusUpdater_UpdateNodeStatuses_FailureInFirstUpdate
test("a node that cannot be told holds up no other", async () => {
  await attachedTo("node-1", RWX);
  const target = { verb: "patch", resource: "nodes", name: "node-1" } as const;
  const error = internal("down for now");
  scene.world.server.parts.faults.add({ target, action: { kind: "status", when: "before", error } });
  await scene.setNode("node-1", { volumesAttached: [] });
  await scene.addPod("pod-2", "node-2", "pv");
  await scene.world.run();
  await scene.attached("pv", "node-2");
  expect(await scene.reported("node-1")).toEqual([]);
  expect(await scene.reported("node-2")).toEqual([uniqueName("pv")]);
});

test("a volume is not detached that the node has come to use a moment ago, which the cache does not show", async () => {
  await attachedTo("node-1");
  const release = scene.world.server.parts.faults.holdWatches({ resource: "nodes" });
  await scene.use("node-1", "pv");
  await scene.removePod("pod");
  await scene.world.run(MINUTE);
  expect(await scene.attachments()).toEqual(["pv on node-1"]);
  release();
  await scene.use("node-1");
  await scene.world.run(MINUTE);
  expect(await scene.attachments()).toEqual([]);
});
