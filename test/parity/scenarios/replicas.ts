import type { Scenario, Step, Target } from "../scenario.ts";
import { create, gated, pod, replicaSet, replicationController, template } from "./objects.ts";

const cost = (value: string): unknown => ({
  metadata: {
    annotations: { "controller.kubernetes.io/pod-deletion-cost": value, "example.com/cost": value },
  },
});

function resize(target: Target, replicas: number): Step {
  return { do: "patch", target, subresource: "scale", body: { spec: { replicas } } };
}

function ready(target: Target, replicas: number | undefined, total = replicas): Step {
  const holds = { "status.readyReplicas": replicas, "status.replicas": total };
  return { do: "until", target, holds };
}

/** ReplicaSets and ReplicationControllers by themselves. */
export const replicas: readonly Scenario[] = [
  {
    name: "replica-set-scale",
    steps: [
      create(replicaSet("web", 2)),
      ready("replicaSets/web", 2),
      resize("replicaSets/web", 4),
      ready("replicaSets/web", 4),
      resize("replicaSets/web", 1),
      ready("replicaSets/web", 1),
    ],
  },
  {
    name: "orphan-pod-by-label",
    steps: [
      create(replicaSet("web", 3)),
      ready("replicaSets/web", 3),
      { do: "patch pods", pods: { count: 1 }, body: { metadata: { labels: { app: "debug" } } } },
      ready("replicaSets/web", 3),
      { do: "until pods", pods: {}, are: 4 },
    ],
  },
  {
    name: "adopt-pods",
    steps: [
      create(pod("stray-a")),
      create(pod("stray-b")),
      { do: "until pods", pods: { ready: true }, are: 2 },
      create(replicaSet("web", 3)),
      ready("replicaSets/web", 3),
    ],
  },
  {
    name: "adopt-too-many-pods",
    steps: [
      create(pod("stray-a")),
      create(pod("stray-b", gated)),
      { do: "until pods", pods: { ready: true }, are: 1 },
      create(replicaSet("web", 1)),
      ready("replicaSets/web", 1),
    ],
  },
  {
    name: "pod-deleted",
    steps: [
      create(replicaSet("web", 2)),
      ready("replicaSets/web", 2),
      { do: "delete pods", pods: { count: 1 } },
      ready("replicaSets/web", 2),
    ],
  },
  {
    name: "pod-failed",
    steps: [
      create(replicaSet("web", 2)),
      ready("replicaSets/web", 2),
      {
        do: "patch pod status",
        pods: { count: 1 },
        body: { status: { phase: "Failed", reason: "Evicted", message: "the node was low on memory" } },
      },
      ready("replicaSets/web", 2),
      { do: "until pods", pods: {}, are: 3 },
    ],
  },
  {
    name: "pods-that-stop-slowly",
    steps: [
      create(replicaSet("web", 3, template("app:v1", {}, { "kcm.dev/stops-after": "2" }))),
      ready("replicaSets/web", 3),
      resize("replicaSets/web", 1),
      { do: "until pods", pods: {}, are: 1 },
    ],
  },
  {
    name: "deletion-cost",
    steps: [
      create(replicaSet("web", 4)),
      ready("replicaSets/web", 4),
      { do: "patch pods", pods: { count: 4 }, body: cost("10") },
      { do: "patch pods", pods: { count: 2 }, body: cost("-5") },
      { do: "patch pods", pods: { count: 1 }, body: cost("20") },
      resize("replicaSets/web", 2),
      ready("replicaSets/web", 2),
    ],
  },
  {
    name: "not-ready-pods-go-first",
    steps: [
      create(replicaSet("web", 4, template("app:v1", gated))),
      { do: "until pods", pods: {}, are: 4 },
      { do: "let pods be ready", pods: { count: 2 } },
      ready("replicaSets/web", 2, 4),
      resize("replicaSets/web", 2),
      ready("replicaSets/web", 2),
    ],
  },
  {
    name: "replica-set-min-ready-seconds",
    steps: [
      create(replicaSet("web", 1, template("app:v1"), 2)),
      { do: "until", target: "replicaSets/web", holds: { "status.availableReplicas": 1 } },
    ],
  },
  {
    name: "replication-controller-scale",
    steps: [
      create(replicationController(2)),
      ready("replicationControllers/web", 2),
      resize("replicationControllers/web", 4),
      ready("replicationControllers/web", 4),
      resize("replicationControllers/web", 1),
      ready("replicationControllers/web", 1),
    ],
  },
  {
    name: "replication-controller-adopts-and-releases",
    steps: [
      create(pod("stray")),
      { do: "until pods", pods: { ready: true }, are: 1 },
      create(replicationController(2)),
      ready("replicationControllers/web", 2),
      { do: "patch pods", pods: { count: 1 }, body: { metadata: { labels: { app: "debug" } } } },
      { do: "until pods", pods: { ready: true }, are: 3 },
    ],
  },
];
