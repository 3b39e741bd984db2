import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { DeviceToleration } from "../../pkg/api/types/resource-v1.gen.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { claimed, DevicesInWorld, DRIVER, forPod, KEY } from "../../test/harness/devices-in-world.ts";
import { deviceTaintEvictionController } from "./controller.ts";

const PERIOD_MS = 10_000;
const FOR_A_WHILE: DeviceToleration = {
  key: KEY,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 60,
};

let world: ControllerWorld;
let it: DevicesInWorld;
async function begin(isOn: boolean): Promise<void> {
  world = await newWorld({
    features: { DRADeviceTaintRules: isOn },
    runtimeConfig: ["resource.k8s.io/v1beta2"],
  });
  it = new DevicesInWorld(world);
}
afterEach(async () => world.stop());

const start = async () => world.start(deviceTaintEvictionController({ workers: 8 }));

async function user(name: string, namespace = "default", tolerations: readonly DeviceToleration[] = []) {
  const pod = await it.pod({ name, namespace, claims: [claimed(`of-${name}`)] });
  await it.allocate({ name: `of-${name}`, namespace, reservedFor: [forPod(pod)], tolerations });
}

async function transition(name: string): Promise<string | undefined> {
  const { status } = await world.get(resources.deviceTaintRules, name);
  return status?.conditions?.[0]?.lastTransitionTime;
}

