import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import { wired } from "../../pkg/controller/kit.ts";
import { type ControllerWorld, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { JobInWorld } from "../../test/harness/job-in-world.ts";
import type { JobContext } from "./context.ts";
import { jobController, setUp } from "./controller.ts";
import { TRACKING_FINALIZER } from "./job-pods.ts";

let world: ControllerWorld;
let jobs: JobInWorld;
beforeEach(async () => {
  world = await newWorld();
  jobs = new JobInWorld(world);
});
afterEach(async () => world.stop());

interface Started extends JobContext {
  readonly consistency: ConsistencyStore;
}

/** Starts the controller, and gives what its syncs work with. */
async function start(): Promise<Started> {
  const settings = { workers: 1 };
  let started: Started | undefined;
  await world.start({
    ...jobController(settings),
    build: wired((kit) => void (started = { ...setUp(kit, settings), consistency: kit.consistency })),
  });
  if (started === undefined) throw new Error("the controller was not built");
  return started;
}

function kept({ owned, finalizers, backoffs, finished, consistency }: Started, job: Job): object {
  return {
    settled: owned.settled(asStored(job)),
    finalizers: finalizers.awaited(job).size,
    backoffs: backoffs.size,
    finished: finished.size,
    writes: consistency.size,
  };
}

// upstream: pkg/controller/job/job_controller_test.go#TestSyncJobDeleted
test("of a Job that is gone nothing is kept", async () => {
  const context = await start();
  world.server.parts.faults.holdWatches({ resource: "pods" });
  await jobs.create({ parallelism: 2, completions: 2 });
  await world.run(5_000);
  const job = await jobs.job();
  context.finalizers.expectRemoval(job, ["a"]);
  context.backoffs.set(job, { failuresSinceSuccess: 1, lastFailureMs: 0 });
  context.finished.set(job, true);
  expect(kept(context, job)).toEqual({ settled: false, finalizers: 1, backoffs: 1, finished: 1, writes: 1 });
  await world.client
    .clientFor(resources.jobs)
    .delete({ namespace: NAMESPACE, name: "job" }, { propagationPolicy: "Background" });
  await world.run(5_000);
  expect(kept(context, job)).toEqual({ settled: true, finalizers: 0, backoffs: 0, finished: 0, writes: 0 });
});

test("a pod that has taken the name of one that is counted keeps its finalizer", async () => {
  await start();
  await jobs.create({ completions: 1 });
  await world.run(5_000);
  const [pod] = await jobs.pods();
  const name = pod?.metadata.name ?? "";
  const owner = { apiVersion: "example.com/v1", kind: "Batch", name: "other", uid: "uid of the other" };
  const stranger: Pod = {
    metadata: {
      name,
      finalizers: [TRACKING_FINALIZER],
      ownerReferences: [{ ...owner, controller: true }],
    },
    spec: { containers: [{ name: "c", image: "image" }] },
  };
  await jobs.end("Succeeded", 1);
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "pods", name },
    action: {
      kind: "interfere",
      run: async () => {
        const { metadata, ...rest } = await world.get<Pod>(resources.pods, name);
        await world.update<Pod>(resources.pods, name, () => ({
          ...rest,
          metadata: { ...metadata, finalizers: [] },
        }));
        await world.delete(resources.pods, name);
        await world.create<Pod>(resources.pods, stranger);
      },
    },
    times: 1,
  });
  await world.run(60_000);
  expect(await jobs.conditions()).toBe("SuccessCriteriaMet Complete");
  expect(await jobs.counts()).toBe("0 0 1 0 0");
  const [now, ...others] = await jobs.pods();
  expect(others).toEqual([]);
  expect(now?.metadata.uid).not.toBe(pod?.metadata.uid);
  expect(now?.metadata.finalizers).toEqual([TRACKING_FINALIZER]);
});
