import type { Mutant } from "./mutant.ts";

/** What is decided. */
const decisions: readonly Mutant[] = [
  {
    name: "corrects a stranger's pod that has the name by now",
    file: "pkg/controller/recorded-writes.ts",
    find: "const identity = identityOf(object);",
    replace: "const identity = identityOf(await this.#client.get(refOf(object)));",
    tests: ["controllers/statefulset/stale-caches.test.ts"],
    also: {
      file: "controllers/statefulset/apply.ts",
      find: "isControlledBy(live, set) ? correctedPod(set, live) : undefined,",
      replace: "correctedPod(set, live),",
    },
  },
  {
    name: "corrects a pod that was let go",
    file: "controllers/statefulset/apply.ts",
    find: "isControlledBy(live, set) ? correctedPod(set, live) : undefined,",
    replace: "correctedPod(set, live),",
    tests: ["controllers/statefulset/stale-caches.test.ts"],
  },
  {
    name: "takes another of its name for an owner that is gone",
    file: "pkg/controller/recorded-writes.ts",
    find: "return readLive(this.#client, identityOf(object), signal);",
    replace: "return this.#client.get(refOf(object), {}, signal);",
    tests: ["controllers/statefulset/stale-caches.test.ts", "controllers/daemonset/stale-caches.test.ts"],
  },
  {
    name: "makes all pods of a StatefulSet in one sync",
    file: "controllers/statefulset/replicas.ts",
    find: "const MOST_NEW_PODS = 2_000;",
    replace: "const MOST_NEW_PODS = 20_000;",
    tests: ["controllers/statefulset/extremes.property.test.ts"],
  },
  {
    name: "makes as many pods of a large template as of a small one",
    file: "controllers/statefulset/replicas.ts",
    find: "const MOST_NEW_FIELDS = 50_000;",
    replace: "const MOST_NEW_FIELDS = 50_000_000;",
    tests: ["controllers/statefulset/extremes.property.test.ts"],
  },
  {
    name: "makes pods with ordinals that it does not know again",
    file: "controllers/statefulset/places.ts",
    find: "Math.min(desiredReplicas(set), LARGEST_ORDINAL - first + 1)",
    replace: "desiredReplicas(set)",
    tests: ["controllers/statefulset/extremes.property.test.ts"],
  },
  {
    name: "forgets pods that are missing among the unavailable ones",
    file: "controllers/statefulset/rolling.ts",
    find: "countMissing(places) + unavailable.length",
    replace: "unavailable.length",
    tests: ["controllers/statefulset/rolling.test.ts"],
  },
  {
    name: "lets one stuck pod hold up all others of a parallel StatefulSet",
    file: "controllers/statefulset/apply.ts",
    find: "const BURSTS = { largest: 500, failures: 3 };",
    replace: "const BURSTS = { largest: 500 };",
    tests: ["controllers/statefulset/bursts.test.ts"],
  },
  {
    name: "tries every pod of a parallel StatefulSet when none can be made",
    file: "controllers/statefulset/apply.ts",
    find: "const BURSTS = { largest: 500, failures: 3 };",
    replace: "const BURSTS = { largest: 500, failures: Infinity };",
    tests: ["controllers/statefulset/bursts.test.ts"],
  },
  {
    name: "sends any number of requests at a time",
    file: "controllers/statefulset/apply.ts",
    find: "const BURSTS = { largest: 500, failures: 3 };",
    replace: "const BURSTS = { failures: 3 };",
    tests: ["controllers/statefulset/bursts.test.ts"],
  },
  {
    name: "does not tell that a pending pod's claims got no owner",
    file: "controllers/statefulset/apply.ts",
    find: `  await createClaims(sync, context, pod, claims);
  try {
    await reownClaims(sync, context, pod, claims);
  } catch (error) {
    if (!sync.signal.aborted)`,
    replace: `  await createClaims(sync, context, pod, claims);
  try {
    await reownClaims(sync, context, pod, claims);
  } catch (error) {
    if (sync.signal.aborted)`,
    tests: ["controllers/statefulset/sync-claims.test.ts"],
  },
  {
    name: "gives claims their owners before the pod is made",
    file: "controllers/statefulset/apply.ts",
    find: "await context.owned.create(sync, pod);",
    replace: `await reownClaims(sync, context, pod, claims);
    await context.owned.create(sync, pod);`,
    tests: ["controllers/statefulset/sync-claims.test.ts"],
  },
  {
    name: "gives claims no owner while their pod is refused",
    file: "controllers/statefulset/apply.ts",
    find: "    errors.push(error);\n  }\n  try {",
    replace: "    throw error;\n  }\n  try {",
    tests: ["controllers/statefulset/sync-claims.test.ts"],
  },
  {
    name: "tells of what failed last only",
    file: "controllers/statefulset/sync.ts",
    find: "throwAll(errors.filter((error) => !isOnly(error, isNamespaceTerminating)));",
    replace: "throwAll(errors.slice(-1).filter((error) => !isOnly(error, isNamespaceTerminating)));",
    tests: ["controllers/statefulset/failures.test.ts"],
  },
  {
    name: "tries again for ever in a namespace that is going away",
    file: "controllers/statefulset/sync.ts",
    find: "throwAll(errors.filter((error) => !isOnly(error, isNamespaceTerminating)));",
    replace: "throwAll(errors);",
    tests: ["controllers/statefulset/sync-claims.test.ts"],
  },
  {
    name: "forgets a failed status write after a failed pod",
    file: "controllers/statefulset/sync.ts",
    find: "  throwAll(errors);\n  return recheckAfterMs",
    replace: "  throwAll(errors.slice(0, 1));\n  return recheckAfterMs",
    tests: ["controllers/statefulset/failures.test.ts"],
  },
  {
    name: "deletes old revisions though it does not know which are in use",
    file: "controllers/statefulset/sync.ts",
    find: `  if (revisions !== undefined)
    await attempt(async () => truncateHistory(sync, context, history, { pods, live: revisions }));`,
    replace: `  const gone = { metadata: {}, revision: 0 };
  const live = revisions ?? { current: gone, update: gone, collisionCount: 0 };
  await attempt(async () => truncateHistory(sync, context, history, { pods, live }));`,
    tests: ["controllers/statefulset/failures.test.ts"],
  },
  {
    name: "deletes the current revision when no pod has it",
    file: "controllers/statefulset/sync-revisions.ts",
    find: "const names = [live.current.metadata.name, live.update.metadata.name];",
    replace: "const names = [live.update.metadata.name];",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "keeps the gauges of StatefulSets that are gone",
    file: "controllers/statefulset/controller.ts",
    find: "if (unavailability !== undefined) forgetUnavailability(unavailability, key);",
    replace: "",
    tests: ["controllers/statefulset/metrics.test.ts"],
  },
  {
    name: "keeps the gauges of a StatefulSet of another policy",
    file: "controllers/statefulset/metrics.ts",
    find: "const others = POLICIES.filter((other) => other !== policy);",
    replace: "const others = POLICIES.slice(0, 0);",
    tests: ["controllers/statefulset/metrics.test.ts"],
  },
  {
    name: "shows pods that are missing as available",
    file: "controllers/statefulset/metrics.ts",
    find: "gauges.actual.set(unavailableReplicas(set, places, nowMs), series);",
    replace: "gauges.actual.set(0, series);",
    tests: ["controllers/statefulset/metrics.test.ts"],
  },
  {
    name: "lets pods that wait for their claims keep others away",
    file: "controllers/statefulset/replicas.ts",
    find: "claims.leaving.length > 0;",
    replace: "claims.leaving.length < 0;",
    tests: ["controllers/statefulset/replicas.test.ts"],
  },
];

