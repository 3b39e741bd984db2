import type { ApiObject } from "../../../pkg/api/object.ts";
import type { StatefulSet, StatefulSetSpec } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../../pkg/api/types/core-v1.gen.ts";
import { inArea, type PodChoice, type Scenario, type Step } from "../scenario.ts";
import { create, gated, LABELS, pod, template } from "./objects.ts";

const WEB = "statefulSets/web";
const slowToStop = template("app:v1", {}, { "kcm.dev/stops-after": "2" });
const atOnce: Partial<StatefulSetSpec> = { podManagementPolicy: "Parallel" };
const claims: Partial<StatefulSetSpec> = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

function statefulSet(replicas: number, spec: Partial<StatefulSetSpec> = {}): StatefulSet & ApiObject {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web", labels: LABELS, annotations: { note: "x" } },
    spec: {
      replicas,
      serviceName: "web",
      selector: { matchLabels: LABELS },
      template: template("app:v1"),
      ...spec,
    },
  };
}

function patchSpec(spec: unknown): Step {
  return { do: "patch", target: WEB, body: { spec } };
}

function roll(image: string, spec: PodTemplateSpec["spec"] | object = {}): Step {
  const { metadata, spec: pods } = template(image, spec);
  return patchSpec({ template: { metadata, spec: { readinessGates: null, ...pods } } });
}

function ready(replicas: number, updated = replicas): Step {
  const count = (number: number): number | undefined => (number === 0 ? undefined : number);
  return {
    do: "until",
    target: WEB,
    holds: {
      "status.replicas": replicas,
      "status.availableReplicas": replicas,
      "status.readyReplicas": count(replicas),
      "status.updatedReplicas": count(updated),
    },
  };
}

function partitioned(partition: number): Partial<StatefulSetSpec> {
  return { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } } };
}

function retained(whenDeleted: string, whenScaled: string): Partial<StatefulSetSpec> {
  return { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } };
}

const named = (name: string): PodChoice => ({ selector: `statefulset.kubernetes.io/pod-name=${name}` });

/** StatefulSets: places, claims, updates, and what may go wrong with each. */
export const statefulSets: readonly Scenario[] = inArea("stateful", [
  { name: "stateful-set-in-turn", steps: [create(statefulSet(3, claims)), ready(3)] },
  {
    name: "stateful-set-at-once-from-a-later-ordinal",
    steps: [create(statefulSet(3, { ...atOnce, ...claims, ordinals: { start: 5 } })), ready(3)],
  },
  {
    name: "stateful-set-is-scaled",
    steps: [
      create(statefulSet(2, { template: slowToStop })),
      ready(2),
      patchSpec({ replicas: 4 }),
      ready(4),
      patchSpec({ replicas: 1 }),
      ready(1),
      patchSpec({ replicas: 0 }),
      ready(0),
    ],
  },
  {
    name: "stateful-set-rolls-in-turn",
    steps: [create(statefulSet(3)), ready(3), roll("app:v2"), ready(3)],
  },
  {
    name: "stateful-set-rolls-at-once",
    steps: [create(statefulSet(3, atOnce)), ready(3), roll("app:v2"), ready(3)],
  },
  {
    name: "stateful-set-rolls-to-a-partition-and-on",
    steps: [
      create(statefulSet(4, partitioned(2))),
      ready(4),
      roll("app:v2"),
      ready(4, 2),
      { do: "delete pods", pods: named("web-0") },
      ready(4, 2),
      patchSpec(partitioned(0)),
      ready(4),
    ],
  },
  {
    name: "stateful-set-rolls-on-delete",
    steps: [
      create(statefulSet(3, { updateStrategy: { type: "OnDelete" } })),
      ready(3),
      roll("app:v2"),
      { do: "delete pods", pods: named("web-1") },
      ready(3, 1),
    ],
  },
  {
    name: "stateful-set-rolls-back",
    steps: [
      create(statefulSet(2)),
      ready(2),
      roll("app:v2"),
      ready(2),
      roll("app:v3"),
      ready(2),
      roll("app:v1"),
      ready(2),
    ],
  },
  {
    name: "stateful-set-keeps-little-history",
    steps: [
      create(statefulSet(1, { revisionHistoryLimit: 1 })),
      ready(1),
      ...["app:v2", "app:v3", "app:v4"].flatMap((image) => [roll(image), ready(1)]),
    ],
  },
  {
    name: "stateful-set-with-a-bad-template-then-a-good-one",
    steps: [
      create(statefulSet(3)),
      ready(3),
      roll("app:v2", gated),
      { do: "until", target: WEB, holds: { "status.updatedReplicas": 1, "status.readyReplicas": 2 } },
      roll("app:v3"),
      { do: "delete pods", pods: named("web-2") },
      ready(3),
    ],
  },
  {
    name: "stateful-set-whose-pod-fails",
    steps: [
      create(statefulSet(3)),
      ready(3),
      { do: "patch pod status", pods: named("web-1"), body: { status: { phase: "Failed" } } },
      ready(3),
    ],
  },
  {
    name: "stateful-set-min-ready-seconds",
    steps: [create(statefulSet(2, { minReadySeconds: 2 })), ready(2), roll("app:v2"), ready(2)],
  },
  {
    name: "stateful-set-adopts-and-releases-pods",
    timed: true,
    steps: [
      create(pod("web-0")),
      create(pod("web2-0")),
      create(statefulSet(2)),
      { do: "until", target: WEB, holds: { "status.readyReplicas": 2 } },
      { do: "patch pods", pods: named("web-1"), body: { metadata: { labels: { app: "other" } } } },
      { do: "until", target: WEB, holds: { "status.readyReplicas": 1 } },
    ],
  },
  {
    name: "stateful-set-gives-labels-back",
    steps: [
      create(statefulSet(2)),
      ready(2),
      {
        do: "patch pods",
        pods: named("web-0"),
        body: { metadata: { labels: { "statefulset.kubernetes.io/pod-name": "other" } } },
      },
      { do: "until pods", pods: named("web-0"), are: 1 },
    ],
  },
  {
    name: "stateful-set-whose-claims-go-with-it",
    steps: [create(statefulSet(2, { ...claims, ...retained("Delete", "Retain") })), ready(2)],
  },
  {
    name: "stateful-set-whose-claims-go-with-pods",
    steps: [
      create(statefulSet(3, { ...claims, ...retained("Delete", "Delete"), template: slowToStop })),
      ready(3),
      patchSpec({ replicas: 1 }),
      ready(1),
      // Nobody collects the claims here: they stand in the way of pods that would lose them.
      patchSpec({ replicas: 2 }),
      ready(1),
    ],
  },
  {
    name: "stateful-set-whose-claims-stay-after-all",
    steps: [
      create(statefulSet(2, { ...claims, ...retained("Retain", "Retain") })),
      ready(2),
      patchSpec(retained("Delete", "Retain")),
      ready(2),
      patchSpec(retained("Retain", "Retain")),
      ready(2),
    ],
  },
]);
