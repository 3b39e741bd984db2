import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { jobController } from "./controller.ts";
import { hasFinalizer, indexOf } from "./job-pods.ts";
import { JobInWorld } from "../../test/harness/job-in-world.ts";

const controller = jobController({ workers: 2 });

let world: ControllerWorld;
let jobs: JobInWorld;
beforeEach(async () => {
  world = await newWorld();
  jobs = new JobInWorld(world);
  await world.start(controller);
});
afterEach(async () => world.stop());

test("a Job runs as many pods as it may at a time, and ends when all have succeeded", async () => {
  await jobs.create({ parallelism: 2, completions: 5 });
  await world.run();
  expect(await jobs.active()).toHaveLength(2);
  expect((await jobs.pods()).every(hasFinalizer)).toBe(true);
  expect(await jobs.counts()).toBe("2 0 0 0 0");
  for (const [round, succeeded] of [2, 4].entries()) {
    await jobs.end("Succeeded", 2);
    await world.run(5_000);
    expect(await jobs.counts()).toBe(`${round === 0 ? 2 : 1} 0 ${succeeded} 0 0`);
  }
  await jobs.end("Succeeded", 1);
  await world.run(5_000);
  expect(await jobs.counts()).toBe("0 0 5 0 0");
  expect(await jobs.conditions()).toBe("SuccessCriteriaMet Complete");
  expect((await jobs.pods()).some(hasFinalizer)).toBe(false);
  const { status } = await jobs.job();
  expect(status?.completionTime).toBeDefined();
  expect(status?.uncountedTerminatedPods).toEqual({});
  expect((await world.events()).at(-1)).toBe("Completed Job completed");
});

test("a settled Job is not written, running or finished", async () => {
  await jobs.create({ parallelism: 1, completions: 1 });
  await world.run(10_000);
  world.takeWrites();
  await world.run(600_000);
  expect(world.takeWrites()).toEqual([]);
  await jobs.end("Succeeded", 1);
  await world.run(10_000);
  world.takeWrites();
  await world.stop();
  await world.start(controller);
  await world.run(600_000);
  expect(world.takeWrites()).toEqual([]);
});

test("without a number of completions one success is enough, and the others may end", async () => {
  await jobs.create({ parallelism: 3 });
  await world.run();
  expect(await jobs.active()).toHaveLength(3);
  await jobs.end("Succeeded", 1);
  await world.run(5_000);
  expect(await jobs.counts()).toBe("2 0 1 0 0");
  await jobs.end("Succeeded", 2);
  await world.run(5_000);
  expect(await jobs.conditions()).toBe("SuccessCriteriaMet Complete");
});

