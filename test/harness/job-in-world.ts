import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job, JobSpec } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { type ControllerWorld, NAMESPACE } from "./controller-world.ts";
import { indexOf } from "../../controllers/job/job-pods.ts";

/** A Job in a world, and what its pods do there. */
export class JobInWorld {
  readonly #world: ControllerWorld;

  constructor(world: ControllerWorld) {
    this.#world = world;
  }

  async create(spec: Partial<JobSpec> = {}): Promise<Job> {
    // Bound to a node, pods that are deleted stay until a kubelet has ended them.
    const containers = [{ name: "c", image: "image" }];
    const template = { spec: { restartPolicy: "Never", nodeName: "node", containers } };
    return this.#world.create<Job>(resources.jobs, {
      metadata: { name: "job" },
      spec: { template, ...spec },
    });
  }

  async job(): Promise<Job> {
    return this.#world.get<Job>(resources.jobs, "job");
  }

  async change(spec: Partial<JobSpec>): Promise<void> {
    await this.#world.update<Job>(resources.jobs, "job", (job) => ({
      ...job,
      spec: { template: {}, ...job.spec, ...spec },
    }));
  }

  async pods(): Promise<readonly Pod[]> {
    return this.#world.list<Pod>(resources.pods);
  }

  /** Those that have neither finished nor are being deleted. */
  async active(): Promise<readonly Pod[]> {
    return (await this.pods()).filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.phase !== "Succeeded" &&
        status?.phase !== "Failed",
    );
  }

  /** Ends so many active pods, or those of these indexes. */
  async end(phase: "Succeeded" | "Failed", which: number | readonly number[], exitCode = 1): Promise<void> {
    const active = await this.active();
    const chosen =
      typeof which === "number"
        ? active.slice(0, which)
        : active.filter((pod) => which.includes(indexOf(pod) ?? -1));
    const wanted = typeof which === "number" ? which : which.length;
    if (chosen.length < wanted) throw new Error(`${chosen.length} pods are active, ${wanted} were to end`);
    for (const pod of chosen) await this.#end(pod, phase, exitCode);
  }

  /** What a kubelet does for pods that are being deleted: it ends them for good. */
  async endDeleted(): Promise<void> {
    for (const pod of await this.pods()) {
      if (pod.metadata.deletionTimestamp === undefined) continue;
      await this.#world.client
        .clientFor(resources.pods)
        .delete({ namespace: NAMESPACE, name: pod.metadata.name ?? "" }, { gracePeriodSeconds: 0 });
    }
  }

  /** The counts of the status: active, ready, succeeded, failed, terminating. */
  async counts(): Promise<string> {
    const {
      active = 0,
      ready = 0,
      succeeded = 0,
      failed = 0,
      terminating = 0,
    } = (await this.job()).status ?? {};
    return `${active} ${ready} ${succeeded} ${failed} ${terminating}`;
  }

  /** Conditions that hold, in order: "SuccessCriteriaMet Complete". */
  async conditions(): Promise<string> {
    const conditions = (await this.job()).status?.conditions ?? [];
    return conditions.map(({ type, status }) => (status === "True" ? type : `!${type}`)).join(" ");
  }

  async #end(pod: Pod, phase: string, exitCode: number): Promise<void> {
    const at = formatTime(this.#world.clock.nowMs());
    const terminated = { exitCode: phase === "Failed" ? exitCode : 0, startedAt: at, finishedAt: at };
    const container = { name: "c", image: "image", imageID: "", ready: false, restartCount: 0 };
    const body = { status: { phase, containerStatuses: [{ ...container, state: { terminated } }] } };
    await this.#world.client
      .clientFor<Pod>(resources.pods)
      .patch(
        { namespace: NAMESPACE, name: pod.metadata.name ?? "" },
        { type: "strategic", body },
        { subresource: "status" },
      );
  }
}
