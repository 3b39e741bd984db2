import type { Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodActive, isPodTerminal, isPodTerminating } from "../../../pkg/api/pod.ts";
import { BUCKETS } from "../world/history.ts";
import type { World } from "../world/world.ts";
import { hasFailed, hasSucceeded, isEnding, isIgnored, mostActive, waitsForEnd } from "./job-facts.ts";
import { RecentByKey } from "./recent.ts";
import { stateAfter } from "./write.ts";

/** All uids that were ever listed as finished and not yet counted. */
interface Listed {
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;
}

/**
 * The books of all Jobs, kept from what is stored: every pod that is listed as finished is counted later, once, and no
 * other is. Keyed by uids of Jobs.
 */
export class JobLedger {
  /** How many pods may be active. */
  readonly most = new RecentByKey();
  readonly jobs = new Map<string, Job>();
  /** When a pod was first seen to have finished, by its uid. */
  readonly finishedMs = new Map<string, number>();
  /** Pods that count as failed, or did: one that is being deleted does until it succeeds after all. */
  readonly #failed = new Set<string>();
  readonly #world: World;
  /** Of each Job, by uid, as they were last: those that are gone, too. */
  readonly #pods = new Map<string, Map<string, Pod>>();
  readonly #gone = new Set<string>();
  readonly #listed = new Map<string, Listed>();
  readonly #createdMs = new Map<string, number>();
  /** Who deleted a pod, where its own controller did. */
  readonly #deleters = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
    const { store } = world.server.parts;
    store.subscribe(BUCKETS["jobs"] ?? "", (event) => this.#jobChanged(event.object, stateAfter(event)));
    store.subscribe("pods", (event) =>
      this.#podChanged(event.previous, event.object, event.type === "DELETED"),
    );
  }

  /** Those that are still there. */
  podsOf(uid: string): readonly Pod[] {
    return [...(this.#pods.get(uid)?.values() ?? [])].filter(
      ({ metadata }) => !this.#gone.has(metadata.uid ?? ""),
    );
  }

  /** Pods that have been there since then and have not finished. */
  unfinishedSince(uid: string, sinceMs: number): readonly Pod[] {
    return this.podsOf(uid).filter(
      (pod) => !isPodTerminal(pod) && (this.#createdMs.get(pod.metadata.uid ?? "") ?? Infinity) < sinceMs,
    );
  }

  deletedBy(uid: string, process: string): void {
    if (!this.finishedMs.has(uid) || this.finishedMs.get(uid) === this.#world.clock.monotonicMs())
      this.#deleters.set(uid, process);
  }

  /** Pods that hold a place: those that run and, where replacements wait for it, those that have yet to end. */
  runningOf(uid: string): readonly Pod[] {
    const job = this.jobs.get(uid);
    const waits = job !== undefined && waitsForEnd(job);
    return this.podsOf(uid).filter((pod) => isPodActive(pod) || (waits && isPodTerminating(pod)));
  }

  #podChanged(before: Pod | undefined, pod: Pod, isGone: boolean): void {
    const uid = pod.metadata.uid ?? "";
    const nowMs = this.#world.clock.monotonicMs();
    const owners = new Set([before && controllerOf(before)?.uid, controllerOf(pod)?.uid]);
    if (isGone) this.#gone.add(uid);
    if (!this.#createdMs.has(uid)) this.#createdMs.set(uid, nowMs);
    for (const owner of owners) {
      if (owner === undefined) continue;
      const pods = this.#pods.get(owner) ?? new Map<string, Pod>();
      this.#pods.set(owner, pods);
      if (controllerOf(pod)?.uid === owner) pods.set(uid, pod);
      else pods.delete(uid);
      const job = this.jobs.get(owner);
      if (job === undefined) continue;
      if (hasFailed(pod, job)) this.#failed.add(uid);
      if (!this.finishedMs.has(uid) && (hasSucceeded(pod) || hasFailed(pod, job)))
        this.finishedMs.set(uid, nowMs);
      this.most.set(owner, nowMs, mostActive(job, this.podsOf(owner)));
    }
  }

  #jobChanged(job: Job, after: Job | undefined): void {
    const uid = job.metadata.uid ?? "";
    const nowMs = this.#world.clock.monotonicMs();
    if (after === undefined) {
      this.jobs.delete(uid);
      this.most.set(uid, nowMs, 0);
      return;
    }
    this.jobs.set(uid, after);
    this.most.set(uid, nowMs, mostActive(after, this.podsOf(uid)));
    this.#checkBooks(uid, after);
  }

  #checkBooks(uid: string, job: Job): void {
    const listed = this.#listed.get(uid) ?? { succeeded: new Set(), failed: new Set() };
    this.#listed.set(uid, listed);
    const { uncountedTerminatedPods = {}, succeeded = 0, failed = 0 } = job.status ?? {};
    for (const what of ["succeeded", "failed"] as const) {
      const uids = (uncountedTerminatedPods[what] ?? []).filter((pod) => !listed[what].has(pod));
      for (const pod of uids) listed[what].add(pod);
      this.#checkListed(uid, job, what, uids);
    }
    const check = (what: "succeeded" | "failed", counted: number): void => {
      const waiting = uncountedTerminatedPods[what]?.length ?? 0;
      if (counted + waiting !== listed[what].size)
        this.#world.violate(
          `${job.metadata.name} counts ${counted} ${what} and lists ${waiting}, of ${listed[what].size} pods in all`,
        );
    };
    // With indexes the successes are those of the indexes.
    if (job.spec?.completionMode !== "Indexed") check("succeeded", succeeded);
    check("failed", failed);
  }

  /** What is newly listed has finished so, or its Job is failing. */
  #checkListed(owner: string, job: Job, what: "succeeded" | "failed", uids: readonly string[]): void {
    for (const uid of uids) {
      const pod = this.#pods.get(owner)?.get(uid);
      if (pod === undefined) continue;
      const is = what === "succeeded" ? hasSucceeded(pod) : this.#failed.has(uid) || isEnding(job);
      // A Job that ends takes pods for failed that it has not seen to be disrupted.
      if (!is || (what === "failed" && isIgnored(pod, job) && !isEnding(job)))
        this.#world.violate(`${job.metadata.name} lists ${pod.metadata.name} as ${what}, which it has not`);
      // What was not needed any more has not failed. A successor may have other reasons than the one who deleted it.
      // One whose pods restart in place was failing as long as their restarts were known: with a pod they are gone.
      const { process } = this.#world.actor;
      const restarts = job.spec?.template.spec?.restartPolicy === "OnFailure";
      // Nor has one of a Job that has failed and cannot say so yet, as its cache has not seen all pods, or as the
      // deletion of another pod was lost: by somebody's clock its time was over.
      const hasDeadline = job.spec?.activeDeadlineSeconds !== undefined;
      const ends = isEnding(job) || hasDeadline || mostActive(job, this.podsOf(owner)) === 0;
      if (what === "failed" && !ends && !restarts && this.#deleters.get(uid) === process?.name)
        this.#world.violate(
          `${job.metadata.name} lists ${pod.metadata.name} as failed, which it deleted itself`,
        );
    }
  }

  /** Whether the pod has been listed, or its index, so that it can lose the finalizer. */
  isEntered(owner: string, uid: string): boolean {
    const listed = this.#listed.get(owner);
    return listed?.succeeded.has(uid) === true || listed?.failed.has(uid) === true;
  }
}
