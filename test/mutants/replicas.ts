import type { Mutant } from "./mutant.ts";

const STALE_CACHES = ["replicaset", "daemonset", "job"].map(
  (controller) => `controllers/${controller}/stale-caches.test.ts`,
);

/** What is remembered of an owner, and what becomes of it under another of its name. */
const identityMutants: readonly Mutant[] = [
  ...STALE_CACHES.map((test) => ({
    name: `gives what is remembered of an owner to another of its name (${test})`,
    file: "pkg/api/per-owner.ts",
    find: "return entry?.uid === owner.metadata.uid ? entry?.value : undefined;",
    replace: "return entry?.value;",
    tests: [test],
  })),
  {
    name: "forgets what is remembered of the second owner when the first is gone",
    file: "pkg/api/per-owner.ts",
    find: "if (this.#entries.get(keyOf(owner))?.uid === owner.metadata.uid) ",
    replace: "",
    tests: ["pkg/controller/expectations.test.ts"],
  },
];

/** Caches that are behind. */
const staleMutants: readonly Mutant[] = [
  {
    name: "does not wait any longer for a cache that has been behind for five minutes",
    file: "pkg/controller/consistency.ts",
    find: "written.warnAtMs = undefined;",
    replace: "this.#written.delete(key);",
    tests: ["pkg/controller/consistency.test.ts", "controllers/replicaset/stale-caches.test.ts"],
  },
  {
    name: "does not wait for the cache to see what it has deleted",
    file: "pkg/controller/pod-control.ts",
    find: "if (isObject(deleted)) onWrite?.(deleted, controllerOf(deleted));",
    replace: "void deleted;",
    tests: ["controllers/replicaset/stale-caches.test.ts"],
  },
  {
    name: "takes a Status that answers a deletion for a pod",
    file: "pkg/controller/pod-control.ts",
    find: 'return answer.kind !== "Status";',
    replace: "return true;",
    tests: ["pkg/controller/pod-control.test.ts"],
  },
  {
    name: "lets bookmarks overtake events that are held up",
    file: "pkg/apiserver/server/watch.ts",
    find: "? () => tellBookmark(bookmarkFrame(output, { resourceVersion: String(store.revision) }))",
    replace: "? () => stream.push(bookmarkFrame(output, { resourceVersion: String(store.revision) }))",
    tests: ["pkg/apiserver/server/api-server.test.ts"],
  },
  {
    name: "lets a watch that is taken up again past what is held up",
    file: "pkg/apiserver/server/watch.ts",
    find: "!start.fromState && call.faults.holds(call.subject)",
    replace: '!start.fromState && call.faults.holds({ ...call.subject, resource: "" })',
    tests: ["pkg/apiserver/server/api-server.test.ts"],
  },
];

/** What is read by name and then written. */
const liveMutants: readonly Mutant[] = [
  {
    name: "takes another object of the name for the one that is meant",
    file: "pkg/controller/read-live.ts",
    find: "return uid !== undefined && live.metadata.uid === uid ? live : undefined;",
    replace: "return live;",
    tests: ["pkg/controller/read-live.test.ts"],
  },
  {
    name: "takes an object without a known uid for the one that is meant",
    file: "pkg/controller/read-live.ts",
    find: "return uid !== undefined && live.metadata.uid === uid ? live : undefined;",
    replace: "return uid === undefined || live.metadata.uid === uid ? live : undefined;",
    tests: ["pkg/controller/read-live.test.ts"],
  },
  {
    name: "writes what was read over what others have written since",
    file: "pkg/controller/read-live.ts",
    find: "metadata: { ...changed.metadata, uid, resourceVersion }",
    replace: "metadata: { ...changed.metadata, uid }",
    tests: ["pkg/controller/read-live.test.ts"],
  },
  {
    name: "takes any conflict of a deletion for an object that is gone",
    file: "pkg/controller/read-live.ts",
    find: "isNotFound(error) || isUnmetPrecondition(error)",
    replace: "isNotFound(error) || (error as { code?: number }).code === 409",
    tests: ["pkg/controller/read-live.test.ts"],
  },
  {
    name: "takes a refused read for an object that is gone",
    file: "pkg/controller/read-live.ts",
    find: "if (isNotFound(error)) return undefined;",
    replace: "if (error !== undefined) return undefined;",
    tests: ["pkg/controller/read-live.test.ts"],
  },
  {
    name: "writes what is another's by now, as it has the name",
    file: "pkg/controller/recorded-writes.ts",
    find: "const identity = identityOf(object);",
    replace: "const identity = identityOf(await this.#client.get(refOf(object)));",
    tests: [
      "controllers/replicaset/sync.test.ts",
      "controllers/statefulset/stale-caches.test.ts",
      "controllers/daemonset/stale-caches.test.ts",
    ],
  },
  {
    name: "numbers a revision anew that only has the name of the one that is meant",
    file: "pkg/controller/history/owned-revisions.ts",
    find: "const live = await this.live(sync, revision);",
    replace: "const live = await this.underNameOf(revision, sync.signal);",
    tests: ["pkg/controller/history/owned-revisions.test.ts"],
  },
];