// upstream: pkg/controller/devicetainteviction/device_taint_eviction_test.go#TestController, #TestDeviceTaintRule
describe("a rule", () => {
  beforeEach(async () => {
    await begin(true);
    await world.create(resources.namespaces, { metadata: { name: "other" } });
  });

  test("says that it has nothing to do", async () => {
    await it.rule("rule");
    await start();
    await world.run();
    expect(await it.saysOf("rule")).toBe("False NotStarted: ");
    const { metadata, status } = await world.get(resources.deviceTaintRules, "rule");
    expect(status?.conditions?.[0]?.observedGeneration).toBe(metadata.generation);
    await world.run(600_000);
    expect(world.takeWrites()).toHaveLength(1);
  });

  test("says how many pods wait, and when they are gone", async () => {
    await user("web", "default", [FOR_A_WHILE]);
    await it.rule("rule");
    await start();
    await world.run();
    expect(await it.saysOf("rule")).toBe(
      "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.",
    );
    const first = await transition("rule");
    await world.run(60_000);
    expect(await it.left()).toEqual([]);
    expect(await transition("rule")).toBe(first);
    await world.run(PERIOD_MS);
    expect(await it.saysOf("rule")).toBe("False Completed: 1 pod evicted since starting the controller.");
  });

  test.each([
    ["default", "1 namespace"],
    ["other", "2 different namespaces"],
  ])("counts pods of %s", async (namespace, expected) => {
    await user("web", "default", [FOR_A_WHILE]);
    await user("second", namespace, [FOR_A_WHILE]);
    await it.rule("rule");
    await start();
    await world.run();
    expect(await it.saysOf("rule")).toBe(
      `True PodsPendingEviction: 2 pods need to be evicted in ${expected}.`,
    );
    await world.run(60_000 + PERIOD_MS);
    expect(await it.saysOf("rule")).toBe("False Completed: 2 pods evicted since starting the controller.");
  });

  test("tells of pods that come later, not more often than every ten seconds", async () => {
    await it.rule("rule");
    await start();
    await world.run();
    await user("web", "default", [FOR_A_WHILE]);
    await world.run(1_000);
    await user("second", "default", [FOR_A_WHILE]);
    await world.run(3_000);
    expect(await it.saysOf("rule")).toBe("False NotStarted: ");
    await world.run(PERIOD_MS);
    expect(await it.saysOf("rule")).toBe(
      "True PodsPendingEviction: 2 pods need to be evicted in 1 namespace.",
    );
  });

  test("is not told of again so soon by the next process", async () => {
    await it.rule("rule");
    await start();
    await world.run(1_000);
    await world.stop();
    await user("web", "default", [FOR_A_WHILE]);
    await start();
    await world.run(1_000);
    expect(await it.saysOf("rule")).toBe("False NotStarted: ");
    await world.run(PERIOD_MS);
    expect(await it.saysOf("rule")).toContain("True PodsPendingEviction");
  });

  test("says at once what it would do when it is about something else", async () => {
    await it.rule("rule", { driver: DRIVER }, { effect: "NoSchedule" });
    await start();
    await world.run(1_000);
    await world.update(resources.deviceTaintRules, "rule", (rule) => ({
      ...rule,
      spec: { ...rule.spec, taint: it.taint({ effect: "None" }) },
    }));
    await world.run(1_000);
    expect(await it.saysOf("rule")).toContain("False NoEffect: 0 published devices selected.");
  });

  test.each([
    ["2 published devices selected. 2 allocated devices selected. 2 pods", { driver: DRIVER }],
    ["1 published device selected. 1 allocated device selected. 1 pod", { device: "other" }],
    ["0 published devices selected. 0 allocated devices selected. 0 pods", { device: "nothing" }],
  ])("without an effect says what it would do: %s", async (expected, selector) => {
    await it.slice({ old: [], older: [] });
    await it.slice(
      { instance: [it.taint({ effect: "NoSchedule" })], other: [] },
      { name: "b", generation: 2 },
    );
    await user("web");
    const pod = await it.pod({ name: "second", claims: [claimed("two")] });
    await it.allocate({ name: "two", devices: ["other"], reservedFor: [forPod(pod)] });
    await it.rule("rule", selector, { effect: "None" });
    await start();
    await world.run();
    const namespaces = expected.startsWith("0") ? "0 different namespaces" : "1 namespace";
    expect(await it.saysOf("rule")).toBe(
      `False NoEffect: ${expected} would be evicted in ${namespaces} if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.`,
    );
    expect(await it.left()).toEqual(["second", "web"]);
  });

  test("that would evict nobody who tolerates it says so", async () => {
    await user("web", "default", [{ key: KEY, operator: "Exists", effect: "NoExecute" }]);
    await it.rule("rule", { driver: DRIVER }, { effect: "None" });
    await start();
    await world.run();
    expect(await it.saysOf("rule")).toContain("1 allocated device selected. 0 pods would be evicted");
  });

  test("with another effect says that it evicts nobody, and evicts when it has that effect", async () => {
    await user("web");
    await it.rule("rule", { driver: DRIVER }, { effect: "NoSchedule" });
    await start();
    await world.run();
    expect(await it.saysOf("rule")).toBe(
      "False OtherEffect: Eviction only happens for the NoExecute effect.",
    );
    await world.update(resources.deviceTaintRules, "rule", (rule) => ({
      ...rule,
      spec: { ...rule.spec, taint: it.taint() },
    }));
    expect(await it.left()).toEqual([]);
    await world.run(2 * PERIOD_MS);
    expect(await it.saysOf("rule")).toBe("False Completed: 1 pod evicted since starting the controller.");
  });

  test("and another one evict a pod once, and both tell of it", async () => {
    await user("web", "default", [FOR_A_WHILE]);
    await it.rule("one");
    await it.rule("two", { device: "instance" });
    await start();
    await world.run(60_000 + 2 * PERIOD_MS);
    for (const name of ["one", "two"])
      expect(await it.saysOf(name)).toBe("False Completed: 1 pod evicted since starting the controller.");
    expect(await world.events()).toEqual(["DeviceTaintManagerEviction Marking for deletion"]);
  });

  test("that takes the name of another has evicted nobody", async () => {
    await user("web");
    await it.rule("rule");
    await start();
    await world.run(2 * PERIOD_MS);
    await world.delete(resources.deviceTaintRules, "rule");
    await it.rule("rule");
    await world.run(2 * PERIOD_MS);
    expect(await it.saysOf("rule")).toBe("False NotStarted: ");
  });
});

test("where rules are off they are not looked at", async () => {
  await begin(false);
  await user("web");
  await it.rule("rule");
  await start();
  await world.run(60_000);
  expect([await it.left(), world.takeWrites()]).toEqual([["web"], []]);
});
