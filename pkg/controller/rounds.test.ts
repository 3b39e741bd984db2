import { afterEach, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { createMetrics } from "../metrics/registry.ts";
import type { WorkQueue } from "../workqueue/queue.ts";
import { wired } from "./kit.ts";

let world: ControllerWorld;
afterEach(async () => world.stop());

test("keys are ready for rounds when their time is up, and the queue ends with the controller", async () => {
  const metrics = createMetrics({ version: "1.36.4" }).main;
  world = await newWorld({ metrics });
  const ready: (string | undefined)[] = [];
  let keys: WorkQueue<string> | undefined;
  await world.start({
    name: "probe",
    clientName: "probe",
    build: wired((kit) => {
      keys = kit.timedKeys("probe_keys");
      keys.addAfter("a", 15_000);
      kit.every({ name: "rounds", periodMs: 10_000, round: async () => (ready.push(keys?.tryGet()), {}) });
    }),
  });
  await world.run(29_000);
  expect(ready).toEqual([undefined, undefined, "a", undefined]);
  expect(await metrics.expose()).toContain('workqueue_adds_total{name="probe_keys"} 1');
  expect(keys?.shuttingDown).toBe(false);
  await world.stop();
  expect(keys?.shuttingDown).toBe(true);
});

test("rounds that wait first begin a period after what they need is there", async () => {
  world = await newWorld();
  const startMs = world.clock.nowMs();
  const at: number[] = [];
  const needed = Promise.withResolvers<void>();
  await world.start({
    name: "probe",
    clientName: "probe",
    build: wired((kit) => {
      const round = async () => (at.push(kit.env.clock.nowMs() - startMs), {});
      const ready = async (): Promise<void> => needed.promise;
      kit.every({ name: "rounds", periodMs: 10_000, waitsFirst: true, ready, round });
    }),
  });
  await world.run(3_000);
  needed.resolve();
  await world.run(25_000);
  expect(at).toEqual([15_000, 25_000]);
});