/** Deletions of what a cache shows. */
const deletionMutants: readonly Mutant[] = [
  {
    name: "deletes a pod that has taken the name of another",
    file: "pkg/controller/pod-control.ts",
    find: "const deleted = await pods.delete({ namespace, name }, { preconditions: { uid } }, signal);",
    replace: "void uid;\n      const deleted = await pods.delete({ namespace, name }, {}, signal);",
    tests: ["controllers/replicaset/wiring.test.ts"],
  },
];

/** Claims, and errors of which several happen. */
const claimMutants: readonly Mutant[] = [
  {
    name: "goes on with an adopted object as it was before",
    file: "pkg/controller/ownership.ts",
    find: "claimed.push(await adopt(claimer, object, ownerStays));\n        continue;",
    replace: "await adopt(claimer, object, ownerStays);",
    tests: ["pkg/controller/ownership.test.ts"],
  },
  {
    name: "does not wait for the cache to see what was adopted or released",
    file: "pkg/controller/recorded-writes.ts",
    find: "return this.wrote(writer, await this.#client.patch(refOf(object), patch, {}, writer.signal));",
    replace: "return this.#client.patch(refOf(object), patch, {}, writer.signal);",
    tests: ["controllers/deployment/wiring.test.ts"],
  },
  {
    name: "says nothing of an object that cannot be released",
    file: "pkg/controller/ownership.ts",
    find: "if (!isInvalid(error)) throw error;",
    replace: "if (isInvalid(error)) return;\n    throw error;",
    tests: ["pkg/controller/ownership.test.ts"],
  },
  {
    name: "warns of an object that was replaced before it was released",
    file: "pkg/controller/ownership.ts",
    find: "if (isGoneOrReplaced(error)) return;",
    replace: "",
    tests: ["pkg/controller/ownership.test.ts"],
  },
  {
    name: "does not wait for the cache to see the pod that was released",
    file: "pkg/controller/owned-pods.ts",
    find: "        this.#consistency.wroteFor(owner, resources.pods, claimed);\n",
    replace: "",
    tests: ["pkg/controller/owned-pods.test.ts"],
  },
  {
    name: "forgets that a ReplicaSet could not be created when the condition cannot be written either",
    file: "pkg/api/errors.ts",
    find: "throw combinedError([error, second]);",
    replace: "throw second;",
    tests: ["controllers/deployment/wiring.test.ts"],
  },
];

/** What holds the decisions of Deployments and ReplicaSets together. */
const WIRING = ["controllers/deployment/wiring.test.ts"];
const wiringMutants: readonly Mutant[] = [
  {
    name: "takes no old ReplicaSet away after a rollout, whatever the history limit",
    file: "controllers/deployment/sync.ts",
    find: "decideCleanup(round.deployment, round.old)",
    replace: "decideCleanup(round.deployment, [])",
    tests: WIRING,
  },
  {
    name: "takes no old ReplicaSet away while a Deployment is paused",
    file: "controllers/deployment/sync.ts",
    find: "decideCleanup(deployment, round.old)",
    replace: "decideCleanup(deployment, [])",
    tests: WIRING,
  },
  {
    name: "rolls out what is paused, and nothing else",
    file: "controllers/deployment/sync.ts",
    find: "if (round.deployment.spec?.paused === true) return scaleOnly",
    replace: "if (round.deployment.spec?.paused !== true) return scaleOnly",
    tests: WIRING,
  },
  {
    name: "does not wait to see the ReplicaSet that it has updated",
    file: "pkg/controller/recorded-writes.ts",
    find: "return this.wrote(writer, await this.#client.update(changed, this.#writing, writer.signal));",
    replace: "return this.#client.update(changed, this.#writing, writer.signal);",
    tests: WIRING,
  },
];

const gateMutants: readonly Mutant[] = [
  {
    name: "keeps the oldest ReplicaSets instead of the newest",
    file: "controllers/deployment/cleanup.ts",
    find: "byAge(one, other) : compareInt64(a, b)",
    replace: "byAge(one, other) : compareInt64(b, a)",
    tests: ["controllers/deployment/cleanup.test.ts"],
  },
  {
    name: "counts terminating pods of Deployments whatever the feature gate says",
    file: "controllers/deployment/context.ts",
    find: 'features.enabled("DeploymentReplicaSetTerminatingReplicas")',
    replace: "true",
    tests: WIRING,
  },
];

