import type { Mutant } from "./mutant.ts";

const statefulSet: readonly Mutant[] = [
  {
    name: "corrects a stranger's pod that has the name by now",
    file: "controllers/statefulset/apply.ts",
    find: "identity: identityOf(pod),",
    replace: `identity: identityOf(
          await podClient.get({ namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" }),
        ),`,
    tests: ["controllers/statefulset/stale-caches.test.ts"],
    also: {
      file: "controllers/statefulset/apply.ts",
      find: "(isControlledBy(live, set) ? correctedPod(set, live) : undefined),",
      replace: "correctedPod(set, live),",
    },
  },
  {
    name: "corrects a pod that was let go",
    file: "controllers/statefulset/apply.ts",
    find: "(isControlledBy(live, set) ? correctedPod(set, live) : undefined),",
    replace: "correctedPod(set, live),",
    tests: ["controllers/statefulset/stale-caches.test.ts"],
  },
  {
    name: "writes the status of a StatefulSet that is gone to the next of its name",
    file: "controllers/statefulset/apply.ts",
    find: "await readLive(context.setClient, identityOf(set), signal);",
    replace: `await context.setClient.get(
        { namespace: set.metadata.namespace ?? "", name: set.metadata.name ?? "" },
        {},
        signal,
      );`,
    tests: ["controllers/statefulset/stale-caches.test.ts"],
  },
  {
    name: "gives a user's own claim an owner",
    file: "controllers/statefulset/sync-claims.ts",
    find: "identity: identityOf(claim),",
    replace: `identity: identityOf(
        await claimClient.get({
          namespace: claim.metadata.namespace ?? "",
          name: claim.metadata.name ?? "",
        }),
      ),`,
    tests: ["controllers/statefulset/stale-caches.test.ts"],
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
    find: `  await createClaims(context, set, pod, claims, signal);
  try {
    await reownClaims(context, set, pod, claims, signal);
  } catch (error) {
    if (!signal.aborted)`,
    replace: `  await createClaims(context, set, pod, claims, signal);
  try {
    await reownClaims(context, set, pod, claims, signal);
  } catch (error) {
    if (signal.aborted)`,
    tests: ["controllers/statefulset/sync-claims.test.ts"],
  },
  {
    name: "gives claims their owners before the pod is made",
    file: "controllers/statefulset/apply.ts",
    find: "wrote(context, set, await context.podClient.create(pod, {}, signal));",
    replace: `await reownClaims(context, set, pod, claims, signal);
    wrote(context, set, await context.podClient.create(pod, {}, signal));`,
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
    await attempt(async () => truncateHistory(context, set, history, pods, revisions, signal));`,
    replace: `  const gone = { metadata: {}, revision: 0 };
  const live = revisions ?? { current: gone, update: gone, collisionCount: 0 };
  await attempt(async () => truncateHistory(context, set, history, pods, live, signal));`,
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
    file: "controllers/statefulset/sync.ts",
    find: "if (context.unavailability !== undefined) forgetUnavailability(context.unavailability, key);",
    replace: "",
    tests: ["controllers/statefulset/sync-unavailability.test.ts"],
  },
  {
    name: "keeps the gauges of a StatefulSet of another policy",
    file: "controllers/statefulset/sync-unavailability.ts",
    find: "const others = POLICIES.filter((other) => other !== policy);",
    replace: "const others = POLICIES.slice(0, 0);",
    tests: ["controllers/statefulset/sync-unavailability.test.ts"],
  },
  {
    name: "shows pods that are missing as available",
    file: "controllers/statefulset/sync-unavailability.ts",
    find: "gauges.actual.set(unavailableReplicas(set, places, nowMs), series);",
    replace: "gauges.actual.set(0, series);",
    tests: ["controllers/statefulset/sync-unavailability.test.ts"],
  },
  {
    name: "lets pods that wait for their claims keep others away",
    file: "controllers/statefulset/replicas.ts",
    find: "claims.leaving.length > 0;",
    replace: "claims.leaving.length < 0;",
    tests: ["controllers/statefulset/replicas.test.ts"],
  },
];

const daemonSet: readonly Mutant[] = [
  {
    name: "writes the counts of a DaemonSet that is gone to the next of its name",
    file: "controllers/daemonset/apply.ts",
    find: "identity: identityOf(daemonSet),",
    replace: `identity: identityOf(
            await client.get({
              namespace: daemonSet.metadata.namespace ?? "",
              name: daemonSet.metadata.name ?? "",
            }),
          ),`,
    tests: ["controllers/daemonset/stale-caches.test.ts"],
  },
  {
    name: "counts a collision of a DaemonSet that is gone",
    file: "controllers/daemonset/apply.ts",
    find: "await readLive(context.client, identityOf(daemonSet), signal);",
    replace: `await context.client.get(
    { namespace: daemonSet.metadata.namespace ?? "", name },
    {},
    signal,
  );`,
    tests: ["controllers/daemonset/stale-caches.test.ts"],
  },
  {
    name: "wakes all DaemonSets of a node whatever changes of it",
    file: "controllers/daemonset/sync-node.ts",
    find: 'if (before === "new") return',
    replace: "if (before !== undefined) return",
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
  {
    name: "compares a node with the last version only",
    file: "controllers/daemonset/sync-node.ts",
    find: "return before.some(",
    replace: "return before.slice(-1).some(",
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
  {
    name: "compares a node with the first version only",
    file: "controllers/daemonset/node-changes.ts",
    find: "? [...earlier, before]",
    replace: "? [before, ...earlier].slice(-1)",
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
  {
    name: "does not see that a node lets pods stay but none come",
    file: "controllers/daemonset/node-fit.ts",
    find: "return one.shouldRun === other.shouldRun && one",
    replace: "return one",
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
  {
    name: "does not see that a node lets no pod stay",
    file: "controllers/daemonset/node-fit.ts",
    find: " && one.shouldContinueRunning === other.shouldContinueRunning;",
    replace: ";",
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
  {
    name: "forgets that a node is new when it changes",
    file: "controllers/daemonset/node-changes.ts",
    find: 'if (earlier === "new") return;',
    replace: 'if (earlier === "new") return void this.#before.set(name, [before]);',
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
  {
    name: "remembers nodes that are gone",
    file: "controllers/daemonset/handlers.ts",
    find: "context.nodeChanges.removed(keyOf(node));",
    replace: "",
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
  {
    name: "remembers what a node was when it has been looked at",
    file: "controllers/daemonset/node-changes.ts",
    find: "    this.#before.delete(name);\n    return before;",
    replace: "    return before;",
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
  {
    name: "remembers a node's versions without end",
    file: "controllers/daemonset/node-changes.ts",
    find: "earlier.length < MOST_VERSIONS ?",
    replace: "earlier.length >= 0 ?",
    tests: ["controllers/daemonset/handlers.test.ts"],
  },
];

const disruption: readonly Mutant[] = [
  {
    name: "never looks again for a kind that the API did not have",
    file: "controllers/disruption/sync.ts",
    find: "if (error instanceof UnknownKindError) return { requeueAfterMs: KIND_RECHECK_MS };",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "tells each time that a kind is unknown",
    file: "controllers/disruption/sync.ts",
    find: "if (!(error instanceof UnknownKindError && saysFailed(budget, messageOf(error))))",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "tells nobody that a kind is unknown",
    file: "controllers/disruption/sync.ts",
    find: "if (!(error instanceof UnknownKindError && saysFailed(budget, messageOf(error))))",
    replace: "if (!(error instanceof UnknownKindError))",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "drops what is to be looked at again",
    file: "controllers/disruption/controller.ts",
    find: "if (requeueAfterMs !== undefined) queues.rechecks.addAfter(key, requeueAfterMs);",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
];

export const nodesMutants: readonly Mutant[] = [...statefulSet, ...daemonSet, ...disruption];
