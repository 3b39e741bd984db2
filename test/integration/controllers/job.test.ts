import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import { jobController } from "../../../controllers/job/controller.ts";
import { hasFinalizer } from "../../../controllers/job/job-pods.ts";
import { newControllerRef } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Job, SuccessPolicyRule } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { HurriedClock } from "../../harness/hurried-clock.ts";
import { conditionsOf, JobSpace } from "./job-space.ts";

/** A second between two looks at a Job becomes 50 ms. */
const HURRY = 20;
const COMPLETED = "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached";

// Names of upstream's functions (test/integration/job/job_test.go) stand in front of each case.
describe.each(clusterKinds)("the Job controller on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let jobs: JobSpace;
  const run = (): void =>
    cluster.run([jobController({ workers: 5 })], { clock: new HurriedClock(realClock, HURRY) });
  beforeAll(async () => {
    cluster = await start();
  });
  beforeEach(async () => {
    jobs = new JobSpace(await cluster.space());
    run();
  });
  afterEach(async () => {
    const refused = cluster
      .writesTo(jobs.space)
      .filter(({ status }) => status >= 400 && ![404, 409].includes(status));
    await cluster.stopControllers();
    expect(refused).toEqual([]);
  });
  afterAll(async () => cluster.stop());

  test("NonParallelJob: one pod at a time, also across a restart of the controller", async () => {
    await jobs.create();
    await jobs.untilCounts("1 0 0");
    await cluster.stopControllers();
    run();
    await jobs.end("Failed", 1);
    await jobs.untilCounts("1 0 1");
    await cluster.stopControllers();
    run();
    await jobs.end("Succeeded", 1);
    expect(conditionsOf(await jobs.until("Complete"))).toBe(COMPLETED);
    await jobs.untilCounts("0 1 1");
    await jobs.untilReleased();
  });

  test("ParallelJob: failures are replaced, and after a success the others may end", async () => {
    await jobs.create({ parallelism: 5 });
    await jobs.untilCounts("5 0 0");
    await jobs.end("Failed", 2);
    await jobs.untilCounts("5 0 2");
    await jobs.end("Succeeded", 1);
    await jobs.untilCounts("4 1 2");
    await jobs.end("Failed", 2);
    await jobs.untilCounts("2 1 4");
    await jobs.end("Succeeded", 2);
    await jobs.until("Complete");
    await jobs.untilCounts("0 3 4");
    await jobs.untilReleased();
  });

  test("ParallelJobChangingParallelism", async () => {
    await jobs.create({ parallelism: 1, completions: 5 });
    await jobs.untilCounts("1 0 0");
    await jobs.change({ parallelism: 4 });
    await jobs.untilCounts("4 0 0");
    await jobs.change({ parallelism: 2 });
    await jobs.untilCounts("2 0 0");
    await jobs.change({ parallelism: 0 });
    await jobs.untilCounts("0 0 0");
    await jobs.untilReleased();
  });

  test("ParallelJobWithCompletions", async () => {
    await jobs.create({ parallelism: 4, completions: 6 });
    await jobs.untilCounts("4 0 0");
    await jobs.end("Failed", 2);
    await jobs.untilCounts("4 0 2");
    await jobs.end("Succeeded", 3);
    await jobs.untilCounts("3 3 2");
    await jobs.end("Succeeded", 3);
    await jobs.until("Complete");
    await jobs.untilCounts("0 6 2");
    await jobs.untilReleased();
  });

  test("IndexedJob", async () => {
    await jobs.create({ completionMode: "Indexed", parallelism: 3, completions: 4 });
    await jobs.untilIndexes("0 1 2", "");
    await jobs.end("Succeeded", [1]);
    await jobs.untilIndexes("0 2 3", "1");
    await jobs.end("Failed", [2]);
    await jobs.untilIndexes("0 2 3", "1");
    await jobs.end("Succeeded", [0, 2, 3]);
    await jobs.until("Complete");
    await jobs.untilIndexes("", "0-3");
    await jobs.untilCounts("0 4 1");
    await jobs.untilReleased();
  });

  test("ElasticIndexedJob: grows and shrinks", async () => {
    await jobs.create({ completionMode: "Indexed", parallelism: 3, completions: 3 });
    await jobs.untilIndexes("0 1 2", "");
    await jobs.change({ parallelism: 5, completions: 5 });
    await jobs.untilIndexes("0 1 2 3 4", "");
    await jobs.end("Succeeded", [1, 4]);
    await jobs.untilIndexes("0 2 3", "1,4");
    await jobs.change({ parallelism: 3, completions: 3 });
    await jobs.untilIndexes("0 2", "1");
    await jobs.change({ parallelism: 4, completions: 4 });
    await jobs.untilIndexes("0 2 3", "1");
    await jobs.end("Succeeded", [0, 2, 3]);
    await jobs.until("Complete");
    await jobs.untilIndexes("", "0-3");
  });

  test("ElasticIndexedJob: shrinks to nothing", async () => {
    await jobs.create({ completionMode: "Indexed", parallelism: 2, completions: 2 });
    await jobs.untilIndexes("0 1", "");
    await jobs.change({ parallelism: 0, completions: 0 });
    await jobs.until("Complete");
    await jobs.untilReleased();
  });

  test.each([
    ["FailJob", 42, "FailureTarget/PodFailurePolicy Failed/PodFailurePolicy", "0 0 1"],
    ["Ignore", 5, "", "1 0 0"],
    ["Count", 7, "FailureTarget/BackoffLimitExceeded Failed/BackoffLimitExceeded", "0 0 1"],
  ])("JobPodFailurePolicy: %s", async (_, exitCode, conditions, counts) => {
    const onExitCodes = (value: number) => ({ operator: "In", values: [value] });
    const rules = [
      { action: "FailJob", onExitCodes: onExitCodes(42) },
      { action: "Ignore", onExitCodes: onExitCodes(5) },
      { action: "Count", onExitCodes: onExitCodes(7) },
    ];
    await jobs.create({ backoffLimit: 0, podFailurePolicy: { rules } });
    await jobs.untilCounts("1 0 0");
    await jobs.end("Failed", 1, exitCode);
    if (conditions === "")
      await jobs.space.until(
        "the failed pod is released and replaced",
        async () => (await jobs.pods()).length,
        (count) => count === 2,
      );
    else await jobs.until("Failed");
    await jobs.untilCounts(counts);
    expect(conditionsOf(await jobs.job())).toBe(conditions);
  });

  test("JobPodFailurePolicyWithFailedPodDeletedDuringControllerRestart", async () => {
    const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }];
    await jobs.create({ parallelism: 3, completions: 3, podFailurePolicy: { rules } });
    await jobs.untilCounts("3 0 0");
    await cluster.stopControllers();
    const [failed] = await jobs.active();
    await jobs.end("Failed", 1, 42);
    await jobs.space.delete(resources.pods, failed?.metadata.name ?? "");
    run();
    await jobs.until("Failed");
    await jobs.untilReleased();
    expect((await jobs.job()).status?.conditions?.[0]?.reason).toBe("PodFailurePolicy");
  });

  test.each([
    ["by count", { succeededCount: 1 }, [1]],
    ["by indexes", { succeededIndexes: "0,2" }, [0, 2]],
  ])("SuccessPolicy: %s", async (_, rule: SuccessPolicyRule, indexes: readonly number[]) => {
    await jobs.create({
      completionMode: "Indexed",
      parallelism: 3,
      completions: 3,
      successPolicy: { rules: [rule] },
    });
    await jobs.untilIndexes("0 1 2", "");
    await jobs.end("Succeeded", indexes);
    expect(conditionsOf(await jobs.until("Complete"))).toBe(
      "SuccessCriteriaMet/SuccessPolicy Complete/SuccessPolicy",
    );
    await jobs.untilCounts(`0 ${indexes.length} 0`);
    await jobs.untilReleased();
  });

  test.each([
    ["all indexes are done", undefined, "FailedIndexes", "1"],
    ["too many have failed", 0, "MaxFailedIndexesExceeded", ""],
  ])("BackoffLimitPerIndex: the Job fails when %s", async (_, maxFailedIndexes, reason, completed) => {
    await jobs.create({
      completionMode: "Indexed",
      parallelism: 2,
      completions: 2,
      backoffLimitPerIndex: 1,
      ...(maxFailedIndexes !== undefined && { maxFailedIndexes }),
    });
    await jobs.untilIndexes("0 1", "", "");
    await jobs.end("Failed", [0]);
    await jobs.untilCounts("2 0 1");
    const again = (await jobs.active()).find(({ metadata }) => metadata.name?.startsWith("job-0-"));
    expect(again?.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"]).toBe("1");
    await jobs.end("Failed", [0]);
    if (completed !== "") {
      await jobs.untilIndexes("1", "", "0");
      await jobs.end("Succeeded", [1]);
    }
    const failed = await jobs.until("Failed");
    expect(conditionsOf(failed)).toBe(`FailureTarget/${reason} Failed/${reason}`);
    await jobs.untilIndexes("", completed, "0");
    await jobs.untilReleased();
  });

  test("DelayTerminalPhaseCondition: a Job has not failed before its pods have ended", async () => {
    await jobs.create({ parallelism: 2, completions: 2, backoffLimit: 0 }, { nodeName: "node" });
    await jobs.untilCounts("2 0 0");
    await jobs.end("Failed", 1);
    const target = await jobs.until("FailureTarget");
    expect(conditionsOf(target)).toBe("FailureTarget/BackoffLimitExceeded");
    await jobs.space.until(
      "one pod is terminating",
      async () => (await jobs.job()).status?.terminating,
      (terminating) => terminating === 1,
    );
    await jobs.endDeleted();
    await jobs.until("Failed");
    await jobs.untilReleased();
  });

  test.each([
    ["TerminatingOrFailed", "a failure at once", 1],
    ["Failed", "no failure before it has ended", 0],
  ])(
    "JobPodReplacementPolicy: %s: a pod that is being deleted is %s",
    async (podReplacementPolicy, _, failed) => {
      await jobs.create({ parallelism: 1, completions: 1, podReplacementPolicy }, { nodeName: "node" });
      await jobs.untilCounts("1 0 0");
      const [pod] = await jobs.active();
      await jobs.setPhase(pod ?? { metadata: {} }, "Running");
      await jobs.space.delete(resources.pods, pod?.metadata.name ?? "");
      await jobs.space.until(
        "the deletion is noted",
        async () => (await jobs.job()).status,
        (status) => status?.terminating === 1 && (status.failed ?? 0) === failed,
      );
      expect(await jobs.pods()).toHaveLength(1);
    },
  );

  test("ManagedBy: a Job of another controller is left alone", async () => {
    await jobs.create({ managedBy: "example.com/other" });
    await jobs.space.never("it has pods", 500, async () => (await jobs.pods()).length > 0);
    expect(cluster.writesTo(jobs.space)).toEqual([]);
  });

  test("ManagedBy_RecreatedJob, ImmediateJobRecreation: another Job of the same name", async () => {
    await jobs.create({ parallelism: 2 });
    await jobs.untilCounts("2 0 0");
    const other = { propagationPolicy: "Background" } as const;
    const ref = { namespace: jobs.space.namespace, name: "job" };
    await jobs.space.client.clientFor<Job>(resources.jobs).delete(ref, other);
    const second = await jobs.create({ parallelism: 1 });
    await jobs.space.until(
      "it has its own pod",
      async () => (await jobs.ownedBy(second)).length,
      (count) => count === 1,
    );
    await jobs.space.client.clientFor<Job>(resources.jobs).delete(ref, other);
    const third = await jobs.create({ managedBy: "example.com/other" });
    await jobs.space.never("it has pods", 500, async () => (await jobs.ownedBy(third)).length > 0);
  });

  test("OrphanPodsFinalizersClearedOnRestart: of a Job that is deleted while nobody is there", async () => {
    await jobs.create();
    await jobs.untilCounts("1 0 0");
    await cluster.stopControllers();
    // By default the pods of a Job are to be orphaned, and the Job stays until they are.
    await jobs.space.delete(resources.jobs, "job");
    run();
    await jobs.untilReleased();
  });

  test.each(["Orphan", "Background", "Foreground"] as const)(
    "OrphanPodsFinalizersClearedWithGC: %s",
    async (propagationPolicy) => {
      cluster.run([garbageCollectorController({ workers: 2 })]);
      await jobs.create({ parallelism: 2 });
      await jobs.untilCounts("2 0 0");
      await jobs.space.client
        .clientFor<Job>(resources.jobs)
        .delete({ namespace: jobs.space.namespace, name: "job" }, { propagationPolicy });
      await jobs.space.until(
        "the Job is gone",
        async () => jobs.space.find<Job>(resources.jobs, "job"),
        (job) => job === undefined,
      );
      await jobs.untilReleased();
      const left = propagationPolicy === "Orphan" ? 2 : 0;
      await jobs.space.until(
        "the pods are left, or gone",
        async () => (await jobs.pods()).length,
        (count) => count === left,
      );
    },
  );

  test("ManagedBy_UsingReservedJobFinalizers: pods of another controller's Job keep the finalizer", async () => {
    const job = await jobs.create({ managedBy: "example.com/other" });
    const pod = {
      metadata: {
        name: "pod",
        labels: job.spec?.selector?.matchLabels ?? {},
        ownerReferences: [newControllerRef(job, resources.jobs)],
        finalizers: ["batch.kubernetes.io/job-tracking"],
      },
      spec: { restartPolicy: "Never", nodeName: "node", containers: [{ name: "c", image: "image" }] },
    };
    await jobs.space.create<Pod>(resources.pods, pod);
    await jobs.space.delete(resources.pods, "pod");
    await jobs.space.never("it is released", 500, async () => !(await jobs.pods()).every(hasFinalizer));
  });

  test("BackoffLimitPerIndex_DelayedPodDeletion: a failed pod stays until it is replaced", async () => {
    await jobs.create({ completionMode: "Indexed", parallelism: 1, completions: 1, backoffLimitPerIndex: 1 });
    await jobs.untilIndexes("0", "", "");
    const [failed] = await jobs.active();
    await cluster.stopControllers();
    await jobs.end("Failed", [0]);
    await jobs.space.delete(resources.pods, failed?.metadata.name ?? "");
    run();
    await jobs.untilCounts("1 0 1");
    const [again] = await jobs.active();
    expect(again?.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"]).toBe("1");
    await jobs.space.until(
      "the failed pod is gone",
      async () => (await jobs.pods()).length,
      (count) => count === 1,
    );
    await jobs.end("Succeeded", [0]);
    await jobs.until("Complete");
  });

  test("FinalizersClearedWhenBackoffLimitExceeded", async () => {
    await jobs.create({ completionMode: "Indexed", parallelism: 50, completions: 50, backoffLimit: 0 });
    await jobs.untilCounts("50 0 0");
    await jobs.end("Failed", 1);
    await jobs.until("Failed");
    await jobs.untilReleased();
  });

  test("JobFailedWithInterrupts: a Job fails though its controller comes and goes", async () => {
    await jobs.create({ parallelism: 10, completions: 10, backoffLimit: 0 });
    await jobs.untilCounts("10 0 0");
    await cluster.stopControllers();
    await jobs.end("Failed", 10);
    for (let round = 0; round < 3; round++) {
      run();
      await jobs.space.never("nothing", 100, async () => false);
      await cluster.stopControllers();
    }
    run();
    await jobs.until("Failed");
    await jobs.untilCounts("0 0 10");
    await jobs.untilReleased();
  });

  test("SuspendJob, StartTimeUpdateOnResume, SuspendJobControllerRestart", async () => {
    await jobs.create({ parallelism: 2, completions: 4, suspend: true });
    await jobs.until("Suspended");
    expect((await jobs.job()).status?.startTime).toBeUndefined();
    await jobs.change({ suspend: false });
    await jobs.untilCounts("2 0 0");
    expect((await jobs.job()).status?.startTime).toBeDefined();
    await jobs.change({ suspend: true });
    await jobs.until("Suspended");
    await jobs.untilCounts("0 0 0");
    await cluster.stopControllers();
    run();
    await jobs.change({ suspend: false });
    await jobs.untilCounts("2 0 0");
    const suspended = (await jobs.job()).status?.conditions?.find(({ type }) => type === "Suspended");
    expect(suspended).toMatchObject({ status: "False", reason: "JobResumed", message: "Job resumed" });
  });

  test("SuspendJobWithZeroCompletions", async () => {
    await jobs.create({ parallelism: 1, completions: 0, suspend: true });
    const job = await jobs.until("Complete");
    expect(conditionsOf(job)).toBe(COMPLETED);
  });

  test("NodeSelectorUpdate, MutableSchedulingDirectivesForSuspendedJobs: what a suspended Job is given, its pods have", async () => {
    await jobs.create({ parallelism: 1, suspend: true });
    await jobs.until("Suspended");
    const before = await jobs.job();
    const spec = before.spec?.template.spec;
    await jobs.change({
      suspend: false,
      template: {
        ...before.spec?.template,
        ...(spec && { spec: { ...spec, nodeSelector: { foo: "bar" } } }),
      },
    });
    await jobs.untilCounts("1 0 0");
    expect((await jobs.active())[0]?.spec?.nodeSelector).toEqual({ foo: "bar" });
  });
});
