import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { ttlAfterFinishedController } from "./controller.ts";

const controller = ttlAfterFinishedController({ workers: 1 });

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

describe("a finished Job", () => {
  test("goes when its time is over, with all it owns, and not another of its name", async () => {
    const { uid } = (await finishedJob(10)).metadata;
    await world.start(controller);
    await world.run(5_000);
    expect(world.takeWrites()).toEqual([]);
    await world.run(10_000);
    const [deletion] = world.takeWrites();
    expect(deletion?.body).toMatchObject({ propagationPolicy: "Foreground", preconditions: { uid } });
  });

  test("stays when it has no time to live, and goes when it is given one", async () => {
    await finishedJob(undefined);
    await world.start(controller);
    await world.run(100_000);
    expect(world.takeWrites()).toEqual([]);
    await setTtl(0);
    await world.run();
    expect(linesOf()).toEqual(["delete jobs job"]);
  });

  test("stays when its time was prolonged and only the server knows of it", async () => {
    await finishedJob(10);
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "jobs" });
    await setTtl(60);
    await world.run(20_000);
    expect(world.takeWrites()).toEqual([]);
    release();
    await world.run(60_000);
    expect(linesOf()).toEqual(["delete jobs job"]);
  });

  test("goes at the right time though another Job of its name was deleted before", async () => {
    await finishedJob(10);
    await world.start(controller);
    await world.client
      .clientFor(resources.jobs)
      .delete({ namespace: NAMESPACE, name: "job" }, { propagationPolicy: "Background" });
    await world.run(5_000);
    world.takeWrites();
    await finishedJob(10);
    await world.run(8_000);
    expect(linesOf()).toEqual([]);
    await world.run(5_000);
    expect(linesOf()).toEqual(["delete jobs job"]);
  });

  test("is tried again when it could not be deleted", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "delete", resource: "jobs" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await finishedJob(0);
    await world.start(controller);
    repair();
    await world.run(60_000);
    expect(linesOf().length).toBeGreaterThan(1);
    expect((await world.get(resources.jobs, "job")).metadata.deletionTimestamp).toBeDefined();
  });
});

async function finishedJob(ttl: number | undefined): Promise<Job> {
  const at = formatTime(world.clock.nowMs());
  const created = await world.create<Job>(resources.jobs, {
    metadata: { name: "job" },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "image" }] } },
      ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }),
    },
  });
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    type,
    status: "True",
    lastProbeTime: at,
    lastTransitionTime: at,
  }));
  const status = { conditions, startTime: at, completionTime: at, succeeded: 1 };
  return world.client.clientFor<Job>(resources.jobs).updateStatus({ ...created, status });
}

async function setTtl(seconds: number): Promise<void> {
  await world.update<Job>(resources.jobs, "job", (job) => ({
    ...job,
    spec: { template: {}, ...job.spec, ttlSecondsAfterFinished: seconds },
  }));
}

function linesOf(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