/** What is read, woken, written and remembered. */
const wiring: readonly Mutant[] = [
  {
    name: "does not keep spec.volumes.name of a StatefulSet's pods",
    file: "controllers/statefulset/context.ts",
    find: '  "spec.volumes.name",\n',
    replace: "",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "does not keep spec.volumes.persistentVolumeClaim.claimName of a StatefulSet's pods",
    file: "controllers/statefulset/context.ts",
    find: '  "spec.volumes.persistentVolumeClaim.claimName",\n',
    replace: "",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "does not keep status.phase of a StatefulSet's pods",
    file: "controllers/statefulset/context.ts",
    find: '  "status.phase",\n',
    replace: "",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "does not keep status.conditions.type of a StatefulSet's pods",
    file: "controllers/statefulset/context.ts",
    find: '  "status.conditions.type",\n',
    replace: "",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "does not keep status.conditions.status of a StatefulSet's pods",
    file: "controllers/statefulset/context.ts",
    find: '  "status.conditions.status",\n',
    replace: "",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "does not keep status.conditions.lastTransitionTime of a StatefulSet's pods",
    file: "controllers/statefulset/context.ts",
    find: '  "status.conditions.lastTransitionTime",\n',
    replace: "",
    tests: ["controllers/statefulset/min-ready-seconds.test.ts"],
  },
  {
    name: "compares no meaning of templates",
    file: "controllers/statefulset/context.ts",
    find: 'features.enabled("StatefulSetSemanticRevisionComparison")',
    replace: "false",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "waits for no cache to show what was written",
    file: "pkg/controller/kit.ts",
    find: "caches: this.#caches }",
    replace: "caches: [] }",
    tests: ["controllers/statefulset/stale-caches.test.ts"],
  },
  {
    name: "wakes nobody when a claim loses an owner",
    file: "controllers/statefulset/handlers.ts",
    find: "ownersOf(change.object) < ownersOf(change.before)",
    replace: "ownersOf(change.object) < 0",
    tests: ["controllers/statefulset/handlers.test.ts"],
  },
  {
    name: "looks at no pod again that has yet to become available",
    file: "pkg/controller/pod-rule.ts",
    find: "? seconds * 1_000 + slackMs : undefined;",
    replace: "? undefined : undefined;",
    tests: ["pkg/controller/pod-rule.test.ts", "controllers/statefulset/handlers.test.ts"],
  },
  {
    name: "does not wait for what it has deleted to show",
    file: "pkg/controller/recorded-writes.ts",
    find: 'if (answer.kind !== "Status") this.wrote(writer, answer as Stored<T>);',
    replace: "void answer;",
    tests: ["pkg/controller/owned-objects.test.ts", "controllers/statefulset/stale-caches.test.ts"],
  },
  {
    name: "tells that a pod is there already",
    file: "controllers/statefulset/apply.ts",
    find: "if (isAlreadyExists(error) || isNamespaceTerminating(error)) throw error;",
    replace: "if (isNamespaceTerminating(error)) throw error;",
    tests: ["controllers/statefulset/stale-caches.test.ts"],
  },
  {
    name: "tells that a claim is there already",
    file: "controllers/statefulset/apply.ts",
    find: "!isOnly(error, isUnseenClaim)",
    replace: "true",
    tests: ["controllers/statefulset/stale-caches.test.ts"],
  },
  {
    name: "rolls on while something is held up",
    file: "controllers/statefulset/sync.ts",
    find: "if (plan.heldUpBy === undefined) await rollOn",
    replace: "if (plan.replicas.length >= 0) await rollOn",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "counts what it has just deleted as current",
    file: "controllers/statefulset/sync.ts",
    find: "    outdated.push(step.pod);\n",
    replace: "",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "adopts pods of other names",
    file: "controllers/statefulset/sync.ts",
    find: "isMember(set, pod) && selector",
    replace: "selector",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "does not look again when a pod has yet to become available",
    file: "controllers/statefulset/sync.ts",
    find: "return recheckAfterMs === undefined ? {} : { requeueAfterMs: recheckAfterMs };",
    replace: "return recheckAfterMs === undefined ? {} : {};",
    tests: ["controllers/statefulset/min-ready-seconds.test.ts"],
  },
  {
    name: "makes all pods of the update revision",
    file: "controllers/statefulset/sync.ts",
    find: "staysAtCurrentRevision(set, ordinal) ? current : update",
    replace: "staysAtCurrentRevision(set, ordinal) ? update : update",
    tests: ["controllers/statefulset/sync.test.ts"],
  },
  {
    name: "forgets which template is which revision's",
    file: "controllers/statefulset/sync.ts",
    find: "const template = templates.get(revision) ?? restoredTemplate",
    replace: "const template = [...templates.values()][0] ?? restoredTemplate",
    tests: ["controllers/statefulset/bursts.test.ts", "controllers/statefulset/sync.test.ts"],
  },
  {
    name: "does not wait for a revision that it has found to show",
    file: "pkg/controller/history/owned-revisions.ts",
    find: "return { revision: this.wrote(sync, existing), collisionCount: count };",
    replace: "return { revision: existing, collisionCount: count };",
    tests: ["pkg/controller/history/owned-revisions.test.ts"],
  },
  {
    name: "tells nobody that a claim could not be made",
    file: "controllers/statefulset/sync-claims.ts",
    find: "if (!isAlreadyExists(error)) {",
    replace: "if (isAlreadyExists(error)) {",
    tests: ["controllers/statefulset/sync-claims.test.ts"],
  },
  {
    name: "gives up all claims of a pod for one",
    file: "controllers/statefulset/sync-claims.ts",
    find: "      problems.push(error);",
    replace: "      throw error;",
    tests: ["controllers/statefulset/sync-claims.test.ts"],
  },
  {
    name: "makes pods although their claims are going",
    file: "controllers/statefulset/sync-claims.ts",
    find: "const problems: unknown[] = plan.leaving.map((name) => new ClaimError(`pvc ${name} is being deleted`));",
    replace: "const problems: unknown[] = [];",
    tests: ["controllers/statefulset/sync-claims.test.ts"],
  },
];

export const statefulSetsMutants: readonly Mutant[] = [...decisions, ...wiring];
