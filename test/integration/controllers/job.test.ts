import { expect, test } from "vitest";
import { describeJobs } from "./job-stage.ts";
import { COMPLETED, conditionsOf } from "./job-space.ts";

// Names of upstream's functions (test/integration/job) stand in front of each case.
describeJobs("pods and indexes", (stage) => {
  test("NonParallelJob: one pod at a time, also across a restart of the controller", async () => {
    await stage.jobs.create();
    await stage.jobs.untilCounts("1 0 0");
    await stage.cluster.stopControllers();
    stage.run();
    await stage.jobs.end("Failed", 1);
    await stage.jobs.untilCounts("1 0 1");
    await stage.cluster.stopControllers();
    stage.run();
    await stage.jobs.end("Succeeded", 1);
    expect(conditionsOf(await stage.jobs.until("Complete"))).toBe(COMPLETED);
    await stage.jobs.untilCounts("0 1 1");
    await stage.jobs.untilReleased();
  });

  test("ParallelJob: failures are replaced, and after a success the others may end", async () => {
    await stage.jobs.create({ parallelism: 5 });
    await stage.jobs.untilCounts("5 0 0");
    await stage.jobs.end("Failed", 2);
    await stage.jobs.untilCounts("5 0 2");
    await stage.jobs.end("Succeeded", 1);
    await stage.jobs.untilCounts("4 1 2");
    await stage.jobs.end("Failed", 2);
    await stage.jobs.untilCounts("2 1 4");
    await stage.jobs.end("Succeeded", 2);
    await stage.jobs.until("Complete");
    await stage.jobs.untilCounts("0 3 4");
    await stage.jobs.untilReleased();
  });

  test("ParallelJobChangingParallelism", async () => {
    await stage.jobs.create({ parallelism: 1, completions: 5 });
    await stage.jobs.untilCounts("1 0 0");
    await stage.jobs.change({ parallelism: 4 });
    await stage.jobs.untilCounts("4 0 0");
    await stage.jobs.change({ parallelism: 2 });
    await stage.jobs.untilCounts("2 0 0");
    await stage.jobs.change({ parallelism: 0 });
    await stage.jobs.untilCounts("0 0 0");
    await stage.jobs.untilReleased();
  });

  test("ParallelJobWithCompletions", async () => {
    await stage.jobs.create({ parallelism: 4, completions: 6 });
    await stage.jobs.untilCounts("4 0 0");
    await stage.jobs.end("Failed", 2);
    await stage.jobs.untilCounts("4 0 2");
    await stage.jobs.end("Succeeded", 3);
    await stage.jobs.untilCounts("3 3 2");
    await stage.jobs.end("Succeeded", 3);
    await stage.jobs.until("Complete");
    await stage.jobs.untilCounts("0 6 2");
    await stage.jobs.untilReleased();
  });

  test("IndexedJob", async () => {
    await stage.jobs.create({ completionMode: "Indexed", parallelism: 3, completions: 4 });
    await stage.jobs.untilIndexes("0 1 2", "");
    await stage.jobs.end("Succeeded", [1]);
    await stage.jobs.untilIndexes("0 2 3", "1");
    await stage.jobs.end("Failed", [2]);
    await stage.jobs.untilIndexes("0 2 3", "1");
    await stage.jobs.end("Succeeded", [0, 2, 3]);
    await stage.jobs.until("Complete");
    await stage.jobs.untilIndexes("", "0-3");
    await stage.jobs.untilCounts("0 4 1");
    await stage.jobs.untilReleased();
  });

  test("ElasticIndexedJob: grows and shrinks", async () => {
    await stage.jobs.create({ completionMode: "Indexed", parallelism: 3, completions: 3 });
    await stage.jobs.untilIndexes("0 1 2", "");
    await stage.jobs.change({ parallelism: 5, completions: 5 });
    await stage.jobs.untilIndexes("0 1 2 3 4", "");
    await stage.jobs.end("Succeeded", [1, 4]);
    await stage.jobs.untilIndexes("0 2 3", "1,4");
    await stage.jobs.change({ parallelism: 3, completions: 3 });
    await stage.jobs.untilIndexes("0 2", "1");
    await stage.jobs.change({ parallelism: 4, completions: 4 });
    await stage.jobs.untilIndexes("0 2 3", "1");
    await stage.jobs.end("Succeeded", [0, 2, 3]);
    await stage.jobs.until("Complete");
    await stage.jobs.untilIndexes("", "0-3");
  });

  test("ElasticIndexedJob: shrinks to nothing", async () => {
    await stage.jobs.create({ completionMode: "Indexed", parallelism: 2, completions: 2 });
    await stage.jobs.untilIndexes("0 1", "");
    await stage.jobs.change({ parallelism: 0, completions: 0 });
    await stage.jobs.until("Complete");
    await stage.jobs.untilReleased();
  });
});
