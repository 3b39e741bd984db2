import { expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { type Random, randomBelow, seededRandom } from "../../pkg/clock/random.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { JobInWorld } from "../../test/harness/job-in-world.ts";
import { jobController } from "./controller.ts";
import { hasFinalizer } from "./job-pods.ts";

/** 500 each were tried when this was written. */
const SEEDS = 12;
const COMPLETIONS = 8;

test.each([false, true])(
  `whatever fails in between, each pod counts once (indexed: %s, ${SEEDS} seeds)`,
  async (indexed) => {
    for (let seed = 1; seed <= SEEDS; seed++) await live(seed, indexed);
  },
);

/** A Job whose pods end at random, while controllers die, caches stand still and writes are lost. */
async function live(seed: number, indexed: boolean): Promise<void> {
  const random = seededRandom(seed);
  const world = await newWorld({ seed });
  const jobs = new JobInWorld(world);
  await jobs.create({
    parallelism: 1 + randomBelow(random, 4),
    completions: COMPLETIONS,
    backoffLimit: 1_000,
    ...(indexed && { completionMode: "Indexed" }),
  });
  await world.start(jobController({ workers: 2 }));
  const ended = { Succeeded: 0, Failed: 0 };
  for (let step = 0; step < 60 && (await jobs.conditions()) === ""; step++) {
    await disturb(world, random);
    const active = await jobs.active();
    if (active.length > 0 && random.next() < 0.7) {
      const phase = random.next() < 0.6 ? "Succeeded" : "Failed";
      await jobs.end(phase, 1);
      ended[phase]++;
    }
    await world.run(randomBelow(random, 4_000));
  }
  await world.run(20 * 60_000);
  for (let left = await jobs.active(); left.length > 0; left = await jobs.active()) {
    await jobs.end("Succeeded", left.length);
    ended.Succeeded += left.length;
    await world.run(20 * 60_000);
  }
  const { status } = await jobs.job();
  const told = { Succeeded: status?.succeeded ?? 0, Failed: status?.failed ?? 0 };
  expect(told, `seed ${seed}`).toEqual(ended);
  expect(status?.succeeded, `seed ${seed}`).toBe(COMPLETIONS);
  expect(status?.uncountedTerminatedPods, `seed ${seed}`).toEqual({});
  expect(await jobs.conditions(), `seed ${seed}`).toBe("SuccessCriteriaMet Complete");
  expect((await jobs.pods()).some(hasFinalizer), `seed ${seed}`).toBe(false);
  await world.stop();
}

/** For a while: a write is refused or its answer lost, a cache hears nothing, or the controller is another. */
async function disturb(world: ControllerWorld, random: Random): Promise<void> {
  const { faults } = world.server.parts;
  const target = [
    { verb: "update", resource: "jobs", subresource: "status" },
    { verb: "patch", resource: "pods" },
    { verb: "create", resource: "pods" },
  ] as const;
  switch (randomBelow(random, 6)) {
    case 0:
    case 1: {
      const repair = faults.add({
        target: target[randomBelow(random, target.length)] ?? target[0],
        times: 1 + randomBelow(random, 3),
        action: { kind: "status", when: random.next() < 0.5 ? "before" : "after", error: internal("lost") },
      });
      await world.run(randomBelow(random, 3_000));
      repair();
      break;
    }
    case 2: {
      const release = faults.holdWatches({ resource: random.next() < 0.5 ? "pods" : "jobs" });
      await world.run(randomBelow(random, 5_000));
      release();
      break;
    }
    case 3:
      await world.stop();
      await world.start(jobController({ workers: 2 }));
      break;
    default:
      expect(await world.list(resources.jobs)).toHaveLength(1);
  }
}
