import type { ApiObject } from "../../../pkg/api/object.ts";
import type { DaemonSet, DaemonSetSpec } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../../pkg/api/types/core-v1.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { create, LABELS, pod, template } from "./objects.ts";

const NODES = 3;
const TARGET = "daemonSets/web";

function daemonSet(spec: Partial<DaemonSetSpec> = {}): DaemonSet & ApiObject {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "web", labels: LABELS },
    spec: { selector: { matchLabels: LABELS }, template: template("app:v1"), ...spec },
  };
}

/** For one node only: which of several goes first is left to chance. */
function onNode(name: string, image = "app:v1"): PodTemplateSpec {
  return template(image, { nodeSelector: { "kubernetes.io/hostname": name } });
}

const inPlace = (maxUnavailable: number | string): Partial<DaemonSetSpec> => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } },
});
const surging = (maxSurge: number | string): Partial<DaemonSetSpec> => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge } },
});
const change = (spec: unknown): Step => ({ do: "patch", target: TARGET, body: { spec } });
const roll = (image: string): Step => change({ template: template(image) });
/** That many nodes have an available pod of the current template. */
const settled = (nodes = NODES): Step => ({
  do: "until",
  target: TARGET,
  holds: {
    "status.desiredNumberScheduled": nodes,
    "status.updatedNumberScheduled": nodes === 0 ? undefined : nodes,
    "status.numberAvailable": nodes === 0 ? undefined : nodes,
    "status.numberMisscheduled": 0,
  },
});

export const daemonSets: readonly Scenario[] = inArea("daemons", [
  { name: "daemon-set-on-every-node", steps: [create(daemonSet()), settled()] },
  {
    name: "daemon-set-for-some-nodes-then-for-all",
    steps: [
      create(daemonSet({ template: onNode("node-1") })),
      settled(1),
      change({ template: { spec: { nodeSelector: null } } }),
      settled(),
    ],
  },
  {
    name: "daemon-set-for-no-node-any-more",
    steps: [
      create(daemonSet()),
      settled(),
      change({ template: { spec: { nodeSelector: { no: "such-node" } } } }),
      settled(0),
    ],
  },
  {
    name: "daemon-set-rolls-in-place",
    steps: [create(daemonSet(inPlace(1))), settled(), roll("app:v2"), settled()],
  },
  {
    name: "daemon-set-rolls-in-place-by-a-share",
    steps: [create(daemonSet(inPlace("50%"))), settled(), roll("app:v2"), settled()],
  },
  {
    name: "daemon-set-rolls-by-surge",
    steps: [create(daemonSet(surging(1))), settled(), roll("app:v2"), settled()],
  },
  {
    name: "daemon-set-rolls-on-delete",
    steps: [
      create(daemonSet({ updateStrategy: { type: "OnDelete" } })),
      settled(),
      roll("app:v2"),
      { do: "until", target: TARGET, holds: { "status.updatedNumberScheduled": undefined } },
      { do: "delete pods", pods: { count: NODES } },
      settled(),
    ],
  },
  {
    name: "daemon-set-rolls-back",
    steps: [create(daemonSet(inPlace(3))), settled(), roll("app:v2"), settled(), roll("app:v1"), settled()],
  },
  {
    name: "daemon-set-keeps-little-history",
    steps: [
      create(daemonSet({ ...inPlace(3), revisionHistoryLimit: 1 })),
      settled(),
      roll("app:v2"),
      settled(),
      roll("app:v3"),
      settled(),
    ],
  },
  {
    name: "daemon-set-with-a-bad-image-then-a-good-one",
    steps: [
      create(daemonSet({ ...inPlace(1), template: onNode("node-1") })),
      settled(1),
      change({ template: onNode("node-1", "app:does-not-exist") }),
      { do: "until", target: TARGET, holds: { "status.updatedNumberScheduled": 1, "status.numberReady": 0 } },
      change({ template: onNode("node-1", "app:v3") }),
      settled(1),
    ],
  },
  {
    name: "daemon-set-adopts-a-pod",
    steps: [
      create(pod("stray", { nodeName: "node-2" })),
      { do: "until pods", pods: { ready: true }, are: 1 },
      create(daemonSet({ updateStrategy: { type: "OnDelete" } })),
      { do: "until", target: TARGET, holds: { "status.numberAvailable": NODES } },
    ],
  },
  {
    name: "daemon-set-whose-pod-fails",
    steps: [
      create(daemonSet({ template: onNode("node-1") })),
      settled(1),
      {
        do: "patch pod status",
        pods: { count: 1 },
        body: { status: { phase: "Failed", reason: "Evicted" } },
      },
      { do: "until pods", pods: { ready: false }, are: 0 },
      settled(1),
    ],
  },
  {
    name: "daemon-set-min-ready-seconds",
    steps: [create(daemonSet({ ...inPlace(3), minReadySeconds: 2 })), settled(), roll("app:v2"), settled()],
  },
  {
    name: "daemon-set-and-a-tainted-node",
    alone: true,
    steps: [
      create(daemonSet()),
      settled(),
      {
        do: "patch",
        target: "nodes/node-1",
        body: { spec: { taints: [{ key: "away", effect: "NoExecute" }] } },
      },
      settled(2),
      { do: "patch", target: "nodes/node-1", body: { spec: { taints: null } } },
      settled(),
    ],
  },
]);