/** Numbers of pods, fields of later versions, counts that must go. */
const behaviourMutants: readonly Mutant[] = [
  {
    name: "leaves the count of terminating pods when these are not counted any more",
    file: "controllers/replicaset/status.ts",
    find: "    terminatingReplicas: _count,\n",
    replace: "",
    tests: ["controllers/replicaset/status.test.ts"],
  },
  {
    name: "counts terminating pods of others",
    file: "controllers/replicaset/sync.ts",
    find: "isPodTerminating(pod) && isControlledBy(pod, owner) && matches(pod)",
    replace: "isPodTerminating(pod) && matches(pod)",
    tests: ["controllers/replicaset/wiring.test.ts"],
  },
  {
    name: "counts terminating pods that are not selected any more",
    file: "controllers/replicaset/sync.ts",
    find: "isControlledBy(pod, owner) && matches(pod)",
    replace: "isControlledBy(pod, owner)",
    tests: ["controllers/replicaset/wiring.test.ts"],
  },
  {
    name: "rolls out because of a field of a later version",
    file: "pkg/api/equality.ts",
    find: "return field === undefined || fieldsEqual(",
    replace:
      'return fieldsEqual(field ?? { name: key, type: { kind: "any" }, required: false, listMapKeys: [], patchStrategies: [] },',
    tests: ["controllers/deployment/replica-sets.test.ts"],
  },
  {
    name: "keeps fields of a later version in revisions",
    file: "pkg/api/controller-revision.ts",
    find: 'knownFields(template, "core.v1.PodTemplateSpec")',
    replace: "template",
    tests: ["pkg/api/controller-revision.test.ts"],
  },
  {
    name: "reads a selector anew for each pod",
    file: "pkg/api/label-selector.ts",
    find: "parsed.set(spec, selector);",
    replace: "",
    tests: ["pkg/api/label-selector.test.ts"],
  },
  {
    name: "takes the ages of pods as arguments of a call",
    file: "controllers/replicaset/deletion-age.ts",
    find: "largest(ready.map(createdMs)) ?? -Infinity",
    replace: "Math.max(...ready.map(createdMs))",
    tests: ["controllers/replicaset/replicas.test.ts"],
  },
  {
    name: "takes times of failures as arguments of a call",
    file: "controllers/job/backoff.ts",
    find: "largest(failures)",
    replace: "Math.max(...failures)",
    tests: ["controllers/job/backoff.test.ts"],
  },
  {
    name: "takes waits for pods as arguments of a call",
    file: "pkg/api/pod.ts",
    find: "const waitMs = smallest(",
    replace:
      "const smallestOf = (values: readonly number[]) => Math.min(...values);\n  const waitMs = smallestOf(",
    tests: ["pkg/api/pod.test.ts"],
  },
  {
    name: "sorts all pods to find a few",
    file: "pkg/api/extremes.ts",
    find: "if (count >= items.length / 2)",
    replace: "if (count >= 0)",
    tests: ["pkg/api/extremes.test.ts"],
  },
  {
    name: "measures no ages of pods that ReplicaSets and ReplicationControllers delete",
    file: "controllers/replicaset/sync.ts",
    find: "deletionAges.observe(ratio)",
    replace: "void ratio",
    tests: ["controllers/replicaset/wiring.test.ts"],
  },
];

/** What holds the event loop for longer than others can wait. */
const loopMutants: readonly Mutant[] = [
  {
    name: "counts up to as many replicas as a ReplicaSet asks for",
    file: "controllers/replicaset/replicas.ts",
    find: "const missing = view.desired - view.active;",
    replace: "let missing = -view.active;\n  while (missing < view.desired - view.active) missing++;",
    tests: ["cmd/kube-controller-manager/extreme-specs.property.test.ts"],
  },
  {
    name: "counts up to as many indexes as a Job has",
    file: "controllers/job/index-ranges.ts",
    find: "    const missing: number[] = [];",
    replace:
      "    const missing: number[] = [];\n    for (let index = 0; index < completions; index++) if (index < 0) missing.push(index);",
    tests: ["cmd/kube-controller-manager/extreme-specs.property.test.ts"],
  },
  {
    name: "reads the index of a pod at each comparison",
    file: "controllers/job/accounting.ts",
    find: ".toSorted((one, other) => one.index - other.index)",
    replace: ".toSorted((one, other) => (indexOf(one.pod) ?? -1) - (indexOf(other.pod) ?? -1))",
    tests: ["controllers/job/many-pods.test.ts"],
  },
];

export const replicasMutants: readonly Mutant[] = [
  ...identityMutants,
  ...staleMutants,
  ...liveMutants,
  ...deletionMutants,
  ...claimMutants,
  ...wiringMutants,
  ...gateMutants,
  ...behaviourMutants,
  ...loopMutants,
];
