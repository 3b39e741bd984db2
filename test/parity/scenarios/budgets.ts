import type { ApiObject } from "../../../pkg/api/object.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../../../pkg/api/types/policy-v1.gen.ts";
import { inArea, type Owner, type Scenario, type Step } from "../scenario.ts";
import { create, deployment, gated, LABELS, pod, scale, template } from "./objects.ts";

const TARGET = "podDisruptionBudgets/web";

function budget(spec: PodDisruptionBudgetSpec): PodDisruptionBudget & ApiObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web" },
    spec: { selector: { matchLabels: LABELS }, ...spec },
  };
}

const complete = (replicas: number): Step => ({
  do: "until",
  target: "deployments/web",
  holds: { "status.availableReplicas": replicas, "status.replicas": replicas },
});

/** "allowed current/desired of expected". */
function counts(allowed: number, current: number, desired: number, expected: number): Step {
  return {
    do: "until",
    target: TARGET,
    holds: {
      "status.disruptionsAllowed": allowed,
      "status.currentHealthy": current,
      "status.desiredHealthy": desired,
      "status.expectedPods": expected,
    },
  };
}

const change = (spec: unknown): Step => ({ do: "patch", target: TARGET, body: { spec } });
const evict = (answer: "done" | "too many requests", count = 1): Step => ({
  do: "evict pods",
  pods: { count, ready: true },
  answer,
});

/** Budgets are created when there are pods: how often it is told that there are none is left to chance. */
export const budgets: readonly Scenario[] = inArea("budgets", [
  {
    name: "budget-of-a-number-that-must-be-there",
    steps: [create(deployment(3)), complete(3), create(budget({ minAvailable: 2 })), counts(1, 3, 2, 3)],
  },
  {
    name: "budget-of-a-share-that-may-be-missing",
    steps: [
      create(deployment(5)),
      complete(5),
      create(budget({ maxUnavailable: "50%" })),
      counts(3, 5, 2, 5),
      scale(2),
      complete(2),
      counts(1, 2, 1, 2),
    ],
  },
  {
    name: "budget-that-changes",
    steps: [
      create(deployment(3)),
      complete(3),
      create(budget({ minAvailable: "100%" })),
      counts(0, 3, 3, 3),
      change({ minAvailable: 1 }),
      counts(2, 3, 1, 3),
    ],
  },
  {
    name: "budget-and-evictions",
    steps: [
      create(deployment(3)),
      complete(3),
      create(budget({ minAvailable: 2 })),
      counts(1, 3, 2, 3),
      evict("done"),
      complete(3),
      counts(1, 3, 2, 3),
    ],
  },
  {
    name: "budget-that-allows-no-eviction",
    steps: [
      create(deployment(2)),
      complete(2),
      create(budget({ maxUnavailable: 0 })),
      counts(0, 2, 2, 2),
      evict("too many requests", 2),
    ],
  },
  {
    name: "budget-of-pods-that-are-not-ready",
    steps: [
      create(deployment(3, { template: template("app:v1", gated) })),
      { do: "until pods", pods: {}, are: 3 },
      create(budget({ minAvailable: 1 })),
      counts(0, 0, 1, 3),
      { do: "let pods be ready", pods: { count: 2 } },
      counts(1, 2, 1, 3),
    ],
  },
  {
    name: "budget-of-pods-of-nobody",
    steps: [
      create(pod("a")),
      create(pod("b")),
      { do: "until pods", pods: { ready: true }, are: 2 },
      create(budget({ maxUnavailable: 1 })),
      counts(0, 2, 0, 0),
    ],
  },
  {
    name: "budget-of-pods-whose-owner-has-no-scale",
    steps: [
      create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" } }),
      {
        ...create(pod("a")),
        owners: [{ target: "configMaps/owner", controller: true } satisfies Owner],
      } as Step,
      { do: "until pods", pods: { ready: true }, are: 1 },
      create(budget({ minAvailable: "50%" })),
      { do: "until", target: TARGET, holds: { "status.conditions[DisruptionAllowed].reason": "SyncFailed" } },
    ],
  },
]);
