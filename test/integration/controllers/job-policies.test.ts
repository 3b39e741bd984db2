import { expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import { parseTime } from "../../../pkg/api/time.ts";
import type { SuccessPolicyRule } from "../../../pkg/api/types/batch-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { describeJobs } from "./job-stage.ts";
import { conditionsOf } from "./job-space.ts";

/** As long as a machine that others use may take for what is due. */
const SLOW_MS = 60_000;

// Names of upstream's functions (test/integration/job) stand in front of each case.
describeJobs("failures and policies", (stage) => {
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
    await stage.jobs.create({ backoffLimit: 0, podFailurePolicy: { rules } });
    await stage.jobs.untilCounts("1 0 0");
    await stage.jobs.end("Failed", 1, exitCode);
    if (conditions === "")
      await stage.jobs.space.until(
        "the failed pod is released and replaced",
        async () => (await stage.jobs.pods()).length,
        (count) => count === 2,
      );
    else await stage.jobs.until("Failed");
    await stage.jobs.untilCounts(counts);
    expect(conditionsOf(await stage.jobs.job())).toBe(conditions);
  });

  test("JobPodFailurePolicyWithFailedPodDeletedDuringControllerRestart", async () => {
    const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }];
    await stage.jobs.create({ parallelism: 3, completions: 3, podFailurePolicy: { rules } });
    await stage.jobs.untilCounts("3 0 0");
    await stage.cluster.stopControllers();
    const [failed] = await stage.jobs.active();
    await stage.jobs.end("Failed", 1, 42);
    await stage.jobs.space.delete(resources.pods, failed?.metadata.name ?? "");
    stage.run();
    await stage.jobs.until("Failed");
    await stage.jobs.untilReleased();
    expect((await stage.jobs.job()).status?.conditions?.[0]?.reason).toBe("PodFailurePolicy");
  });

  test.each([
    ["by count", { succeededCount: 1 }, [1]],
    ["by indexes", { succeededIndexes: "0,2" }, [0, 2]],
  ])("SuccessPolicy: %s", async (_, rule: SuccessPolicyRule, indexes: readonly number[]) => {
    await stage.jobs.create({
      completionMode: "Indexed",
      parallelism: 3,
      completions: 3,
      successPolicy: { rules: [rule] },
    });
    await stage.jobs.untilIndexes("0 1 2", "");
    await stage.jobs.end("Succeeded", indexes);
    expect(conditionsOf(await stage.jobs.until("Complete"))).toBe(
      "SuccessCriteriaMet/SuccessPolicy Complete/SuccessPolicy",
    );
    await stage.jobs.untilCounts(`0 ${indexes.length} 0`);
    await stage.jobs.untilReleased();
  });

  test.each([
    ["all indexes are done", undefined, "FailedIndexes", "1"],
    ["too many have failed", 0, "MaxFailedIndexesExceeded", ""],
  ])("BackoffLimitPerIndex: the Job fails when %s", async (_, maxFailedIndexes, reason, completed) => {
    await stage.jobs.create({
      completionMode: "Indexed",
      parallelism: 2,
      completions: 2,
      backoffLimitPerIndex: 1,
      ...(maxFailedIndexes !== undefined && { maxFailedIndexes }),
    });
    await stage.jobs.untilIndexes("0 1", "", "");
    await stage.jobs.end("Failed", [0]);
    await stage.jobs.untilCounts("2 0 1");
    const again = (await stage.jobs.active()).find(({ metadata }) => metadata.name?.startsWith("job-0-"));
    expect(again?.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"]).toBe("1");
    await stage.jobs.end("Failed", [0]);
    if (completed !== "") {
      await stage.jobs.untilIndexes("1", "", "0");
      await stage.jobs.end("Succeeded", [1]);
    }
    const failed = await stage.jobs.until("Failed");
    expect(conditionsOf(failed)).toBe(`FailureTarget/${reason} Failed/${reason}`);
    await stage.jobs.untilIndexes("", completed, "0");
    await stage.jobs.untilReleased();
  });

  test("DelayTerminalPhaseCondition: a Job has not failed before its pods have ended", async () => {
    await stage.jobs.create({ parallelism: 2, completions: 2, backoffLimit: 0 }, { nodeName: "node" });
    await stage.jobs.untilCounts("2 0 0");
    await stage.jobs.end("Failed", 1);
    const target = await stage.jobs.until("FailureTarget");
    expect(conditionsOf(target)).toBe("FailureTarget/BackoffLimitExceeded");
    await stage.jobs.space.until(
      "one pod is terminating",
      async () => (await stage.jobs.job()).status?.terminating,
      (terminating) => terminating === 1,
    );
    await stage.jobs.endDeleted();
    await stage.jobs.until("Failed");
    await stage.jobs.untilReleased();
  });

  test.each([
    ["TerminatingOrFailed", "a failure at once", 1],
    ["Failed", "no failure before it has ended", 0],
  ])(
    "JobPodReplacementPolicy: %s: a pod that is being deleted is %s",
    async (podReplacementPolicy, _, failed) => {
      await stage.jobs.create({ parallelism: 1, completions: 1, podReplacementPolicy }, { nodeName: "node" });
      await stage.jobs.untilCounts("1 0 0");
      const [pod] = await stage.jobs.active();
      await stage.jobs.setPhase(pod ?? { metadata: {} }, "Running");
      await stage.jobs.space.delete(resources.pods, pod?.metadata.name ?? "");
      await stage.jobs.space.until(
        "the deletion is noted",
        async () => (await stage.jobs.job()).status,
        (status) => status?.terminating === 1 && (status.failed ?? 0) === failed,
      );
      expect(await stage.jobs.pods()).toHaveLength(1);
    },
  );

  test("BackoffLimitPerIndex_DelayedPodDeletion: a failed pod stays until it is replaced", async () => {
    await stage.jobs.create({
      completionMode: "Indexed",
      parallelism: 1,
      completions: 1,
      backoffLimitPerIndex: 1,
    });
    await stage.jobs.untilIndexes("0", "", "");
    const [failed] = await stage.jobs.active();
    await stage.cluster.stopControllers();
    await stage.jobs.end("Failed", [0]);
    await stage.jobs.space.delete(resources.pods, failed?.metadata.name ?? "");
    stage.run();
    await stage.jobs.untilCounts("1 0 1");
    const [again] = await stage.jobs.active();
    expect(again?.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"]).toBe("1");
    await stage.jobs.space.until(
      "the failed pod is gone",
      async () => (await stage.jobs.pods()).length,
      (count) => count === 1,
    );
    await stage.jobs.end("Succeeded", [0]);
    await stage.jobs.until("Complete");
  });

  test("FinalizersClearedWhenBackoffLimitExceeded", async () => {
    await stage.jobs.create({ completionMode: "Indexed", parallelism: 50, completions: 50, backoffLimit: 0 });
    await stage.jobs.untilCounts("50 0 0");
    await stage.jobs.end("Failed", 1);
    await stage.jobs.until("Failed");
    await stage.jobs.untilReleased();
  });

  // The pods have ended some time before they are seen, so that most of the waiting is over by then.
  test.each([
    ["JobPodsCreatedWithExponentialBackoff", {}],
    [
      "BackoffLimitPerIndex_JobPodsCreatedWithExponentialBackoff",
      { completionMode: "Indexed", completions: 1, backoffLimitPerIndex: 6 },
    ],
  ])("%s: 10 s, then 20 s", async (_, spec) => {
    await stage.cluster.stopControllers();
    stage.run(realClock);
    await stage.jobs.create({ parallelism: 1, ...spec });
    const endMs: number[] = [];
    for (const [round, agoMs] of [7_000, 17_000].entries()) {
      await stage.jobs.untilCounts(`1 0 ${round}`);
      endMs.push(realClock.nowMs() - agoMs);
      await stage.jobs.end("Failed", 1, 1, agoMs);
    }
    await stage.jobs.untilCounts("1 0 2");
    const pods = await stage.jobs.pods();
    const born = pods.map(({ metadata }) => parseTime(metadata.creationTimestamp) ?? 0).toSorted(byNumber);
    for (const [round, waitMs] of [10_000, 20_000].entries()) {
      const waitedMs = (born[round + 1] ?? 0) - (endMs[round] ?? 0);
      // Times are told in whole seconds.
      expect(waitedMs).toBeGreaterThanOrEqual(waitMs - 2_000);
      expect(waitedMs).toBeLessThan(waitMs + SLOW_MS);
    }
  });
});

function byNumber(one: number, other: number): number {
  return one - other;
}
