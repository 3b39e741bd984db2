import { type Mutant, mutantsOf } from "./mutant.ts";

/** A request that fails, a server that is away, a selector that cannot be read, an object that was replaced. */
const test = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `controllers/${name}.test.ts`);

const attach = mutantsOf("attach-detach", test("attachdetach/troubles"));
const volumes: readonly Mutant[] = [
  attach(
    "a detachment is waited for that the server never heard of",
    "controllers/attachdetach/apply.ts",
    '      operations.end(sync.key);\n      release(context, place.volume);\n      throw error;\n    }\n    sync.log.error(error, "The volume could not be detached"',
    '      release(context, place.volume);\n      throw error;\n    }\n    sync.log.error(error, "The volume could not be detached"',
  ),
  attach(
    "an outage is a failure of the driver that detaches",
    "controllers/attachdetach/apply.ts",
    'if (!(error instanceof ApiError) || isUnreachable(error)) {\n      operations.end(sync.key);\n      release(context, place.volume);\n      throw error;\n    }\n    sync.log.error(error, "The volume could not be detached"',
    'if (!(error instanceof ApiError) && !isUnreachable(error)) {\n      operations.end(sync.key);\n      release(context, place.volume);\n      throw error;\n    }\n    sync.log.error(error, "The volume could not be detached"',
  ),
  attach(
    "volumes that stand in pods do not follow their driver",
    "controllers/attachdetach/sync-pods.ts",
    "await forEachInTurns(clock, inline,",
    "await forEachInTurns(clock, inline.slice(0, 0),",
  ),
  attach(
    "each change of a claim wakes it",
    "controllers/attachdetach/handlers.ts",
    "if (change.before.spec?.volumeName === claim.spec?.volumeName) return;",
    "",
  ),
  attach(
    "a driver that attaches from now on wakes nobody",
    "controllers/attachdetach/handlers.ts",
    "spec.attachRequired !== false;\n  if (change",
    "spec.attachRequired === undefined;\n  if (change",
  ),
];

const recycle = mutantsOf("persistentvolume-binder", test("persistentvolume/recycling"));
const binder: readonly Mutant[] = [
  recycle(
    "a volume is free though its recycler's pod stays",
    "controllers/persistentvolume/sync-recycle.ts",
    "if (failure === undefined)\n      throw",
    "if (failure !== undefined)\n      throw",
  ),
  recycle(
    "why scrubbing failed is not told when the pod stays",
    "controllers/persistentvolume/sync-recycle.ts",
    "    if (failure === undefined)\n      throw",
    "    throw",
  ),
  recycle(
    "an old recycler's pod that stays is scrubbed by",
    "controllers/persistentvolume/sync-recycle.ts",
    "      throw new Error(`failed to delete old recycler pod ${namespace}/${name}: ${messageOf(deleteError)}`, {\n        cause: deleteError,\n      });",
    "      return await podClient.get({ namespace, name }, {}, writing.signal);",
  ),
  {
    name: "persistentvolume-binder: why nothing was provisioned is not told where the scheduler cannot be",
    file: "controllers/persistentvolume/sync-provision.ts",
    find: '    log.warn("The node could not be taken off a claim", {',
    replace: '    throw error;\n    log.warn("The node could not be taken off a claim", {',
    tests: test("persistentvolume/sync-provision"),
  },
];

const namespaceContent = mutantsOf("namespace", test("namespace/sync-content", "namespace/sync"));
const lifecycle: readonly Mutant[] = [
  namespaceContent(
    "what guards pods goes while they cannot be deleted",
    "controllers/namespace/sync-content.ts",
    "const hasPods = podErrors.length > 0 || ",
    "const hasPods = ",
  ),
  namespaceContent(
    "pods that cannot be deleted are no failure",
    "controllers/namespace/sync-content.ts",
    "const failures = [...errors, ...podErrors, ",
    "const failures = [...errors, ",
  ),
  namespaceContent(
    "a version that cannot be read keeps all content",
    "controllers/namespace/sync-discovery.ts",
    "  } catch (error) {\n    return error as Error;\n",
    "  } catch (error) {\n    throw error;\n",
  ),
  namespaceContent(
    "a version that cannot be read is passed over",
    "controllers/namespace/sync-discovery.ts",
    "errors.push(...malformed);",
    "",
  ),
  namespaceContent(
    "a status that cannot be written keeps the namespace",
    "controllers/namespace/apply.ts",
    'log.error(error, "The conditions of the namespace could not be written");',
    "throw error;",
  ),
  ...[mutantsOf("storage-version-gc", test("storageversiongc/sync"))].flatMap((row) => [
    row(
      "what an old list said is written",
      "controllers/storageversiongc/sync-lease.ts",
      "found.clear();",
      "",
    ),
    row(
      "a list that is too old fails the sync",
      "controllers/storageversiongc/sync-lease.ts",
      "if (!isExpired(error)) throw error;",
      "if (isExpired(error)) throw error;",
    ),
  ]),
  ...[mutantsOf("garbage-collector", test("garbagecollector/finalizers"))].flatMap((row) => [
    row(
      "a finalizer is not taken off when somebody else is quicker",
      "controllers/garbagecollector/apply.ts",
      "if (!isConflict(error) || delayMs === undefined) throw error;\n      await sleep(context.clock, jitter(context.random, delayMs, 0.1), signal);\n    }\n  }\n}\n\ninterface OwnersPatch",
      "throw error;\n    }\n  }\n}\n\ninterface OwnersPatch",
    ),
    row(
      "an owner that goes by itself is an error",
      "controllers/garbagecollector/apply.ts",
      "      const delayMs = CONFLICT_DELAYS_MS[attempt];\n      if (isNotFound(error)) return;\n",
      "      const delayMs = CONFLICT_DELAYS_MS[attempt];\n",
    ),
  ]),
];

