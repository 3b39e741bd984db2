import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { CSIDriver } from "../../pkg/api/types/storage-v1.gen.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { CachedClaim, CachedDriver } from "./fields.ts";
import { claimRule, driverRule } from "./handlers.ts";
import { RWO, Scene } from "./scene.test-data.ts";

describe("in a cluster", () => {
  const { main: metrics } = createMetrics({ version: "1.36.4" });
  let scene: Scene;
  beforeEach(async () => {
    metrics.reset();
    scene = await Scene.make({ metrics });
    await scene.addNode("node-1");
  });
  afterEach(async () => scene.world.stop());

  test("a server that goes away is no failure of a detachment, which is tried again at once", async () => {
    await scene.addVolume("pv", RWO);
    await scene.start();
    await scene.addPod("pod", "node-1", "pv");
    await scene.world.run();
    await scene.attached("pv", "node-1");
    scene.world.server.parts.faults.add({
      target: { verb: "delete", resource: "volumeattachments" },
      action: { kind: "disconnect", when: "refused" },
      times: 1,
    });
    await scene.removePod("pod");
    await scene.world.run(2_000);
    expect(await scene.attachments()).toEqual([]);
    const text = await metrics.expose();
    expect(text).toContain('operation_name="volume_detach",status="success"');
    expect(text).not.toContain("fail-unknown");
  });

  test("a volume that stands in the pod itself follows its driver, too", async () => {
    const driver = "ebs.csi.aws.com";
    const drivers = scene.world.client.clientFor<CSIDriver>(resources.csiDrivers);
    await drivers.create({ metadata: { name: driver }, spec: { attachRequired: false } });
    await scene.start();
    await scene.addPodWith("pod", "node-1", [
      { name: "inline", awsElasticBlockStore: { volumeID: "vol-1" } },
    ]);
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
    await drivers.delete({ name: driver });
    await scene.world.run();
    expect(await scene.attachments()).toEqual(["inline on node-1"]);
    await drivers.create({ metadata: { name: driver }, spec: { attachRequired: false } });
    await scene.world.run();
    expect(await scene.attachments()).toEqual([]);
  });
});

describe("what wakes nobody", () => {
  const claim = (volumeName: string, resourceVersion: string) =>
    asStored<CachedClaim>({
      metadata: { name: "data", namespace: "default", uid: "u", resourceVersion },
      spec: { volumeName },
      status: { phase: "Bound" },
    });

  test.each([
    ["a claim of which something else has changed", "a", "a", false, []],
    ["unless it is told again", "a", "a", true, ["default/data"]],
    ["and not a claim that has another volume", "a", "b", false, ["default/data"]],
  ])("%s", (...[, before, after, resync, expected]) => {
    const [one, other] = [claim(before, "1"), claim(after, "2")];
    const change: Change<CachedClaim> = { type: "updated", before: one, object: other, resync };
    expect(woken((wake) => claimRule(change, wake))).toEqual(expected);
  });

  const driver = (attachRequired: boolean | undefined) =>
    asStored<CachedDriver>({
      metadata: { name: "driver", uid: "u" },
      spec: attachRequired === undefined ? {} : { attachRequired },
    });

  test.each([
    ["a driver that attaches as before", undefined, true, false, []],
    ["unless it is told again", true, true, true, ["driver"]],
    ["and not one that attaches no longer", true, false, false, ["driver"]],
    ["and not one that attaches from now on", false, undefined, false, ["driver"]],
  ])("%s", (...[, before, after, resync, expected]) => {
    const change: Change<CachedDriver> = {
      type: "updated",
      before: driver(before),
      object: driver(after),
      resync,
    };
    expect(woken((wake) => driverRule(change, wake))).toEqual(expected);
  });

  function woken(rule: (wake: (key: string) => void) => void): readonly string[] {
    const keys: string[] = [];
    rule((key) => keys.push(key));
    return keys;
  }
});
