import type { Mutant } from "./mutant.ts";

/** In the controllers of StatefulSets, DaemonSets, Services and budgets. */
export const serviceMutants: readonly Mutant[] = [
  {
    name: "updates pods of a StatefulSet below its partition",
    area: "statefulsets",
    file: "controllers/statefulset/rolling.ts",
    find: "for (let place = places.count - 1; place >= partition(set); place--) {",
    replace: "for (let place = places.count - 1; place >= Math.min(0, partition(set)); place--) {",
  },
  {
    name: "does not wait for the pods before one of a StatefulSet",
    area: "statefulsets",
    file: "controllers/statefulset/replicas.ts",
    find: "if (waits !== undefined) return { steps, heldUpBy: waits };",
    replace: "if (waits !== undefined && steps.length < 0) return { steps, heldUpBy: waits };",
  },
  {
    name: "scales a StatefulSet down from its first pod",
    area: "statefulsets",
    file: "controllers/statefulset/replicas.ts",
    find: ".toSorted((a, b) => placeOf(b) - placeOf(a));",
    replace: ".toSorted((a, b) => placeOf(a) - placeOf(b));",
  },
  {
    name: "ties claims to a StatefulSet that is to leave them",
    area: "statefulsets",
    file: "controllers/statefulset/retention.ts",
    find: `return { set: whenDeleted === "Delete" && !scaledAway, pod: scaledAway };`,
    replace: "return { set: whenDeleted !== undefined && !scaledAway, pod: scaledAway };",
  },
  {
    name: "lets one node more have two pods than the surge allows",
    area: "daemonsets",
    file: "controllers/daemonset/rolling-update.ts",
    find: "const room = Math.max(0, maxSurge - surging);",
    replace: "const room = Math.max(0, maxSurge + 1 - surging);",
  },
  {
    name: "lets one node more lack its pod than may",
    area: "daemonsets",
    file: "controllers/daemonset/rolling-update.ts",
    find: "const room = Math.max(0, maxUnavailable - unavailable);",
    replace: "const room = Math.max(0, maxUnavailable + 1 - unavailable);",
  },
  {
    name: "does not look at DaemonSets that have a pod on a changed node",
    area: "daemonsets",
    file: "controllers/daemonset/sync-node.ts",
    find: "context.fitOf(daemonSet)(node).shouldRun || present(daemonSet))",
    replace: "context.fitOf(daemonSet)(node).shouldRun && !present(daemonSet))",
  },
  {
    name: "allows one eviction more",
    file: "controllers/disruption/status.ts",
    find: "const allowed = expected.pods <= 0 ? 0 : Math.max(0, healthy - expected.healthy);",
    replace: "const allowed = expected.pods <= 0 ? 0 : Math.max(0, healthy - expected.healthy + 1);",
  },
  {
    name: "writes slices from a cache that has not seen its own writes",
    needs: ["stale cache of others"],
    file: "pkg/controller/endpoints/service-slices.ts",
    find: "this.#tracker.areStale(serviceKey, slices) ? undefined",
    replace: "this.#tracker.areStale(serviceKey, slices) && (false as boolean) ? undefined",
  },
  {
    name: "mirrors Endpoints of a Service with a selector",
    file: "controllers/endpointslicemirroring/sync.ts",
    find: "service !== undefined && !hasSelector(service);",
    replace: "service !== undefined && (!hasSelector(service) || (true as boolean));",
  },
  {
    name: "says of pods that are not ready that they are",
    file: "controllers/endpoints/desired-subsets.ts",
    find: `const list = toleratesUnready || isPodReady(pod) ? "addresses" : "notReadyAddresses";`,
    replace: `const list = "addresses";`,
  },
  {
    name: "leaves pods that are being deleted in Endpoints",
    file: "controllers/endpoints/desired-subsets.ts",
    find: "if (!backsServices(pod, toleratesUnready)) return;",
    replace: "if (!backsServices(pod, true)) return;",
  },
  {
    name: "leaves pods that are gone in slices",
    file: "controllers/endpointslice/placement.ts",
    find: "if (next === undefined) continue;",
    replace: "if (next === undefined) { endpoints.push(endpoint); continue; }",
  },
  {
    name: "fills slices over their limit",
    file: "controllers/endpointslice/placement.ts",
    find: "endpoints.push(...wanted.takeFirst(rules.maxEndpoints - endpoints.length));",
    replace: "endpoints.push(...wanted.takeFirst(rules.maxEndpoints + 1 - endpoints.length));",
    also: {
      file: "controllers/endpointslice/placement.ts",
      find: "endpoints: wanted.takeFirst(rules.maxEndpoints) });",
      replace: "endpoints: wanted.takeFirst(rules.maxEndpoints + 1) });",
    },
  },
  {
    name: "puts an endpoint into a second slice",
    file: "controllers/endpointslice/placement.ts",
    find: "const next = wanted.take(endpoint);",
    replace: "const next = wanted.get(endpoint);",
  },
  {
    name: "leaves the slices of ports that a Service has no more",
    file: "controllers/endpointslice/plan.ts",
    find: "for (const [key, existing] of ownedByPorts) if (!groups.has(key)) remove.push(...existing);",
    replace: "",
  },
  {
    name: "writes Endpoints that are right already",
    file: "controllers/endpoints/plan.ts",
    find: "if (current !== undefined && isRight(current, service, subsets, truncated)) return",
    replace:
      "if (current !== undefined && isRight(current, service, subsets, truncated) && subsets.length > 9) return",
  },
  {
    name: "counts pods that are not ready as healthy",
    file: "controllers/disruption/disrupted-pods.ts",
    find: `!awaited.has(pod.metadata.name ?? "") && isPodReady(pod));`,
    replace: `!awaited.has(pod.metadata.name ?? "") && (isPodReady(pod) || pod.spec?.nodeName !== undefined));`,
  },
  {
    name: "counts pods that were just evicted as healthy",
    file: "controllers/disruption/disrupted-pods.ts",
    find: `!awaited.has(pod.metadata.name ?? "") && isPodReady(pod));`,
    replace: "(awaited.size < 0 || isPodReady(pod)));",
  },
  {
    name: "requires one healthy pod less than a share of them",
    file: "controllers/disruption/budget.ts",
    find: `return { pods: scale, healthy: scaledValue(minAvailable, scale, "up") };`,
    replace: `return { pods: scale, healthy: scaledValue(minAvailable, scale, "down") };`,
  },
  {
    name: "ends pods of a StatefulSet by force",
    area: "statefulsets",
    file: "controllers/statefulset/apply.ts",
    find: "const preconditions = uid === undefined ? {} : { preconditions: { uid } };",
    replace:
      "const preconditions = { gracePeriodSeconds: 0, ...(uid !== undefined && { preconditions: { uid } }) };",
  },
  {
    name: "gives two pods of a StatefulSet one ordinal",
    area: "statefulsets",
    file: "controllers/statefulset/replicas.ts",
    find: "if (existing === undefined) return decideCreation(view, view.newPod(ordinal));",
    replace:
      "if (existing === undefined) return decideCreation(view, view.newPod(ordinal === 1 ? 2 : ordinal));",
  },
  {
    name: "does not wake StatefulSets when claims go",
    area: "statefulsets",
    file: "controllers/statefulset/handlers.ts",
    find: "    onDelete: wake,",
    replace: "",
  },
];