describe("failures", () => {
  test("are replaced after ever longer times, and end the Job at the limit", async () => {
    await jobs.create({ parallelism: 1, completions: 1, backoffLimit: 2 });
    await world.run();
    await jobs.end("Failed", 1);
    await world.run(8_000);
    expect(await jobs.counts()).toBe("0 0 0 1 0");
    await world.run(5_000);
    expect(await jobs.counts()).toBe("1 0 0 1 0");
    await jobs.end("Failed", 1);
    await world.run(17_000);
    expect(await jobs.counts()).toBe("0 0 0 2 0");
    await world.run(6_000);
    expect(await jobs.counts()).toBe("1 0 0 2 0");
    await jobs.end("Failed", 1);
    await world.run(5_000);
    expect(await jobs.counts()).toBe("0 0 0 3 0");
    expect(await jobs.conditions()).toBe("FailureTarget Failed");
    expect((await world.events()).at(-1)).toBe(
      "BackoffLimitExceeded Job has reached the specified backoff limit",
    );
  });

  test("end what still runs, and count it", async () => {
    await jobs.create({ parallelism: 3, completions: 3, backoffLimit: 0 });
    await world.run();
    await jobs.end("Failed", 1);
    await world.run(5_000);
    await jobs.endDeleted();
    await world.run(5_000);
    expect(await jobs.counts()).toBe("0 0 0 3 0");
    expect(await jobs.conditions()).toBe("FailureTarget Failed");
  });

  // kubernetes/kubernetes#139457: upstream said that no pod was active while one was waited for.
  test("leave the others active while a pod in its place has to wait", async () => {
    await jobs.create({ parallelism: 3, completions: 3 });
    await world.run(1_000);
    await jobs.end("Failed", 1);
    await world.run(5_000);
    expect(await jobs.counts()).toBe("2 0 0 1 0");
    await world.run(10_000);
    expect(await jobs.counts()).toBe("3 0 0 1 0");
  });

  test("by time end the Job", async () => {
    await jobs.create({ parallelism: 1, completions: 1, activeDeadlineSeconds: 30 });
    await world.run(29_000);
    expect(await jobs.conditions()).toBe("");
    await world.run(3_000);
    await jobs.endDeleted();
    await world.run(3_000);
    expect(await jobs.conditions()).toBe("FailureTarget Failed");
    expect((await jobs.job()).status?.conditions?.[0]?.reason).toBe("DeadlineExceeded");
  });

  test("that a policy ignores do not count, and those that it does not forgive end the Job", async () => {
    await jobs.create({
      parallelism: 1,
      completions: 1,
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [
          { action: "Ignore", onExitCodes: { operator: "In", values: [5] } },
          { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
        ],
      },
    });
    await world.run();
    await jobs.end("Failed", 1, 5);
    await world.run(15_000);
    expect(await jobs.counts()).toBe("1 0 0 0 0");
    const [pod] = await jobs.active();
    await jobs.end("Failed", 1, 42);
    await world.run(15_000);
    expect(await jobs.conditions()).toBe("FailureTarget Failed");
    expect((await jobs.job()).status?.conditions?.[1]).toMatchObject({
      reason: "PodFailurePolicy",
      message:
        `Container c for pod ${NAMESPACE}/${pod?.metadata.name} failed with exit code 42 ` +
        "matching FailJob rule at index 1",
    });
  });
});

