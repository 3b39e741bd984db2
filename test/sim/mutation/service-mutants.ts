import type { Mutant } from "./mutant.ts";

/** In the controllers of StatefulSets, DaemonSets, Services and budgets. */
export const serviceMutants: readonly Mutant[] = [
  {
    name: "updates pods of a StatefulSet below its partition",
    file: "controllers/statefulset/rolling.ts",
    find: "for (let place = places.length - 1; place >= partition(set); place--) {",
    replace: "for (let place = places.length - 1; place >= Math.min(0, partition(set)); place--) {",
  },
  {
    name: "does not wait for the pods before one of a StatefulSet",
    file: "controllers/statefulset/replicas.ts",
    find: "if (waits !== undefined && inTurn) return { steps, heldUpBy: waits };",
    replace: "if (waits !== undefined && inTurn && index < 0) return { steps, heldUpBy: waits };",
  },
  {
    name: "scales a StatefulSet down from its first pod",
    file: "controllers/statefulset/replicas.ts",
    find: ".toSorted((a, b) => placeOf(b) - placeOf(a));",
    replace: ".toSorted((a, b) => placeOf(a) - placeOf(b));",
  },
  {
    name: "ties claims to a StatefulSet that is to leave them",
    file: "controllers/statefulset/retention.ts",
    find: `return { set: whenDeleted === "Delete" && !scaledAway, pod: scaledAway };`,
    replace: "return { set: whenDeleted !== undefined && !scaledAway, pod: scaledAway };",
  },
  {
    name: "lets one node more have two pods than the surge allows",
    file: "controllers/daemonset/rolling-update.ts",
    find: "const room = Math.max(0, maxSurge - surging);",
    replace: "const room = Math.max(0, maxSurge + 1 - surging);",
  },
  {
    name: "lets one node more lack its pod than may",
    file: "controllers/daemonset/rolling-update.ts",
    find: "const room = Math.max(0, maxUnavailable - unavailable);",
    replace: "const room = Math.max(0, maxUnavailable + 1 - unavailable);",
  },
  {
    name: "does not look at DaemonSets that have a pod on a changed node",
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
    file: "controllers/endpointslice/sync.ts",
    find: "if (context.tracker.areStale(key, slices)) {",
    replace: "if (context.tracker.areStale(key, slices) && (false as boolean)) {",
  },
  {
    name: "mirrors Endpoints of a Service with a selector",
    file: "controllers/endpointslicemirroring/sync.ts",
    find: "service !== undefined && !hasSelector(service);",
    replace: "service !== undefined && (!hasSelector(service) || (true as boolean));",
  },
];
