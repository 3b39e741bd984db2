import { isJobFinished } from "../../../pkg/api/job.ts";
import { hasCondition } from "../../../pkg/api/conditions.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { BUCKETS } from "../world/history.ts";
import type { ManagerProcess } from "../world/process.ts";
import type { World } from "../world/world.ts";
import { type Beliefs, SLOW_SYNC_MS } from "./beliefs.ts";
import type { ClusterView } from "./cluster-view.ts";
import { hasSucceeded, indexesIn, indexOf, isEnding, isIgnored, isTracked } from "./job-facts.ts";
import { JobLedger } from "./job-ledger.ts";
import { Occurrences } from "./recent.ts";
import { stateAfter, type Write } from "./write.ts";

const CLIENT = "job-controller";
const KINDS = ["pods", "jobs"];
/** A sync waits for changes to come together before it begins, and is quick then. */
const QUICK_SYNC_MS = 500;

/** No Job runs more than it should, forgets what has finished, or ends too early. */
export class JobSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  readonly #view: ClusterView;
  readonly #ledger: JobLedger;
  /** Creations of which the manager does not know that they succeeded, by the uid of the Job. */
  readonly #unknown = new Occurrences();

  constructor(world: World, beliefs: Beliefs, view: ClusterView) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#view = view;
    this.#ledger = new JobLedger(world);
  }

  judge(write: Write): void {
    const { bucket, event, facts, client, ambiguous, process } = write;
    if (client !== CLIENT) return;
    if (bucket === BUCKETS["jobs"]) return this.#checkEnd(event.previous, event.object, write);
    const uid =
      controllerOf(event.object)?.uid ?? (event.previous && controllerOf(event.previous)?.uid) ?? "";
    if (facts.verb === "create") {
      this.#checkCreation(uid, event.object, write);
      if (ambiguous) this.#unknown.add(uid, this.#world.clock.monotonicMs());
    } else if (facts.verb === "delete") this.#ledger.deletedBy(event.object.metadata.uid ?? "", process.name);
    else if (facts.verb === "patch" && event.previous !== undefined) {
      this.#checkRelease(uid, event.previous, stateAfter(event), write);
    }
  }

  /** Never more pods than may run, and never two of an index. */
  #checkCreation(uid: string, pod: Pod, { process, line }: Write): void {
    const horizonMs = this.#horizonMs(process);
    const running = this.#ledger.runningOf(uid);
    const most = this.#ledger.most.of(uid).max(horizonMs);
    const excused =
      this.#view.meddling.countSince(uid, horizonMs) +
      this.#unknown.countSince(uid, horizonMs - SLOW_SYNC_MS);
    if (running.length > most + excused)
      this.#world.violate(
        `${line} ${pod.metadata.name}: ${running.length} pods of a Job that may run ${most}`,
      );
    const index = indexOf(pod);
    const twins = index === undefined ? [] : running.filter((other) => indexOf(other) === index);
    if (twins.length > 1 + excused)
      this.#world.violate(
        `${line}: ${twins.map(({ metadata }) => metadata.name).join(" and ")} have one index`,
      );
  }

  /** What has finished is in the books of its Job before it loses the finalizer. */
  #checkRelease(uid: string, before: Pod, after: Pod | undefined, { process, line }: Write): void {
    const job = this.#ledger.jobs.get(uid);
    if (job === undefined || !isTracked(before) || (after !== undefined && isTracked(after))) return;
    // Whoever is no longer the Job's is not counted.
    if (after !== undefined && controllerOf(after)?.uid !== uid) return;
    // Nor is what no longer matches, which this patch lets go, for good when it is being deleted.
    if (before.metadata.labels?.["batch.kubernetes.io/controller-uid"] !== uid) return;
    const podUid = before.metadata.uid ?? "";
    const finishedMs = this.#ledger.finishedMs.get(podUid);
    const horizonMs = this.#horizonMs(process);
    if (finishedMs === undefined || finishedMs >= horizonMs || this.#ledger.isEntered(uid, podUid)) return;
    if (isJobFinished(job) || isEnding(job) || isIgnored(before, job)) return;
    const { completionMode, completions = 0 } = job.spec ?? {};
    const index = indexOf(before) ?? -1;
    if (completionMode === "Indexed") {
      if (index < 0 || index >= completions) return;
      if (hasSucceeded(before) && indexesIn(job.status?.completedIndexes).has(index)) return;
    }
    this.#world.violate(`${line}: the Job has not counted the pod, which has finished`);
  }

  /** A Job that is said to have ended has reason to. */
  #checkEnd(before: Job | undefined, job: Job, { process, line }: Write): void {
    const { backoffLimit = 6, template } = job.spec ?? {};
    if (before === undefined || isJobFinished(before)) return;
    if (isSuccess(job) && !isSuccess(before)) this.#checkSuccess(job, line);
    if (!isJobFinished(job)) return;
    const { conditions, failed = 0, uncountedTerminatedPods = {} } = job.status ?? {};
    const waiting = Object.values(uncountedTerminatedPods).flat().length;
    if (waiting > 0) this.#world.violate(`${line}: has ended with ${waiting} pods that are not counted`);
    const running = this.#ledger.unfinishedSince(job.metadata.uid ?? "", this.#horizonMs(process));
    if (running.length > 0)
      this.#world.violate(
        `${line}: has ended while ${running.map(({ metadata }) => metadata.name).join(", ")} run`,
      );
    const limit = conditions?.find(({ reason }) => reason === "BackoffLimitExceeded");
    const restarts = template?.spec?.restartPolicy === "OnFailure";
    if (limit !== undefined && !restarts && failed <= backoffLimit)
      this.#world.violate(`${line}: has failed ${failed} times and may ${backoffLimit}`);
  }

  /** Once a Job is a success it stays one, though users may ask for more completions before it has ended. */
  #checkSuccess(job: Job, line: string): void {
    const { completions = 1, successPolicy } = job.spec ?? {};
    const { succeeded = 0, uncountedTerminatedPods } = job.status ?? {};
    const least = successPolicy === undefined ? completions : 1;
    const successes = succeeded + (uncountedTerminatedPods?.succeeded?.length ?? 0);
    if (successes < least)
      this.#world.violate(`${line}: is a success with ${successes} of ${least} successes`);
  }

  #horizonMs(process: ManagerProcess): number {
    return this.#beliefs.horizonMs(process, KINDS, QUICK_SYNC_MS);
  }
}

function isSuccess({ status }: Job): boolean {
  return ["SuccessCriteriaMet", "Complete"].some((type) => hasCondition(status?.conditions, type, "True"));
}