describe("indexes", () => {
  test("are given to pods, each once until it has succeeded", async () => {
    await jobs.create({ completionMode: "Indexed", parallelism: 2, completions: 4 });
    await world.run();
    const pods = await jobs.active();
    expect(pods.map(indexOf)).toEqual([0, 1]);
    const [first] = pods;
    expect(first?.metadata.name).toMatch(/^job-0-[a-z0-9]{5}$/);
    expect(first?.spec?.hostname).toBe("job-0");
    expect(first?.metadata.labels?.["batch.kubernetes.io/job-completion-index"]).toBe("0");
    expect(first?.spec?.containers[0]?.env?.map(({ name }) => name)).toEqual(["JOB_COMPLETION_INDEX"]);
    await jobs.end("Succeeded", [1]);
    await world.run(5_000);
    expect((await jobs.active()).map(indexOf)).toEqual([0, 2]);
    expect((await jobs.job()).status).toMatchObject({ completedIndexes: "1", succeeded: 1, active: 2 });
    await jobs.end("Succeeded", [0, 2]);
    await world.run(5_000);
    await jobs.end("Succeeded", [3]);
    await world.run(5_000);
    expect((await jobs.job()).status).toMatchObject({ completedIndexes: "0-3", succeeded: 4 });
    expect(await jobs.conditions()).toBe("SuccessCriteriaMet Complete");
  });

  test("fail one by one at their limit, and the Job when all are done", async () => {
    await jobs.create({
      completionMode: "Indexed",
      parallelism: 2,
      completions: 2,
      backoffLimitPerIndex: 1,
    });
    await world.run();
    await jobs.end("Failed", [0]);
    await world.run(15_000);
    const again = (await jobs.active()).find((pod) => indexOf(pod) === 0);
    expect(again?.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"]).toBe("1");
    await jobs.end("Failed", [0]);
    await world.run(5_000);
    expect((await jobs.job()).status).toMatchObject({ failedIndexes: "0", failed: 2 });
    await jobs.end("Succeeded", [1]);
    await world.run(5_000);
    expect(await jobs.conditions()).toBe("FailureTarget Failed");
    expect((await jobs.job()).status?.conditions?.[1]?.reason).toBe("FailedIndexes");
    expect((await jobs.pods()).some(hasFinalizer)).toBe(false);
  });

  test("that a success policy names are enough", async () => {
    await jobs.create({
      completionMode: "Indexed",
      parallelism: 3,
      completions: 3,
      successPolicy: { rules: [{ succeededIndexes: "1" }] },
    });
    await world.run();
    await jobs.end("Succeeded", [1]);
    await world.run(3_000);
    expect(await jobs.conditions()).toBe("SuccessCriteriaMet");
    await jobs.endDeleted();
    await world.run(3_000);
    expect(await jobs.conditions()).toBe("SuccessCriteriaMet Complete");
    expect((await jobs.job()).status).toMatchObject({ completedIndexes: "1", succeeded: 1 });
    expect((await jobs.job()).status?.failed ?? 0).toBe(0);
  });

  test("may become more and fewer", async () => {
    await jobs.create({ completionMode: "Indexed", parallelism: 3, completions: 3 });
    await world.run();
    await jobs.end("Succeeded", [2]);
    await world.run(5_000);
    await jobs.change({ parallelism: 1, completions: 1 });
    await world.run(5_000);
    expect((await jobs.active()).map(indexOf)).toEqual([0]);
    expect((await jobs.job()).status?.completedIndexes ?? "").toBe("");
    await jobs.change({ parallelism: 4, completions: 4 });
    await world.run(5_000);
    expect(new Set((await jobs.active()).map(indexOf))).toEqual(new Set([0, 1, 2, 3]));
  });
});

test("a Job that is suspended runs nothing, and starts its time anew when it goes on", async () => {
  await jobs.create({ parallelism: 2, completions: 2 });
  await world.run();
  const before = (await jobs.job()).status?.startTime;
  await jobs.change({ suspend: true });
  await world.run(5_000);
  expect(await jobs.active()).toEqual([]);
  expect(await jobs.conditions()).toBe("Suspended");
  expect((await jobs.job()).status?.startTime).toBeUndefined();
  expect((await jobs.job()).status?.failed ?? 0).toBe(0);
  await jobs.change({ suspend: false });
  await world.run(5_000);
  expect(await jobs.active()).toHaveLength(2);
  expect(await jobs.conditions()).toBe("!Suspended");
  expect((await jobs.job()).status?.startTime).not.toBe(before);
  const events = (await world.events()).filter((event) => / Job /.test(event));
  expect(events).toEqual(["Suspended Job suspended", "Resumed Job resumed"]);
});

test("pods that must fail first are not replaced while they are being deleted", async () => {
  await jobs.create({ parallelism: 1, completions: 1, podReplacementPolicy: "Failed" });
  await world.run();
  const [pod] = await jobs.active();
  await world.client.clientFor<Pod>(resources.pods).patch(
    { namespace: NAMESPACE, name: pod?.metadata.name ?? "" },
    {
      type: "merge",
      body: { metadata: { finalizers: ["x.io/hold", ...(pod?.metadata.finalizers ?? [])] } },
    },
  );
  await world.delete(resources.pods, pod?.metadata.name ?? "");
  await world.run(20_000);
  expect(await jobs.counts()).toBe("0 0 0 0 1");
  expect(await jobs.pods()).toHaveLength(1);
});

test("a Job of another controller is left alone", async () => {
  await jobs.create({ parallelism: 1, managedBy: "example.com/other" });
  await world.run(10_000);
  expect(world.takeWrites()).toEqual([]);
});

describe("pods without a Job", () => {
  test("are adopted when they match, and count", async () => {
    await jobs.create({ parallelism: 1 });
    await world.run(5_000);
    const selector = (await jobs.job()).spec?.selector?.matchLabels ?? {};
    await world.create<Pod>(resources.pods, {
      metadata: { name: "found", labels: selector },
      spec: { restartPolicy: "Never", nodeName: "node", containers: [{ name: "c", image: "image" }] },
    });
    // Of the two it has got further, and stays.
    await world.markPod("found", "running");
    await world.run(5_000);
    expect((await jobs.active()).map(({ metadata }) => metadata.name)).toEqual(["found"]);
    const pod = await world.get<Pod>(resources.pods, "found");
    expect(hasFinalizer(pod)).toBe(true);
    expect(pod.metadata.ownerReferences?.[0]?.name).toBe("job");
  });

  test("lose their finalizer, those of a deleted Job as well", async () => {
    await world.create<Pod>(resources.pods, {
      metadata: { name: "orphan", finalizers: ["batch.kubernetes.io/job-tracking"] },
      spec: { containers: [{ name: "c", image: "image" }] },
    });
    await jobs.create({ parallelism: 2, completions: 2 });
    await world.run();
    await world.client
      .clientFor(resources.jobs)
      .delete({ namespace: NAMESPACE, name: "job" }, { propagationPolicy: "Background" });
    await world.run(5_000);
    expect((await jobs.pods()).some(hasFinalizer)).toBe(false);
  });
});

describe("counting", () => {
  test("is exact when a controller dies after each of its writes", async () => {
    await jobs.create({ parallelism: 3, completions: 3 });
    await world.run(5_000);
    await world.stop();
    await jobs.end("Succeeded", 2);
    await jobs.end("Failed", 1);
    for (const target of [
      { verb: "update", resource: "jobs", subresource: "status" },
      { verb: "patch", resource: "pods" },
    ] as const) {
      for (const after of [false, true]) {
        const repair = world.server.parts.faults.add({
          target,
          action: { kind: "status", when: after ? "after" : "before", error: internal("lost") },
        });
        await world.start(controller);
        await world.run(1_500);
        await world.stop();
        repair();
      }
    }
    await world.start(controller);
    await world.run(30_000);
    expect(await jobs.counts()).toBe("1 0 2 1 0");
    await jobs.end("Succeeded", 1);
    await world.run(5_000);
    expect(await jobs.counts()).toBe("0 0 3 1 0");
    expect((await jobs.pods()).some(hasFinalizer)).toBe(false);
  });

  test("goes on in the next sync when one finalizer cannot be taken off", async () => {
    await jobs.create({ parallelism: 3, completions: 3 });
    await world.run(5_000);
    const [held] = await jobs.active();
    await jobs.end("Succeeded", 3);
    const repair = world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods", name: held?.metadata.name ?? "" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.run(5_000);
    const { status } = await jobs.job();
    expect(status).toMatchObject({
      succeeded: 2,
      uncountedTerminatedPods: { succeeded: [held?.metadata.uid] },
    });
    repair();
    await world.run(70_000);
    expect(await jobs.counts()).toBe("0 0 3 0 0");
    expect(await jobs.conditions()).toBe("SuccessCriteriaMet Complete");
  });

  test("takes few writes, however the pods end", async () => {
    await jobs.create({ parallelism: 50, completions: 50 });
    await world.run(5_000);
    world.takeWrites();
    await jobs.end("Succeeded", 50);
    await world.run(5_000);
    const lines = world.takeWrites().map(lineOf);
    expect(lines.filter((line) => line === "update jobs/status job").length).toBeLessThanOrEqual(3);
    expect(lines.filter((line) => line.startsWith("patch pods"))).toHaveLength(50);
    expect(await jobs.counts()).toBe("0 0 50 0 0");
  });

  test("of more pods than one sync counts goes on", async () => {
    await jobs.create({ parallelism: 600, completions: 600 });
    await world.run(10_000);
    await jobs.end("Succeeded", 600);
    await world.run(10_000);
    expect(await jobs.counts()).toBe("0 0 600 0 0");
    expect(await jobs.conditions()).toBe("SuccessCriteriaMet Complete");
  });
});