const nodeTroubles = mutantsOf("node-lifecycle", test("nodelifecycle/outage"));
const nodes: readonly Mutant[] = [
  nodeTroubles(
    "a node that goes ends the round",
    "controllers/nodelifecycle/sync-silent.ts",
    "      if (isGoneOrReplaced(error)) {\n        look.isGone = true;\n        return;\n      }\n",
    "",
  ),
  nodeTroubles(
    "a taint that stays ends the round",
    "controllers/nodelifecycle/sync-zones.ts",
    "if (isUnreachable(error)) throw error;\n    // As long",
    "throw error;\n    // As long",
  ),
  mutantsOf("node-ipam", test("nodeipam/sync"))(
    "a range is another's though nobody knows whose it is",
    "controllers/nodeipam/apply.ts",
    "    failures = [failure, error];",
    "    failures = [failure, error];\n    ranges.giveBack(node.metadata.uid);",
  ),
];

const workloads: readonly Mutant[] = [
  mutantsOf("cronjob", test("cronjob/faults"))(
    "a Job that the server has listed is a surprise",
    "controllers/cronjob/sync.ts",
    "if (isActive(fresh, job.metadata.uid)) {",
    "if (isActive(this.#cronJob, job.metadata.uid)) {",
  ),
  mutantsOf("cronjob", test("cronjob/faults"))(
    "what the server has is written again",
    "controllers/cronjob/sync.ts",
    "        this.#written = fresh;\n        this.#cronJob = fresh;\n        continue;",
    "        this.#cronJob = fresh;\n        continue;",
  ),
  mutantsOf("statefulset", test("statefulset/failures"))(
    "a selector that cannot be read is read again and again",
    "controllers/statefulset/sync.ts",
    "if (!(error instanceof SelectorError)) throw error;",
    "throw error;",
  ),
  mutantsOf("daemonset", test("daemonset/sync"))(
    "a selector that cannot be read is read again and again",
    "controllers/daemonset/sync.ts",
    "if (!(error instanceof SelectorError)) throw error;",
    "throw error;",
  ),
  mutantsOf("replicaset", test("replicaset/selectors"))(
    "a selector that cannot be read is read again and again",
    "controllers/replicaset/sync.ts",
    "    // Trying again would not help: only a change of the object does, and that brings its key back.\n",
    "    throw error;\n",
  ),
  mutantsOf("replicaset", test("replicaset/selectors"))(
    "a sibling's selector keeps it from being scaled down",
    "controllers/replicaset/sync.ts",
    "if (error instanceof SelectorError) return [];",
    "",
  ),
  mutantsOf("deployment", test("deployment/selectors"))(
    "a generation that selects everything is never observed",
    "controllers/deployment/sync.ts",
    "if ((deployment.status?.observedGeneration ?? 0) < observedGeneration) {",
    "if ((deployment.status?.observedGeneration ?? 0) > observedGeneration) {",
  ),
  mutantsOf("deployment", test("deployment/selectors"))(
    "whose selector cannot be read is not told",
    "controllers/deployment/sync.ts",
    "    if (!(error instanceof SelectorError)) throw error;\n    const { namespace",
    "    throw error;\n    const { namespace",
  ),
  mutantsOf("disruption", test("disruption/failures"))(
    "a selector that cannot be read selects nothing",
    "controllers/disruption/sync.ts",
    '    events.event(budget, "Warning", "NoPods", `Failed to get pods: ${messageOf(error)}`);\n    throw error;',
    '    events.event(budget, "Warning", "NoPods", `Failed to get pods: ${messageOf(error)}`);\n    return [];',
  ),
  mutantsOf("disruption", test("disruption/failures"))(
    "a pod that has gone is an error",
    "controllers/disruption/apply.ts",
    "if (!isNotFound(error)) throw error;",
    "throw error;",
  ),
  mutantsOf("trust-bundle-publisher", test("certificates/trust-bundle/sync"))(
    "a bundle that stays keeps the others",
    "controllers/certificates/trust-bundle/apply.ts",
    "      failures.push(error);",
    "      throw error;",
  ),
  mutantsOf("trust-bundle-publisher", test("certificates/trust-bundle/sync"))(
    "a bundle that stays is forgotten",
    "controllers/certificates/trust-bundle/apply.ts",
    "  throwAll(failures);",
    "",
  ),
];

