import { isJobFinished, jobFinishedMs } from "../../../pkg/api/job.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import { bucketName } from "../../../pkg/apiserver/server/served-resource.ts";
import { BUCKETS } from "../world/history.ts";
import { cronJobsIn, jobsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { RecentByKey } from "./recent.ts";
import { stateAfter, type Write } from "./write.ts";

/** Namespaces go when they are empty, Jobs when their time is over, and CronJobs start what they should. */
export class LifecycleSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** Whether a CronJob may start Jobs (1), by its uid. */
  readonly #active = new RecentByKey();
  /** When Jobs came, by uid. */
  readonly #createdMs = new Map<string, number>();
  readonly #unfinished = new RecentByKey();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    const { store } = world.server.parts;
    store.subscribe(BUCKETS["cronjobs"] ?? "", (event) => {
      const after = stateAfter(event);
      const isActive =
        after !== undefined && (after as { spec?: { suspend?: boolean } }).spec?.suspend !== true;
      this.#active.set(event.object.metadata.uid ?? "", world.clock.monotonicMs(), isActive ? 1 : 0);
    });
    store.subscribe(BUCKETS["jobs"] ?? "", (event) => {
      const { uid = "" } = event.object.metadata;
      const after: Job | undefined = stateAfter(event);
      if (event.type === "ADDED") this.#createdMs.set(uid, world.clock.monotonicMs());
      const runs =
        after !== undefined && !isJobFinished(after) && after.metadata.deletionTimestamp === undefined;
      this.#unfinished.set(uid, world.clock.monotonicMs(), runs ? 1 : 0);
    });
  }

  judge(write: Write): void {
    const { client, facts, event, bucket } = write;
    const { previous, object } = event;
    if (client === "namespace-controller" && facts.subresource === "finalize")
      this.#checkEmpty(object, write);
    else if (bucket !== BUCKETS["jobs"]) return;
    else if (client === "ttl-after-finished-controller" && previous !== undefined)
      this.#checkExpiry(previous, write);
    else if (client === "cronjob-controller" && facts.verb === "create") this.#checkStart(object, write);
    else if (client === "cronjob-controller" && facts.verb === "delete" && previous !== undefined)
      this.#checkCleanUp(previous, write);
  }

  #checkEmpty({ metadata }: ApiObject, { line }: Write): void {
    const { store } = this.#world.server.parts;
    for (const { group, plural, namespaced } of Object.values(resources)) {
      if (!namespaced) continue;
      const { items } = store.scan(bucketName(group, plural), { prefix: `${metadata.name}/` });
      if (items.length > 0)
        this.#world.violate(
          `${line}: ${items.length} ${plural} are left, such as ${items[0]?.metadata.name}`,
        );
    }
  }

  #checkExpiry(job: Job, { process, line }: Write): void {
    const finishedMs = jobFinishedMs(job);
    const ttlSeconds = job.spec?.ttlSecondsAfterFinished;
    if (finishedMs === undefined || ttlSeconds === undefined)
      this.#world.violate(`${line}: has not finished, or has no time to live`);
    else if (finishedMs + ttlSeconds * 1_000 > process.machine.nowMs())
      this.#world.violate(`${line}: its time is not over, by the clock of who deletes it`);
  }

  /** No Job of a CronJob that is suspended, and none beside another where that is forbidden. */
  #checkStart(job: Job, { process, line }: Write): void {
    const uid = controllerOf(job)?.uid ?? "";
    const horizonMs = this.#beliefs.horizonMs(process, ["jobs", "cronjobs"]);
    if (this.#active.of(uid).max(horizonMs) === 0)
      this.#world.violate(`${line}: its CronJob is suspended or gone`);
    const { store } = this.#world.server.parts;
    const owner = cronJobsIn(store).find(({ metadata }) => metadata.uid === uid);
    if (owner === undefined || owner.spec?.concurrencyPolicy === "Allow") return;
    const others = jobsIn(store).filter(
      (other) =>
        other.metadata.uid !== job.metadata.uid &&
        // A Job that its starter did not live to list is not known to run, as upstream has it.
        owner.status?.active?.some(({ uid }) => uid === other.metadata.uid) === true &&
        controllerOf(other)?.uid === uid &&
        (this.#createdMs.get(other.metadata.uid ?? "") ?? 0) < horizonMs &&
        this.#unfinished.of(other.metadata.uid ?? "").min(horizonMs) === 1,
    );
    if (others.length > 0)
      this.#world.violate(
        `${line} ${job.metadata.name}: beside ${others.map(({ metadata }) => metadata.name).join(", ")}`,
      );
  }

  /** Jobs that run are deleted only to be replaced. */
  #checkCleanUp(job: Job, { line }: Write): void {
    const owner = cronJobsIn(this.#world.server.parts.store).find(
      ({ metadata }) => metadata.uid === controllerOf(job)?.uid,
    );
    if (!isJobFinished(job) && owner !== undefined && owner.spec?.concurrencyPolicy !== "Replace")
      this.#world.violate(`${line}: has not finished`);
  }
}
