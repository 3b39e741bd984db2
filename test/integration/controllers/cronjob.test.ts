import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cronJobController } from "../../../controllers/cronjob/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { CronJob, Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";

// Names of upstream's functions (test/integration/cronjob/cronjob_test.go) stand in front of each case.
describe.each(clusterKinds)("the CronJob controller on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start();
    cluster.run([cronJobController({ workers: 2, localTimeZone: () => "UTC" })]);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster.stop());

  test("CronJobLaunchesPodAndCleansUp: starts Jobs, and keeps none that has finished", async () => {
    await space.create<CronJob>(resources.cronJobs, {
      metadata: { name: "hello" },
      spec: {
        schedule: "@every 1s",
        successfulJobsHistoryLimit: 0,
        concurrencyPolicy: "Forbid",
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "image" }] } },
          },
        },
      },
    });
    const [job] = await space.until("a Job has started", jobs, (seen) => seen.length > 0);
    await finish(job);
    await space.until(
      "it is gone",
      jobs,
      (seen) => !seen.some(({ metadata }) => metadata.uid === job?.metadata.uid),
    );
    await space.until(
      "the success is noted",
      async () => space.get<CronJob>(resources.cronJobs, "hello"),
      ({ status }) => status?.lastSuccessfulTime !== undefined,
    );
    const refused = cluster.writesTo(space).filter(({ status }) => status >= 400);
    expect(refused).toEqual([]);
  });

  async function jobs(): Promise<readonly Job[]> {
    return space.list<Job>(resources.jobs);
  }

  async function finish(job: Job | undefined): Promise<void> {
    if (job === undefined) throw new Error("there is no Job to finish");
    const at = formatTime(realClock.nowMs());
    const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
      type,
      status: "True",
      lastProbeTime: at,
      lastTransitionTime: at,
    }));
    const status = { conditions, startTime: at, completionTime: at, succeeded: 1 };
    await space.client.clientFor<Job>(resources.jobs).updateStatus({ ...job, status });
  }
});
