import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Job, JobSpec } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod, PodTemplateSpec } from "../../../pkg/api/types/core-v1.gen.ts";
import { STOPS_AFTER_ANNOTATION } from "../../../pkg/cluster/hollow/pod-life.ts";
import { SCRIPT_ANNOTATION } from "../../../pkg/cluster/hollow/script.ts";
import type { Expected, PodChoice, Scenario, Step } from "../scenario.ts";
import { create } from "./objects.ts";

const area = "batch";
export const FOR_EVER = "run";
const INDEX = "batch.kubernetes.io/job-completion-index";

/** Pods that do what the script says (pkg/cluster/hollow/script.ts). */
export function podsThat(
  script: string,
  annotations: Readonly<Record<string, string>> = {},
): PodTemplateSpec {
  return {
    metadata: { labels: { app: "job" }, annotations: { [SCRIPT_ANNOTATION]: script, ...annotations } },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "app:v1" }] },
  };
}

function job(script: string, spec: Partial<JobSpec> = {}): Job & ApiObject {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "job" },
    spec: { template: podsThat(script), ...spec },
  };
}

const indexed = (completions: number, parallelism: number): Partial<JobSpec> => ({
  completionMode: "Indexed",
  completions,
  parallelism,
});
const change = (spec: unknown): Step => ({ do: "patch", target: "jobs/job", body: { spec } });
const until = (holds: Expected): Step => ({ do: "until", target: "jobs/job", holds });
const runs = (active: number): Step => until({ "status.active": active, "status.ready": active });
const becomes = (type: string, status = "True"): Step =>
  until({ [`status.conditions[${type}].status`]: status });
const ofIndex = (index: number): PodChoice => ({ selector: `${INDEX}=${index}`, count: 1 });

/** As a kubelet would tell of the end of its only container. */
function end(pods: PodChoice, phase: "Succeeded" | "Failed", status: NonNullable<Pod["status"]> = {}): Step {
  return { do: "patch pod status", pods, body: { status: { phase, ...status } } };
}

const { metadata, spec: podSpec } = podsThat(FOR_EVER);
const orphan: Pod & ApiObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "orphan", ...metadata },
  ...(podSpec && { spec: podSpec }),
};

