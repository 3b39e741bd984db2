import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { NAMESPACE } from "../../test/harness/controller-world.ts";
import { DRIVER, MINUTE, RWO, Scene, uniqueName } from "./scene.test-data.ts";

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.make();
  await scene.addVolume("pv", RWO);
});
afterEach(async () => scene.world.stop());

const inStatus = (...names: readonly string[]) => ({
  volumesAttached: names.map((name) => ({ name: uniqueName(name), devicePath: "" })),
});

// upstream: pkg/controller/volume/attachdetach/attach_detach_controller_test.go#Test_AttachDetachControllerStateOfWorldPopulators_Positive,
// TestADCRecovery, Test_ADC_VolumeAttachmentRecovery
describe("when the controller begins to lead", () => {
  test("nothing is written where all is as it is to be", async () => {
    await scene.addNode("node-1", { ...inStatus("pv"), volumesInUse: [uniqueName("pv")] });
    await scene.addAttachment("pv", "node-1", true);
    await scene.addPod("pod", "node-1", "pv");
    await scene.start();
    await scene.world.run(20 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
    expect(await scene.events()).toEqual([]);
  });

  interface Before {
    readonly isReported?: true;
    readonly isAttached?: true;
    readonly hasPod?: true;
  }
  test.each<[string, Before, readonly string[]]>([
    [
      "what was attached before is reported",
      { isAttached: true, hasPod: true },
      ["patch nodes/status node-1"],
    ],
    ["what was begun is waited for", { hasPod: true }, []],
    ["what was begun, and nobody needs, is detached", {}, ["delete volumeattachments pv on node-1"]],
    [
      "what was attached, and nobody needs, is detached",
      { isReported: true, isAttached: true },
      ["patch nodes/status node-1", "delete volumeattachments pv on node-1"],
    ],
    [
      "what nobody needs and no node reports is detached",
      { isAttached: true },
      ["delete volumeattachments pv on node-1"],
    ],
  ])("%s", async (_, { isReported, isAttached = false, hasPod }, writes) => {
    await scene.addNode("node-1", isReported ? inStatus("pv") : {});
    await scene.addAttachment("pv", "node-1", isAttached);
    if (hasPod) await scene.addPod("pod", "node-1", "pv");
    await scene.start();
    expect(scene.takeWrites()).toEqual(writes);
  });

  test("what a node reports, and nobody has attached, is attached anew", async () => {
    await scene.addNode("node-1", inStatus("pv"));
    await scene.addPod("pod", "node-1", "pv");
    await scene.start();
    expect(scene.takeWrites()).toContain("create volumeattachments pv on node-1");
    await scene.attached("pv", "node-1");
    expect(await scene.reported("node-1")).toEqual([uniqueName("pv")]);
  });

  test("what only somebody else can detach is left alone, and stays reported", async () => {
    const foreign = { name: "flexvolume-example/driver/disk", devicePath: "/dev/a" };
    await scene.addNode("node-1", { volumesAttached: [foreign] });
    await scene.start();
    await scene.world.run(20 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
    await scene.attached("pv", "node-1");
    const { status } = await scene.world.get<Node>(resources.nodes, "node-1");
    expect(status?.volumesAttached).toEqual([foreign, { name: uniqueName("pv"), devicePath: "" }]);
  });

  test("what is in use is not detached, though nobody needs it", async () => {
    await scene.addNode("node-1", { ...inStatus("pv"), volumesInUse: [uniqueName("pv")] });
    await scene.addAttachment("pv", "node-1", true);
    await scene.start();
    await scene.world.run(20 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
  });

  test("what is on a node that is gone is left alone for six minutes", async () => {
    await scene.addAttachment("pv", "node-1", true);
    await scene.start();
    await scene.world.run(5 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
    await scene.world.run(2 * MINUTE);
    expect(await scene.attachments()).toEqual([]);
  });

  test("a volume that may be on another node already waits until that is known", async () => {
    await scene.addNode("node-1");
    await scene.addNode("node-2");
    await scene.addAttachment("pv", "node-1", true);
    await scene.hold("pv", "node-1");
    await scene.addPod("pod", "node-2", "pv");
    await scene.start();
    await scene.world.run(MINUTE);
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    await scene.letGo("pv", "node-1");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-2"]);
  });

  test("a volume that may be on two nodes, which both need it, goes to one of them", async () => {
    for (const [node, pod] of [
      ["node-1", "pod-1"],
      ["node-2", "pod-2"],
    ] as const) {
      await scene.addNode(node);
      await scene.addAttachment("pv", node, false);
      await scene.addPod(pod, node, "pv");
    }
    await scene.start();
    await scene.attachedAll();
    await scene.world.run();
    const reports = [...(await scene.reported("node-1")), ...(await scene.reported("node-2"))];
    expect(reports).toEqual([uniqueName("pv")]);
  });

  test("a VolumeAttachment of a volume that is gone is left alone", async () => {
    await scene.addNode("node-1");
    await scene.addAttachment("other", "node-1", true);
    await scene.start();
    await scene.world.run(20 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
  });
});

// upstream: …/populator/desired_state_of_world_populator_test.go, attach_detach_controller_test.go#TestNodeAddDelete
describe("what is found out late", () => {
  test("the node is managed only from now on", async () => {
    await scene.addNode("node-1", {}, false);
    await scene.start();
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run(20 * MINUTE);
    expect(scene.takeWrites()).toEqual([]);
    await scene.world.client.clientFor(resources.nodes).delete({ name: "node-1" });
    await scene.addNode("node-1");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
  });

  test("the claim gets its volume after the pod has its node", async () => {
    await scene.addNode("node-1");
    await scene.start();
    await scene.addPod("pod", "node-1", "late");
    await scene.world.run();
    await scene.addVolume("late", RWO);
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["late on node-1"]);
  });

  test.each(["Pending", "Bound"])(
    "the volume comes when the claim is %s, and then it is bound",
    async (phase) => {
      await scene.addNode("node-1");
      await scene.start();
      await scene.addPod("pod", "node-1", "late");
      await scene.addClaim("late", RWO, phase);
      await scene.world.run();
      await scene.addVolumeOf("late", RWO);
      await scene.world.run();
      await scene.setClaim("late", "Bound");
      await scene.world.run();
      expect(await scene.attachments()).toEqual(["late on node-1"]);
    },
  );

  test("the pod gets its node after all else is there", async () => {
    await scene.addNode("node-1");
    await scene.start();
    await scene.addPod("pod", "", "pv");
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
    await scene.bind("pod", "node-1");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
  });

  test("the driver attaches only from now on, and then no longer", async () => {
    await scene.addNode("node-1");
    await scene.setDriver(false);
    await scene.start();
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
    await scene.setDriver(true);
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    await scene.setDriver(false);
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
  });

  test(`${DRIVER} is gone: one of which nothing is known attaches`, async () => {
    await scene.addNode("node-1");
    await scene.setDriver(false);
    await scene.start();
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.client.clientFor(resources.csiDrivers).delete({ name: DRIVER });
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
  });
});

// upstream: attach_detach_controller_test.go, …/cache/desired_state_of_world_test.go
describe("a pod lets go of its volume", () => {
  beforeEach(async () => {
    await scene.addNode("node-1");
    await scene.start();
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
    await scene.attached("pv", "node-1");
  });

  test.each(["Succeeded", "Failed"])("when it is %s", async (phase) => {
    await scene.setPod("pod", { phase });
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
  });

  test("when it is being deleted and none of its containers runs", async () => {
    await scene.setPod("pod", {
      phase: "Running",
      containerStatuses: [scene.container({ running: {} })],
    });
    await scene.world.delete(resources.pods, "pod");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    await scene.setPod("pod", {
      phase: "Running",
      containerStatuses: [scene.container({ terminated: { exitCode: 0 } })],
    });
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
  });

  test("but not when its claim, its volume and its node go before it", async () => {
    const { client } = scene.world;
    await client.clientFor(resources.persistentVolumeClaims).delete({ namespace: NAMESPACE, name: "pv" });
    await client.clientFor(resources.persistentVolumes).delete({ name: "pv" });
    await client.clientFor(resources.nodes).delete({ name: "node-1" });
    await scene.setPod("pod", { phase: "Running", message: "still here" });
    await scene.world.run(MINUTE);
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
  });

  test("for another pod that needs it, which keeps it", async () => {
    await scene.addPod("other", "node-1", "pv");
    await scene.world.run();
    await scene.removePod("pod");
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["pv on node-1"]);
    await scene.removePod("other");
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
  });
});

// upstream: …/statusupdater/node_status_updater_test.go, attach_detach_controller.go#nodeAdd
describe("a node that is attached to", () => {
  beforeEach(async () => {
    await scene.addNode("node-1");
    await scene.start();
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
    await scene.attached("pv", "node-1");
    scene.takeWrites();
  });

  test("and says so no more is told again", async () => {
    await scene.setNode("node-1", { volumesAttached: [] });
    await scene.world.run();
    expect(await scene.reported("node-1")).toEqual([uniqueName("pv")]);
  });

  test("and is made anew under its name is told again", async () => {
    await scene.world.client.clientFor(resources.nodes).delete({ name: "node-1" });
    await scene.world.run();
    await scene.addNode("node-1");
    await scene.world.run();
    expect(await scene.reported("node-1")).toEqual([uniqueName("pv")]);
    expect(scene.takeWrites()).toEqual(["patch nodes/status node-1"]);
  });

  test("and loses it to somebody else gets it back, if that is to be noticed", async () => {
    await scene.answer("pv", "node-1", { attached: false });
    await scene.world.run();
    await scene.attached("pv", "node-1");
    expect(await scene.reported("node-1")).toEqual([uniqueName("pv")]);
    expect(scene.takeWrites()).not.toEqual([]);
  });

  test("keeps what others have written to it, and the order of what it has", async () => {
    await scene.addVolume("second", RWO);
    await scene.addPod("other", "node-1", "second");
    await scene.world.run();
    await scene.attached("second", "node-1");
    expect(await scene.reported("node-1")).toEqual([uniqueName("pv"), uniqueName("second")]);
    await scene.removePod("pod");
    await scene.world.run();
    expect(await scene.reported("node-1")).toEqual([uniqueName("second")]);
  });
});

test("with --disable-attach-detach-reconcile-sync it is not noticed who else detaches", async () => {
  await scene.addNode("node-1");
  await scene.start({ isCompared: false });
  await scene.addPod("pod", "node-1", "pv");
  await scene.world.run();
  await scene.attached("pv", "node-1");
  scene.takeWrites();
  await scene.answer("pv", "node-1", { attached: false });
  await scene.world.run(20 * MINUTE);
  expect(scene.takeWrites()).toEqual([]);
});
