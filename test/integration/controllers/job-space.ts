import { hasFinalizer, indexOf } from "../../../controllers/job/job-pods.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodActive } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { Job, JobSpec } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import type { TestSpace } from "../../harness/test-space.ts";

const LONG_AGO_MS = 3_600_000;

type PodSpec = NonNullable<Pod["spec"]>;

/** The Job named "job" of a namespace, and what its pods do. */
export class JobSpace {
  readonly space: TestSpace;

  constructor(space: TestSpace) {
    this.space = space;
  }

  /** `pod` changes the template: `bound` pods stay, when deleted, until they are ended. */
  async create(spec: Partial<JobSpec> = {}, pod: Partial<PodSpec> = {}): Promise<Job> {
    const containers = [{ name: "c", image: "image" }];
    return this.space.create<Job>(resources.jobs, {
      metadata: { name: "job" },
      spec: { template: { spec: { restartPolicy: "Never", containers, ...pod } }, ...spec },
    });
  }

  async job(): Promise<Job> {
    return this.space.get<Job>(resources.jobs, "job");
  }

  async change(spec: Partial<JobSpec>): Promise<void> {
    await this.space.update<Job>(resources.jobs, "job", (job) => ({
      ...job,
      ...(job.spec && { spec: { ...job.spec, ...spec } }),
    }));
  }

  /** Of its template. */
  async changePods(pods: Partial<PodSpec>): Promise<void> {
    const { template } = (await this.job()).spec ?? {};
    const spec = { containers: [], ...template?.spec, ...pods };
    await this.change({ template: { ...template, spec } });
  }

  async pods(): Promise<readonly Pod[]> {
    return this.space.pods();
  }

  async active(): Promise<readonly Pod[]> {
    return (await this.pods()).filter(isPodActive);
  }

  /** Ends so many active pods, or those of these indexes. They finished long ago, so that nothing waits for them. */
  async end(
    phase: "Succeeded" | "Failed",
    which: number | readonly number[],
    exitCode = 1,
    agoMs = LONG_AGO_MS,
  ): Promise<void> {
    const chosen = await this.space.until(
      `pods ${JSON.stringify(which)} are active`,
      async () => {
        const active = await this.active();
        if (typeof which === "number") return active.slice(0, which);
        return active.filter((pod) => which.includes(indexOf(pod) ?? -1));
      },
      (seen) => seen.length >= (typeof which === "number" ? which : which.length),
    );
    for (const pod of chosen) await this.setPhase(pod, phase, exitCode, agoMs);
  }

  async setPhase(pod: Pod, phase: string, exitCode = 1, agoMs = LONG_AGO_MS): Promise<void> {
    const at = formatTime(realClock.nowMs() - agoMs);
    const terminated = { exitCode: phase === "Failed" ? exitCode : 0, startedAt: at, finishedAt: at };
    const container = { name: "c", image: "image", imageID: "", ready: false, restartCount: 0 };
    const ended = phase === "Succeeded" || phase === "Failed";
    const status = { phase, ...(ended && { containerStatuses: [{ ...container, state: { terminated } }] }) };
    await this.space.client
      .clientFor<Pod>(resources.pods)
      .patch(
        { namespace: this.space.namespace, name: pod.metadata.name ?? "" },
        { type: "strategic", body: { status } },
        { subresource: "status" },
      );
  }

  /** What a kubelet does for pods that are being deleted. */
  async endDeleted(): Promise<void> {
    for (const pod of await this.pods())
      if (pod.metadata.deletionTimestamp !== undefined)
        await this.space.delete(resources.pods, pod.metadata.name ?? "", 0);
  }

  /** Waits for the counts of the status: active, succeeded, failed; and for as many pods to be active. */
  async untilCounts(counts: string): Promise<void> {
    await this.space.until(
      `the Job counts ${counts}`,
      async () => {
        const { active = 0, succeeded = 0, failed = 0 } = (await this.job()).status ?? {};
        return `${active} ${succeeded} ${failed} (${(await this.active()).length})`;
      },
      (seen) => seen === `${counts} (${counts.split(" ")[0]})`,
    );
  }

  /** Waits for the condition and gives the Job. */
  async until(type: string): Promise<Job> {
    return this.space.until(
      `the Job is ${type}`,
      async () => this.job(),
      ({ status }) =>
        status?.conditions?.some((each) => each.type === type && each.status === "True") ?? false,
    );
  }

  async untilTerminating(count: number): Promise<void> {
    await this.space.until(
      `${count} pods are terminating`,
      async () => (await this.job()).status?.terminating,
      (terminating) => terminating === count,
    );
  }

  async untilReleased(): Promise<void> {
    await this.space.until(
      "no pod has the finalizer",
      async () => (await this.pods()).filter(hasFinalizer).map(({ metadata }) => metadata.name),
      (seen) => seen.length === 0,
    );
  }

  async activeIndexes(): Promise<string> {
    const indexes = (await this.active()).map((pod) => indexOf(pod) ?? -1);
    return indexes.toSorted((one, other) => one - other).join(" ");
  }

  /** Waits for the indexes at work, and those that succeeded and failed, as texts. */
  async untilIndexes(active: string, completed: string, failed?: string): Promise<void> {
    await this.space.until(
      `indexes ${active}; ${completed}; ${failed ?? "-"}`,
      async () => {
        const { completedIndexes = "", failedIndexes } = (await this.job()).status ?? {};
        return [await this.activeIndexes(), completedIndexes, failedIndexes];
      },
      (seen) => seen[0] === active && seen[1] === completed && seen[2] === failed,
    );
  }

  async ownedBy(job: Job): Promise<readonly Pod[]> {
    return (await this.pods()).filter((pod) => controllerOf(pod)?.uid === job.metadata.uid);
  }
}

/** What conditionsOf says of a Job that has as many successes as it asks for. */
export const COMPLETED = "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached";

/** Conditions that hold, in order: "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached". */
export function conditionsOf(job: Job): string {
  const conditions = job.status?.conditions ?? [];
  return conditions
    .filter(({ status }) => status === "True")
    .map(({ type, reason }) => `${type}/${reason}`)
    .join(" ");
}
