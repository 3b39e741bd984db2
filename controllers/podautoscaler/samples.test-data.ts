import type { Json } from "../../pkg/api/json.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { UNSET_MS } from "./pod-metrics.ts";

/** The time of all tables. */
export const NOW = Date.UTC(2026, 10, 19, 8);

/** When a pod of upstream's tables has started: "hot" is now, "cool" three minutes ago, and else it never was. */
export type Start = "hot" | "cool" | undefined;

export interface SamplePod {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly readiness?: string;
  readonly start?: Start;
  readonly phase?: string;
  readonly isDeleted?: boolean;
  /** Of each container. */
  readonly requests?: Readonly<Record<string, string>>;
  /** Also since when it is ready, or not. */
  readonly changesAtStart?: boolean;
}

/** A pod of two containers. */
export function samplePod({
  name,
  labels = {},
  readiness = "True",
  start,
  phase = "Running",
  isDeleted = false,
  requests,
  changesAtStart = false,
}: SamplePod): Pod {
  const startTime = formatTime(startMs(start));
  const resources = requests && { resources: { requests } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "test-namespace",
      uid: name,
      labels: { name: "test-pod", ...labels },
      ...(isDeleted && { deletionTimestamp: formatTime(NOW) }),
    },
    spec: {
      containers: [
        { name: "container1", ...resources },
        { name: "container2", ...resources },
      ],
    },
    status: {
      phase,
      startTime,
      conditions: [
        { type: "Ready", status: readiness, ...(changesAtStart && { lastTransitionTime: startTime }) },
      ],
    },
  };
}

function startMs(start: Start): number {
  if (start === undefined) return UNSET_MS;
  return start === "hot" ? NOW : NOW - 180_000;
}

export interface SampleUsage {
  readonly resource: string;
  readonly pods: readonly { readonly name: string; readonly levels: readonly number[] }[];
  readonly timeMs: number;
}

/** What the metrics API says of pods, in thousandths for each container. */
export function usageList({ resource, pods, timeMs }: SampleUsage): readonly Json[] {
  return pods.map(({ name, levels }) => ({
    metadata: { name, namespace: "test-namespace", labels: { name: "test-pod" } },
    timestamp: formatTime(timeMs),
    window: "1m0s",
    containers: [0, 1].map((index) => ({
      name: levels[index] === undefined ? "" : `container${index + 1}`,
      usage: levels[index] === undefined ? {} : { [resource]: `${levels[index]}m` },
    })),
  }));
}
