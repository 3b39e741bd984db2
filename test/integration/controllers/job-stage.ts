import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { jobController } from "../../../controllers/job/controller.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { HurriedClock } from "../../harness/hurried-clock.ts";
import { servedSince } from "../../harness/where.ts";
import { JobSpace } from "./job-space.ts";

/** A second between two looks at a Job becomes 50 ms. */
const HURRY = 20;

/** What a case about Jobs works with; each has a namespace of its own. */
export interface JobStage {
  readonly cluster: ControllerCluster;
  readonly jobs: JobSpace;
  /** Starts the controller again after it was stopped. */
  run(clock?: Clock): void;
}

/**
 * The cases run against each API server from v1.`since` on, with the controller running, and no write of it may be
 * refused.
 */
export function describeJobs(theme: string, cases: (stage: JobStage) => void, since = 0): void {
  describe.each(servedSince(clusterKinds, since))(
    `the Job controller on the $name API server, ${theme}`,
    ({ start }) => {
      let cluster: ControllerCluster | undefined;
      let jobs: JobSpace | undefined;
      const stage: JobStage = {
        get cluster() {
          return present(cluster);
        },
        get jobs() {
          return present(jobs);
        },
        run: (clock = new HurriedClock(realClock, HURRY)) => {
          stage.cluster.run([jobController({ workers: 5 })], { clock });
        },
      };
      beforeAll(async () => {
        cluster = await start();
      });
      beforeEach(async () => {
        jobs = new JobSpace(await stage.cluster.space());
        stage.run();
      });
      afterEach(async () => {
        const refused = stage.cluster
          .writesTo(stage.jobs.space)
          .filter(({ status }) => status >= 400 && ![404, 409].includes(status));
        await stage.cluster.stopControllers();
        expect(refused).toEqual([]);
      });
      afterAll(async () => cluster?.stop());
      cases(stage);
    },
  );
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the cluster is not there yet");
  return value;
}
