import type { Edit } from "../../mutants/mutant.ts";
import type { Mutant } from "./mutant.ts";

/** Pods count as available though their ReplicaSet is about to delete them. */
const AVAILABLE_AS_REPORTED: Edit = {
  file: "controllers/deployment/rolling.ts",
  find: "return Math.min(availableOf(replicaSet), sizeOf(replicaSet));",
  replace: "return availableOf(replicaSet);",
};

/** In what Deployments, ReplicaSets and everything below them rest on. */
export const workloadMutants: readonly Mutant[] = [
  {
    name: "acts without waiting for what it expects to see",
    file: "controllers/replicaset/replicas.ts",
    find: "if (!view.expectationsMet)",
    replace: "if (false as boolean)",
  },
  {
    name: "does not wait for its caches to show its own writes",
    file: "pkg/controller/consistency.ts",
    find: "return (versionOrder(version, other) ?? 0) < 0;",
    replace: "return (versionOrder(version, other) ?? 0) < -2;",
  },
  {
    name: "neither expects anything nor waits for its own writes",
    file: "controllers/replicaset/sync.ts",
    find: "const isSettled = owned.settled(owner);",
    replace: "const isSettled = true;",
    also: {
      file: "pkg/controller/kit.ts",
      find: "gate?.waitMs(key) ?? consistency.waitMs(key)",
      replace: "gate?.waitMs(key)",
    },
  },
  {
    name: "expects more creations than it makes",
    file: "pkg/controller/owned-pods.ts",
    find: "this.#expectations.expectCreations(owner, count);",
    replace: "this.#expectations.expectCreations(owner, count + 1);",
  },
  {
    name: "goes on expecting pods that could not be created",
    needs: ["request errors", "watches hold"],
    file: "pkg/controller/owned-pods.ts",
    find: "this.#expectations.lower(owner, count - successes, 0);",
    replace: "",
  },
  {
    name: "does not look again when what it expects has been given up",
    needs: ["expired history"],
    file: "controllers/replicaset/sync.ts",
    find: "owned.untilSettledMs(owner)]",
    replace: "undefined as number | undefined]",
  },
  {
    name: "counts the deletion of a pod twice",
    file: "pkg/controller/expectations.ts",
    find: "if (this.#awaited.get(owner)?.delete(object)) this.#expectations.deletionObserved(owner);",
    replace: "this.#expectations.deletionObserved(owner);",
  },
  {
    name: "creates one pod too many",
    file: "controllers/replicaset/replicas.ts",
    find: "const missing = view.desired - view.active;",
    replace:
      "const missing = view.desired - view.active + (view.active > 2 && view.active < view.desired ? 1 : 0);",
  },
  {
    name: "counts pods that are being deleted as active",
    file: "controllers/replicaset/sync.ts",
    find: "pods.filter(isPodActive), matches",
    replace: "pods, matches",
  },
  {
    name: "does not wake the former owner of a pod",
    needs: ["watches hold"],
    file: "pkg/controller/wake-rules.ts",
    find: "if (former !== undefined) wake(keyOf(former), rule.afterMs);",
    replace: "",
  },
  {
    name: "does not wake owners for a pod that nobody manages any more",
    needs: ["watches hold"],
    file: "pkg/controller/wake-rules.ts",
    find: "if (isOpenToOthers) wakeAdopters(rule, after, wake);",
    replace: "",
  },
  {
    name: "does not look again when a pod has been ready for long enough",
    file: "controllers/replicaset/status.ts",
    find: "return untilNextPodAvailableMs(view.active, seconds, nowMs, nowMs) ?? seconds * 1_000;",
    replace: "return undefined;",
  },
  {
    name: "does not say which generation of a ReplicaSet it has seen",
    file: "controllers/replicaset/status.ts",
    find: "observedGeneration: view.owner.metadata.generation ?? 0 }",
    replace: "observedGeneration: view.owner.status?.observedGeneration ?? 1 }",
  },
  {
    name: "does not say which generation of a Deployment it has seen",
    file: "controllers/deployment/status.ts",
    find: "observedGeneration: deployment.metadata.generation ?? 0,",
    replace: "observedGeneration: deployment.status?.observedGeneration ?? 1,",
  },
  {
    name: "refreshes a condition at every look",
    file: "controllers/deployment/progress.ts",
    find: "if (wasComplete) return conditions;",
    replace:
      'if (wasComplete) return withRefreshedCondition(conditions, newCondition({ type: PROGRESSING, status: "True", reason: NEW_REPLICA_SET_AVAILABLE, message: "again" }, nowMs));',
  },
  {
    name: "lets one pod more than surge allows",
    file: "controllers/deployment/rolling.ts",
    find: "const room = desired + maxSurge(deployment) - totalSize(all);",
    replace: "const room = desired + maxSurge(deployment) + 1 - totalSize(all);",
  },
  {
    name: "lets one pod more be unavailable than may be",
    file: "controllers/deployment/rolling.ts",
    find: "const mustBeAvailable = desiredReplicas(deployment) - maxUnavailable(deployment);",
    replace: "const mustBeAvailable = desiredReplicas(deployment) - maxUnavailable(deployment) - 1;",
  },
  {
    name: "trusts a ReplicaSet that reports more pods than it is to have",
    file: "controllers/deployment/rolling.ts",
    find: "if (unavailable < 0) return false;",
    replace: "if (unavailable < 0) continue;",
    also: AVAILABLE_AS_REPORTED,
  },
  {
    name: "counts pods as available that a ReplicaSet is about to lose",
    ...AVAILABLE_AS_REPORTED,
  },
  {
    name: "takes available pods without counting them",
    file: "controllers/deployment/rolling.ts",
    find: "takeAvailable(sizes, reasons, available - mustBeAvailable);",
    replace: "takeAvailable(sizes, reasons, mayGo);",
  },
  {
    name: "does not notice that a Deployment was scaled in the middle of a rollout",
    file: "controllers/deployment/scaling.ts",
    find: "return desired !== undefined && desired !== desiredReplicas(deployment);",
    replace: "return false;",
  },
  {
    name: "gives what rounding leaves twice",
    file: "controllers/deployment/scaling.ts",
    find: "(index === 0 ? toAdd - added : 0)",
    replace: "(index === 0 ? 2 * (toAdd - added) : 0)",
  },
  {
    name: "leaves a Deployment that recreates out of a rolling update as it is",
    file: "controllers/deployment/scaling.ts",
    find: "if (active.length > 1 && !isRollingUpdate(deployment)) return false;",
    replace: "",
  },
  {
    name: "leaves the annotations of an adopted ReplicaSet of the right size",
    area: "ownership",
    file: "controllers/deployment/scaling.ts",
    find: "if (!isScalingEvent(deployment, revisions)) return [];",
    replace: "return [];",
  },
  {
    name: "does not wait for old pods to end before it recreates",
    file: "controllers/deployment/recreate.ts",
    find: "if (sum(revisions.old, podsOf) > 0) return true;",
    replace: "return false;",
  },
  {
    name: "is not told when the last old pod has ended",
    file: "controllers/deployment/handlers.ts",
    find: "if (!podsLeft) wake(keyOf(owner));",
    replace: "",
    // Their ReplicaSet tells of it, too, where it counts those that are being deleted.
    also: {
      file: "controllers/deployment/controller.ts",
      find: "replicaSets.wakes(queue, owned.rule(itsDeployment));",
      replace: `replicaSets.wakes(queue, (change, wake) => {
        const hasFewer = change.type === "updated" && (change.object.status?.terminatingReplicas ?? 0) < (change.before.status?.terminatingReplicas ?? 0);
        if (!hasFewer) owned.rule(itsDeployment)(change, wake);
      });`,
    },
  },
  {
    name: "keeps one old ReplicaSet less than it should",
    file: "controllers/deployment/cleanup.ts",
    find: ".slice(0, Math.max(0, kept.length - limit))",
    replace: ".slice(0, Math.max(0, kept.length - limit + 1))",
  },
  {
    name: "deletes old ReplicaSets that have pods",
    file: "controllers/deployment/cleanup.ts",
    find: ".filter(isEmpty);",
    replace: ";",
  },
  {
    name: "gives a revision that comes back its old number",
    file: "controllers/deployment/sync-revision.ts",
    find: "currentAnnotations(deployment, current.metadata.annotations, nextRevision(old))",
    replace: "currentAnnotations(deployment, current.metadata.annotations, nextRevision([]))",
  },
  {
    name: "overwrites what others have changed meanwhile",
    area: "ownership",
    needs: ["stale cache"],
    file: "pkg/controller/recorded-writes.ts",
    find: "await this.#client.update(changed, this.#writing, writer.signal)",
    replace:
      "await this.#client.update({ ...changed, metadata: { ...changed.metadata, resourceVersion: undefined } } as unknown as T, this.#writing, writer.signal)",
  },
  {
    name: "releases what matches",
    file: "pkg/controller/ownership.ts",
    find: `if (matches(object)) return "keep";`,
    replace: `if (!matches(object)) return "keep";`,
  },
  {
    name: "never releases what no longer matches",
    file: "pkg/controller/ownership.ts",
    find: `return ownerIsLeaving ? undefined : "release";`,
    replace: `return "keep";`,
  },
  {
    name: "adopts without looking whether the owner is still there",
    area: "ownership",
    needs: ["stale cache"],
    file: "pkg/controller/ownership.ts",
    find: "ownerStays ??= checkOwner(claimer, signal);",
    replace: "ownerStays ??= Promise.resolve();",
  },
  {
    name: "writes whatever became of the lease",
    needs: ["pause leader"],
    file: "pkg/leader/fenced-transport.ts",
    find: "if (!gate.canWrite())",
    replace: "if (false as boolean)",
  },
  {
    name: "takes a lease that has not expired",
    file: "pkg/leader/election.ts",
    find: `if (current.holder !== "" && !this.isHolder && this.#isValidAt(startedAt.monotonicMs)) {`,
    replace: `if (current.holder !== "" && !this.isHolder && this.#isValidAt(startedAt.monotonicMs + 12_000)) {`,
  },
  {
    name: "gives the lease back before its work has ended",
    needs: ["stop leader at a write"],
    file: "pkg/leader/elector.ts",
    find: "const isKept = await this.#renewUntil(workEnded.signal);",
    replace:
      "const isKept = await this.#renewUntil(AbortSignal.any([workEnded.signal, signal])); if (isKept && releaseOnStop) await this.#release();",
  },
  {
    name: "is not told of deletions that it missed",
    file: "pkg/cache/informer/delta-pump.ts",
    find: `if (!objects.has(key)) notifications.push({ type: "delete", object, missed: true });`,
    replace: "",
  },
  {
    name: "keeps in its cache what a new list no longer has",
    file: "pkg/cache/informer/delta-pump.ts",
    find: "const exchange = yield* store.prepareReplace(objects, resourceVersion);",
    replace:
      "const exchange = yield* store.prepareReplace(new Map([...store.entries(), ...objects]), resourceVersion);",
  },
  {
    name: "goes on from now when its history has expired",
    file: "pkg/cache/feed/reflector.ts",
    find: `if (isExpired(error)) return this.#pause("empty", error);`,
    replace: `if (isExpired(error)) { this.#version = ""; return this.#pause("watching", error); }`,
  },
  {
    name: "loses a key that changes while it is worked on",
    file: "pkg/workqueue/work-queue.ts",
    find: "else if (known.processing) this.#markAgain(known, wanted);",
    replace: "else if (known.processing) return;",
  },
  {
    name: "loses delayed keys when an earlier one comes",
    file: "pkg/workqueue/work-queue.ts",
    find: "const known = this.#delayed.get(key);",
    replace: "if (this.#delayed.size > 1) return; const known = this.#delayed.get(key);",
  },
  {
    name: "does not try again what has failed",
    file: "pkg/controller/worker.ts",
    find: `log.error(error, "Sync failed, to be retried", { durationMs, retries });`,
    replace: "return queue.forget(key);",
  },
  {
    name: "changes an object of the cache",
    file: "controllers/deployment/sync.ts",
    find: "const selector = readSelector(deployment);",
    replace:
      "const selector = readSelector(deployment); if (deployment.status !== undefined) (deployment.status as { replicas: number }).replicas = 0;",
  },
  {
    name: "takes an object of the same name for the owner",
    area: "jobs",
    needs: ["stale cache"],
    file: "pkg/controller/owner-lookup.ts",
    find: "return owner?.metadata.uid === reference.uid ? owner : undefined;",
    replace: "return owner;",
  },
  {
    name: "takes any ReplicaSet of the right name for its own",
    area: "ownership",
    file: "controllers/deployment/apply.ts",
    find: "if (isControlledBy(existing, deployment) && sameTemplate(",
    replace: "if (sameTemplate(",
  },
];
