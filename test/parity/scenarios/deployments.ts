import type { ApiObject } from "../../../pkg/api/object.ts";
import type { ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { ResourceQuota } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Scenario } from "../scenario.ts";
import {
  available,
  complete,
  create,
  deployment,
  patchSpec,
  replicaSet,
  roll,
  scale,
  template,
} from "./objects.ts";

const quota = (pods: string): { readonly hard: { readonly pods: string } } => ({ hard: { pods } });

const fewPods: ResourceQuota & ApiObject = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "few" },
  spec: quota("2"),
};

/** A ReplicaSet that has nothing to do with the Deployment. */
function stranger(name: string): ReplicaSet & ApiObject {
  const labels = { app: "other" };
  const { spec } = template("other:v1");
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, labels },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, ...(spec && { spec }) },
    },
  };
}

/** Deployments: size, ownership, names, refusals and what is copied to ReplicaSets. */
export const deployments: readonly Scenario[] = [
  { name: "create", steps: [create(deployment(3)), complete(3)] },
  { name: "scale-up", steps: [create(deployment(2)), complete(2), scale(5), complete(5)] },
  { name: "scale-down", steps: [create(deployment(5)), complete(5), scale(2), complete(2)] },
  {
    name: "scale-to-zero-and-back",
    steps: [create(deployment(2)), complete(2), scale(0), complete(0), scale(2), complete(2)],
  },
  {
    name: "paused-from-the-start",
    steps: [
      create(deployment(2, { paused: true })),
      roll("app:v2"),
      patchSpec({ paused: false }),
      complete(2),
    ],
  },
  {
    name: "adopt-replica-set",
    steps: [
      create(replicaSet("web-before", 3)),
      { do: "until", target: "replicaSets/web-before", holds: { "status.readyReplicas": 3 } },
      create(deployment(3)),
      complete(3),
    ],
  },
  {
    name: "adopt-old-replica-set",
    steps: [
      create(replicaSet("web-before", 2, template("app:v0"))),
      { do: "until", target: "replicaSets/web-before", holds: { "status.readyReplicas": 2 } },
      create(deployment(2)),
      complete(2),
    ],
  },
  {
    name: "release-replica-set",
    steps: [
      create(deployment(2)),
      complete(2),
      {
        do: "patch revision",
        deployment: "web",
        revision: 1,
        body: { metadata: { labels: { app: "mine" } } },
      },
      available(2),
    ],
  },
  {
    name: "delete-leaves-replica-sets-to-the-collector",
    steps: [create(deployment(2)), complete(2), { do: "delete", target: "deployments/web" }],
  },
  {
    name: "hash-collision",
    steps: [
      // The name that the first ReplicaSet of the Deployment would have.
      create(stranger("web-b575fd965")),
      create(deployment(2)),
      complete(2),
    ],
  },
  {
    name: "quota-refusal",
    timed: true,
    steps: [
      create(fewPods),
      // As the quota controller would, which does not run.
      {
        do: "patch",
        target: "resourceQuotas/few",
        subresource: "status",
        body: { status: { hard: { pods: "2" }, used: { pods: "0" } } },
      },
      create(deployment(3)),
      {
        do: "until",
        target: "deployments/web",
        holds: { "status.conditions[ReplicaFailure].status": "True", "status.availableReplicas": 2 },
      },
      { do: "patch", target: "resourceQuotas/few", body: { spec: quota("5") } },
      {
        do: "patch",
        target: "resourceQuotas/few",
        subresource: "status",
        body: { status: quota("5") },
      },
      complete(3),
    ],
  },
  {
    name: "annotations-and-change-cause",
    steps: [
      create({
        ...deployment(1),
        metadata: {
          name: "web",
          annotations: { "kubernetes.io/change-cause": "the first", "example.com/team": "red" },
        },
      }),
      complete(1),
      {
        do: "patch",
        target: "deployments/web",
        body: {
          metadata: { annotations: { "kubernetes.io/change-cause": "the second" } },
          spec: { template: template("app:v2") },
        },
      },
      complete(1),
      {
        do: "patch",
        target: "deployments/web",
        body: { metadata: { annotations: { "example.com/team": "blue" } } },
      },
      { do: "undo", deployment: "web", toRevision: 1 },
      complete(1),
    ],
  },
  {
    name: "labels-of-the-deployment-change",
    steps: [
      create(deployment(1)),
      complete(1),
      {
        do: "patch",
        target: "deployments/web",
        body: { metadata: { labels: { tier: "front" } }, spec: { revisionHistoryLimit: 5 } },
      },
      complete(1),
    ],
  },
];