export const jobs: readonly Scenario[] = [
  {
    name: "job-completes",
    area,
    steps: [create(job("exit 0", { completions: 3, parallelism: 2 })), becomes("Complete")],
  },
  {
    name: "job-without-a-number",
    area,
    steps: [
      create(job(FOR_EVER, { parallelism: 2 })),
      runs(2),
      end({ count: 1 }, "Succeeded"),
      until({ "status.active": 1, "status.succeeded": 1 }),
      end({}, "Succeeded"),
      becomes("Complete"),
    ],
  },
  {
    name: "job-fails-at-its-limit",
    area,
    steps: [create(job("exit 1", { backoffLimit: 0 })), becomes("Failed")],
  },
  {
    name: "job-tries-again",
    area,
    steps: [create(job("exit 1", { backoffLimit: 1 })), becomes("Failed")],
  },
  {
    name: "job-fails-and-ends-what-runs",
    area,
    steps: [
      create(job(FOR_EVER, { completions: 3, parallelism: 3, backoffLimit: 0 })),
      runs(3),
      end({ count: 1 }, "Failed"),
      becomes("Failed"),
    ],
  },
  {
    name: "job-with-indexes",
    area,
    steps: [create(job("exit 0", indexed(3, 2))), becomes("Complete")],
  },
  {
    name: "job-with-a-limit-per-index",
    area,
    steps: [
      create(job(FOR_EVER, { ...indexed(2, 2), backoffLimitPerIndex: 0 })),
      runs(2),
      end(ofIndex(0), "Failed"),
      until({ "status.failedIndexes": "0" }),
      end(ofIndex(1), "Succeeded"),
      becomes("Failed"),
    ],
  },
  {
    name: "job-with-too-many-failed-indexes",
    area,
    steps: [
      create(job(FOR_EVER, { ...indexed(3, 3), backoffLimitPerIndex: 0, maxFailedIndexes: 0 })),
      runs(3),
      end(ofIndex(1), "Failed"),
      becomes("Failed"),
    ],
  },
  {
    name: "job-with-more-and-fewer-indexes",
    area,
    steps: [
      create(job(FOR_EVER, indexed(2, 2))),
      runs(2),
      change({ completions: 4, parallelism: 4 }),
      runs(4),
      end(ofIndex(3), "Succeeded"),
      until({ "status.completedIndexes": "3" }),
      change({ completions: 1, parallelism: 1 }),
      runs(1),
      end(ofIndex(0), "Succeeded"),
      becomes("Complete"),
    ],
  },
  {
    name: "job-suspended-and-resumed",
    area,
    steps: [
      create(job(FOR_EVER, { completions: 2, parallelism: 2, suspend: true })),
      becomes("Suspended"),
      change({ suspend: false }),
      runs(2),
      change({ suspend: true }),
      becomes("Suspended"),
      { do: "until pods", pods: {}, are: 0 },
      change({ suspend: false }),
      runs(2),
    ],
  },
  {
    name: "job-with-more-and-fewer-pods",
    area,
    steps: [
      create(job(FOR_EVER, { completions: 5, parallelism: 1 })),
      runs(1),
      change({ parallelism: 3 }),
      runs(3),
      change({ parallelism: 1 }),
      runs(1),
      { do: "until pods", pods: {}, are: 1 },
    ],
  },
  {
    name: "job-failed-by-its-policy",
    area,
    steps: [
      create(
        job("exit 42", {
          podFailurePolicy: {
            rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }],
          },
        }),
      ),
      becomes("Failed"),
    ],
  },
  {
    name: "job-whose-policy-passes-over-a-failure",
    area,
    steps: [
      create(
        job(FOR_EVER, {
          backoffLimit: 0,
          podFailurePolicy: {
            rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
          },
        }),
      ),
      runs(1),
      end({ count: 1 }, "Failed", { conditions: [{ type: "DisruptionTarget", status: "True" }] }),
      { do: "until pods", pods: { ready: true }, are: 2 },
      runs(1),
    ],
  },
  {
    name: "job-with-a-policy-for-success",
    area,
    steps: [
      create(job(FOR_EVER, { ...indexed(3, 3), successPolicy: { rules: [{ succeededIndexes: "1" }] } })),
      runs(3),
      end(ofIndex(1), "Succeeded"),
      becomes("Complete"),
    ],
  },
  {
    name: "job-out-of-time",
    timed: true,
    area,
    steps: [create(job(FOR_EVER, { activeDeadlineSeconds: 8 })), runs(1), becomes("Failed")],
  },
  {
    name: "job-that-replaces-only-what-has-failed",
    timed: true,
    area,
    steps: [
      create(
        job(FOR_EVER, {
          podReplacementPolicy: "Failed",
          template: podsThat(FOR_EVER, { [STOPS_AFTER_ANNOTATION]: "5" }),
        }),
      ),
      runs(1),
      { do: "delete pods", pods: { count: 1 } },
      until({ "status.terminating": 1, "status.active": undefined }),
      until({ "status.terminating": 0, "status.active": 1, "status.ready": 1 }),
    ],
  },
  {
    name: "job-that-replaces-what-is-being-deleted",
    area,
    steps: [
      create(job(FOR_EVER, { template: podsThat(FOR_EVER, { [STOPS_AFTER_ANNOTATION]: "30" }) })),
      runs(1),
      { do: "delete pods", pods: { count: 1 } },
      until({ "status.failed": 1 }),
      { do: "until pods", pods: {}, are: 1 },
      runs(1),
    ],
  },
  {
    name: "job-of-another-controller",
    area,
    steps: [create(job("exit 0", { managedBy: "example.com/other" })), change({ parallelism: 2 })],
  },
  {
    name: "job-adopts-a-pod",
    area,
    steps: [
      create(orphan),
      { do: "until pods", pods: { ready: true }, are: 1 },
      create(
        job(FOR_EVER, {
          completions: 2,
          parallelism: 2,
          manualSelector: true,
          selector: { matchLabels: { app: "job" } },
        }),
      ),
      runs(2),
    ],
  },
  {
    name: "job-leaves-orphans",
    area,
    steps: [
      create(job(FOR_EVER, { parallelism: 2 })),
      runs(2),
      { do: "delete", target: "jobs/job", policy: "Orphan" },
      { do: "until gone", target: "jobs/job" },
    ],
  },
  {
    name: "job-deleted-with-its-pods",
    area,
    steps: [
      create(job(FOR_EVER, { parallelism: 2 })),
      runs(2),
      { do: "delete", target: "jobs/job", policy: "Foreground" },
      { do: "until gone", target: "jobs/job" },
      { do: "until pods", pods: {}, are: 0 },
    ],
  },
  {
    name: "job-deleted-when-its-time-is-over",
    area,
    steps: [
      create(job("exit 0", { ttlSecondsAfterFinished: 3 })),
      becomes("Complete"),
      { do: "until gone", target: "jobs/job" },
      { do: "until pods", pods: {}, are: 0 },
    ],
  },
];
