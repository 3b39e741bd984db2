import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { DaemonSet, DaemonSetStatus, DaemonSetUpdateStrategy } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod, PodSpec, Taint } from "../../pkg/api/types/core-v1.gen.ts";
import type { IntOrString } from "../../pkg/api/int-or-string.ts";
import { REVISION_HASH } from "./daemon-set.ts";
import { affinityToNode } from "./pod-template.ts";

type LabelMap = Readonly<Record<string, string>>;

export const LABELS: LabelMap = { name: "simple-daemon", type: "production" };
export const OTHER_LABELS: LabelMap = { name: "simple-daemon", type: "test" };
export const NODE_LABELS: LabelMap = { color: "blue", speed: "fast" };
export const OTHER_NODE_LABELS: LabelMap = { color: "red", speed: "fast" };

export const ON_DELETE: DaemonSetUpdateStrategy = { type: "OnDelete" };
export const ROLLING: DaemonSetUpdateStrategy = unavailable(1);
export const BOTH_STRATEGIES = [ON_DELETE, ROLLING];

export function unavailable(maxUnavailable: IntOrString): DaemonSetUpdateStrategy {
  return { type: "RollingUpdate", rollingUpdate: { maxUnavailable } };
}

export function surge(maxSurge: IntOrString): DaemonSetUpdateStrategy {
  return { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge } };
}

export interface DaemonSetSketch {
  readonly name?: string;
  readonly strategy?: DaemonSetUpdateStrategy;
  readonly spec?: Partial<PodSpec>;
  readonly minReadySeconds?: number;
  readonly historyLimit?: number;
  readonly generation?: number;
  readonly annotations?: LabelMap;
  readonly status?: Partial<DaemonSetStatus>;
}

export function daemonSet(sketch: DaemonSetSketch = {}): Stored<DaemonSet> {
  const { name = "foo", strategy = ON_DELETE, spec, minReadySeconds, historyLimit = 2, status } = sketch;
  const { generation, annotations } = sketch;
  return asStored<DaemonSet>({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: {
      name,
      namespace: "default",
      uid: `${name}-uid`,
      ...(generation !== undefined && { generation }),
      ...(annotations && { annotations }),
    },
    spec: {
      revisionHistoryLimit: historyLimit,
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      updateStrategy: strategy,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: { containers: [{ name: "main", image: "foo/bar" }], ...spec },
      },
    },
    ...(status && { status: { ...NO_STATUS, ...status } }),
  });
}

export const NO_STATUS: DaemonSetStatus = {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};

export function node(name: string, labels: LabelMap = {}, taints?: readonly Taint[]): Stored<Node> {
  return asStored<Node>({ metadata: { name, labels }, ...(taints && { spec: { taints } }) });
}

export function nodes(first: number, count: number, labels: LabelMap = {}): readonly Stored<Node>[] {
  return Array.from({ length: count }, (_, index) => node(`node-${first + index}`, labels));
}

export interface PodSketch {
  readonly on?: string;
  /** Waits for the scheduler to put it there. */
  readonly meantFor?: string;
  readonly labels?: LabelMap;
  readonly hash?: string;
  readonly owner?: Stored<DaemonSet>;
  readonly phase?: string;
  /** Seconds after the epoch since when it has been ready or not. */
  readonly ready?: boolean;
  readonly since?: number;
  readonly created?: number;
  readonly deleting?: boolean;
}

export function pod(name: string, sketch: PodSketch = {}): Stored<Pod> {
  const { on, meantFor, labels = LABELS, hash, owner, phase, ready, since = 0, created = 0 } = sketch;
  const affinity = meantFor === undefined ? undefined : affinityToNode(undefined, meantFor);
  return asStored<Pod>({
    metadata: {
      name,
      namespace: "default",
      uid: `${name}-uid`,
      labels: { ...labels, ...(hash !== undefined && { [REVISION_HASH]: hash }) },
      creationTimestamp: formatTime(created * 1_000),
      ...(sketch.deleting && { deletionTimestamp: formatTime(created * 1_000) }),
      ...(owner && { ownerReferences: [newControllerRef(asStored(owner), resources.daemonSets)] }),
    },
    spec: {
      containers: [{ name: "main", image: "foo/bar" }],
      ...(on !== undefined && { nodeName: on }),
      ...(affinity && { affinity }),
    },
    status: {
      ...(phase !== undefined && { phase }),
      ...(ready !== undefined && {
        conditions: [
          {
            type: "Ready",
            status: ready ? "True" : "False",
            lastTransitionTime: formatTime(since * 1_000),
          },
        ],
      }),
    },
  });
}
