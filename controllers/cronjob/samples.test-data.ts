import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { CronJob, CronJobSpec, CronJobStatus, Job } from "../../pkg/api/types/batch-v1.gen.ts";

/** 2016-05-19T10:00:00Z, and that many minutes later or earlier. */
export function atMinute(minutes: number, seconds = 0): number {
  return Date.UTC(2016, 4, 19, 10, minutes, seconds);
}

export function text(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

export function cronJob(
  createdMs: number,
  spec: Partial<CronJobSpec> = {},
  status: CronJobStatus = {},
): Stored<CronJob> {
  return asStored<CronJob>({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      name: "mycronjob",
      namespace: "default",
      uid: "1a2b3c",
      creationTimestamp: text(createdMs),
    },
    spec: {
      schedule: "0 * * * ?",
      concurrencyPolicy: "Allow",
      jobTemplate: {
        metadata: { labels: { a: "b" }, annotations: { x: "y" } },
        spec: {
          parallelism: 1,
          completions: 1,
          template: {
            metadata: { labels: { foo: "bar" } },
            spec: { restartPolicy: "Never", containers: [{ name: "c", image: "image" }] },
          },
        },
      },
      ...spec,
    },
    status,
  });
}

export function job(name: string, status: NonNullable<Job["status"]> = {}): Stored<Job> {
  return asStored<Job>({ metadata: { name, namespace: "default", uid: `${name}-uid` }, status });
}

export function ended(name: string, type: "Complete" | "Failed", completionTime?: string): Stored<Job> {
  return job(name, {
    conditions: [{ type, status: "True" }],
    ...(completionTime !== undefined && { completionTime }),
  });
}
