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

export const nodesMutants: readonly Mutant[] = [...statefulSet];