const more: readonly Mutant[] = [
  mutantsOf("horizontal-pod-autoscaler", test("podautoscaler/failures"))(
    "a metric that wants nothing is measured",
    "controllers/podautoscaler/sync-metric.ts",
    "if (target === undefined || (averageValue === undefined && averageUtilization === undefined)) {",
    "if (target === undefined) {",
  ),
  ...[mutantsOf("endpointslice", test("endpointslice/families"))].flatMap((row) => [
    row(
      "slices of a family that the Service has no more stay",
      "controllers/endpointslice/sync.ts",
      'await deleteSlice(sync, context, slice, "error deleting");',
      "",
    ),
    row(
      "a slice that stays is not told of",
      "controllers/endpointslice/sync.ts",
      "      problems.push(error);\n",
      "",
    ),
  ]),
  mutantsOf("endpointslicemirroring", test("endpointslicemirroring/plan"))(
    "endpoints of a family that has none any more are not counted",
    "controllers/endpointslicemirroring/plan.ts",
    "const removed = remove.reduce((count, slice) => count + (slice.endpoints ?? []).length, 0);",
    "const removed = 0;",
  ),
  ...[mutantsOf("legacy-token-cleaner", test("serviceaccount/legacy-token-cleaner/sync"))].flatMap((row) => [
    row(
      "a token that was used at the last moment is a failure",
      "controllers/serviceaccount/legacy-token-cleaner/apply.ts",
      "if (!isNotFound(error) && !isUnmetPrecondition(error)) throw error;",
      "if (!isNotFound(error)) throw error;",
    ),
    row(
      "a token that has gone is a failure",
      "controllers/serviceaccount/legacy-token-cleaner/apply.ts",
      "if (!isNotFound(error) && !isUnmetPrecondition(error)) throw error;",
      "if (!isUnmetPrecondition(error)) throw error;",
    ),
    row(
      "a token that cannot be deleted is not told of",
      "controllers/serviceaccount/legacy-token-cleaner/apply.ts",
      "if (!isNotFound(error) && !isUnmetPrecondition(error)) throw error;",
      "",
    ),
    row(
      "a token that was used at the last moment is deleted",
      "controllers/serviceaccount/legacy-token-cleaner/apply.ts",
      "{ preconditions: { resourceVersion } }",
      "{ preconditions: {} }",
    ),
  ]),
  mutantsOf("statefulset", test("statefulset/sync-claims"))(
    "nobody hears of a claim that somebody else controls",
    "controllers/statefulset/sync-claims.ts",
    "of plan.conflicting) {",
    "of plan.conflicting.slice(0, 0)) {",
  ),
  mutantsOf("daemonset", test("daemonset/sync-revisions"))(
    "a collision is counted beside what somebody else has counted",
    "controllers/daemonset/apply.ts",
    "if (before !== now) {",
    "if (before === undefined && now === 0) {",
  ),
  mutantsOf("daemonset", test("daemonset/rolling-update"))(
    "a node with two of one sort does not count as one that surges",
    "controllers/daemonset/rolling-update.ts",
    "      surging++;\n      continue;",
    "      continue;",
  ),
  mutantsOf("job", test("job/sync-accounting"))(
    "more pods than wanted succeed unnoticed",
    "controllers/job/sync-accounting.ts",
    "(job.status?.succeeded ?? 0) > completions) {",
    "(job.status?.succeeded ?? 0) > completions + 1) {",
  ),
  mutantsOf("job", test("job/sync-orphans"))(
    "a selector that cannot be read keeps a pod for ever",
    "controllers/job/job-pods.ts",
    "if (error instanceof SelectorError) return undefined;",
    "",
  ),
  ...[mutantsOf("taint-eviction", test("tainteviction/sync-live-nodes"))].flatMap((row) => [
    row(
      "an answer that did not come is everybody's",
      "controllers/tainteviction/sync-live-nodes.ts",
      "if (this.#readings.get(uid) === reading) this.#readings.delete(uid);",
      "",
    ),
    row(
      "an answer that fails late takes a later one with it",
      "controllers/tainteviction/sync-live-nodes.ts",
      "if (this.#readings.get(uid) === reading) this.#readings.delete(uid);",
      "this.#readings.delete(uid);",
    ),
  ]),
  ...[mutantsOf("validating-admission-policy-status", test("validatingadmissionpolicystatus/sync"))].flatMap(
    (row) => [
      row(
        "a policy is checked without kinds that could not be discovered",
        "controllers/validatingadmissionpolicystatus/sync-schemas.ts",
        "if (unknown && isNamed) throw failure;",
        "",
      ),
      row(
        "a policy waits for what others name",
        "controllers/validatingadmissionpolicystatus/sync-schemas.ts",
        "if (unknown && isNamed) throw failure;",
        "throw failure;",
      ),
    ],
  ),
];

export const troublesMutants: readonly Mutant[] = [
  ...volumes,
  ...binder,
  ...lifecycle,
  ...nodes,
  ...workloads,
  ...more,
];
