import { expect, test } from "vitest";
import type { Container, PodSpec } from "../../../pkg/api/types/core-v1.gen.ts";
import { COMPLETED, conditionsOf } from "./job-space.ts";
import { describeJobs, type JobStage } from "./job-stage.ts";

// Names of upstream's functions (test/integration/job) stand in front of each case.
describeJobs("suspension", (stage) => {
  test("SuspendJob, StartTimeUpdateOnResume, SuspendJobControllerRestart", async () => {
    await stage.jobs.create({ parallelism: 2, completions: 4, suspend: true });
    await stage.jobs.until("Suspended");
    expect((await stage.jobs.job()).status?.startTime).toBeUndefined();
    await stage.jobs.change({ suspend: false });
    await stage.jobs.untilCounts("2 0 0");
    expect((await stage.jobs.job()).status?.startTime).toBeDefined();
    await stage.jobs.change({ suspend: true });
    await stage.jobs.until("Suspended");
    await stage.jobs.untilCounts("0 0 0");
    await stage.cluster.stopControllers();
    stage.run();
    await stage.jobs.change({ suspend: false });
    await stage.jobs.untilCounts("2 0 0");
    const suspended = (await stage.jobs.job()).status?.conditions?.find(({ type }) => type === "Suspended");
    expect(suspended).toMatchObject({ status: "False", reason: "JobResumed", message: "Job resumed" });
  });

  test("SuspendJobWithZeroCompletions", async () => {
    await stage.jobs.create({ parallelism: 1, completions: 0, suspend: true });
    const job = await stage.jobs.until("Complete");
    expect(conditionsOf(job)).toBe(COMPLETED);
  });

  test("NodeSelectorUpdate: what a suspended Job is given, its pods have", async () => {
    await stage.jobs.create({ parallelism: 1, suspend: true });
    await stage.jobs.until("Suspended");
    await stage.jobs.changePods({ nodeSelector: { foo: "bar" } });
    await stage.jobs.change({ suspend: false });
    await stage.jobs.untilCounts("1 0 0");
    expect((await stage.jobs.active())[0]?.spec?.nodeSelector).toEqual({ foo: "bar" });
  });

  test("MutableSchedulingDirectivesForSuspendedJobs: a Job that runs has to be suspended first", async () => {
    await stage.jobs.create({ parallelism: 1, completions: 2 });
    await stage.jobs.untilCounts("1 0 0");
    expect((await stage.jobs.job()).status?.startTime).toBeDefined();
    const directives = { nodeSelector: { key: "value" } };
    await expect(stage.jobs.changePods(directives)).rejects.toThrow("field is immutable");
    await stage.jobs.change({ suspend: true });
    await stage.jobs.until("Suspended");
    await stage.jobs.untilCounts("0 0 0");
    expect((await stage.jobs.job()).status?.startTime).toBeUndefined();
    await stage.jobs.changePods(directives);
    await stage.jobs.change({ suspend: false });
    await stage.jobs.untilCounts("1 0 0");
    const { status } = await stage.jobs.job();
    expect(status?.startTime).toBeDefined();
    expect(status?.conditions?.map(({ type, status: is }) => `${type} ${is}`)).toEqual(["Suspended False"]);
    expect((await stage.jobs.active())[0]?.spec?.nodeSelector).toEqual(directives.nodeSelector);
  });

  test("MutableSchedulingDirectivesForSuspendedJobsNotYetStarted: also before the Job is said to be suspended", async () => {
    await beforeItStarts(stage, { nodeSelector: { foo: "bar" } });
  });
});

// Older servers refuse it.
describeJobs(
  "resources of the pods of Jobs that are suspended",
  (stage) => {
    test("MutablePodResourcesForSuspendedJobsNotYetStarted: also before the Job is said to be suspended", async () => {
      await beforeItStarts(stage, { containers: [sized("100m")] });
    });

    test.each([
      ["suspended from the start", true],
      ["suspended later", false],
    ])("UpdateJobPodResources: of a Job that is %s", async (_, suspend) => {
      await stage.jobs.create({ parallelism: 1, completions: 1, suspend });
      if (!suspend) {
        await stage.jobs.untilCounts("1 0 0");
        await expect(stage.jobs.changePods({ containers: [sized("200m")] })).rejects.toThrow("immutable");
        await stage.jobs.change({ suspend: true });
      }
      await stage.jobs.until("Suspended");
      await stage.jobs.untilCounts("0 0 0");
      await stage.jobs.changePods({ containers: [sized("200m")] });
      await stage.jobs.change({ suspend: false });
      await stage.jobs.untilCounts("1 0 0");
      const [pod] = await stage.jobs.active();
      expect(pod?.spec?.containers[0]?.resources?.requests).toEqual({ cpu: "200m" });
    });

    test("MutablePodResourcesWithPodReplacementPolicyFailed: new pods when the old ones have ended", async () => {
      await stage.jobs.create(
        { parallelism: 2, completions: 2, podReplacementPolicy: "Failed" },
        { nodeName: "node", containers: [sized("100m")] },
      );
      await stage.jobs.untilCounts("2 0 0");
      await stage.jobs.change({ suspend: true });
      await stage.jobs.until("Suspended");
      await stage.jobs.untilTerminating(2);
      await stage.jobs.changePods({ containers: [sized("300m")] });
      await stage.jobs.change({ suspend: false });
      await stage.jobs.space.never(
        "it has other pods",
        300,
        async () => (await stage.jobs.pods()).length > 2,
      );
      await stage.jobs.untilTerminating(2);
      await stage.jobs.endDeleted();
      await stage.jobs.untilCounts("2 0 0");
      await stage.jobs.untilTerminating(0);
      const requests = (await stage.jobs.active()).map(
        ({ spec }) => spec?.containers[0]?.resources?.requests,
      );
      expect(requests).toEqual([{ cpu: "300m" }, { cpu: "300m" }]);
    });
  },
  36,
);

async function beforeItStarts({ cluster, jobs, run }: JobStage, pods: Partial<PodSpec>): Promise<void> {
  await cluster.stopControllers();
  await jobs.create({ parallelism: 1, completions: 1, suspend: true });
  await jobs.changePods(pods);
  run();
  await jobs.change({ suspend: false });
  await jobs.untilCounts("1 0 0");
  expect((await jobs.active())[0]?.spec).toMatchObject(pods);
}

function sized(cpu: string): Container {
  return { name: "c", image: "image", resources: { requests: { cpu } } };
}
