import { findCondition } from "../../api/conditions.ts";
import { formatTime } from "../../api/time.ts";
import type { NodeCondition } from "../../api/types/core-v1.gen.ts";
import type { NodeFailure, NodeFailures } from "./node-failure.ts";

interface Told {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** In the words of kubelets: how it is, and how it is when it fails. */
const CONDITIONS: readonly { type: string; failure: NodeFailure; usual: Told; failed: Told }[] = [
  {
    type: "MemoryPressure",
    failure: "memory-pressure",
    usual: told("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    failed: told("True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
  },
  {
    type: "DiskPressure",
    failure: "disk-pressure",
    usual: told("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    failed: told("True", "KubeletHasDiskPressure", "kubelet has disk pressure"),
  },
  {
    type: "PIDPressure",
    failure: "pid-pressure",
    usual: told("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    failed: told("True", "KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
  },
  {
    type: "Ready",
    failure: "not-ready",
    usual: told("True", "KubeletReady", "kubelet is posting ready status"),
    failed: told("False", "KubeletNotReady", "container runtime is down"),
  },
];

function told(status: Told["status"], reason: string, message: string): Told {
  return { status, reason, message };
}

type Conditions = readonly Pick<NodeCondition, "type" | "status" | "lastTransitionTime">[] | undefined;

/** What the kubelet says of its node. Times of transitions stay, as far as the node has the same status already. */
export function nodeConditions(failures: NodeFailures, before: Conditions, nowMs: number): NodeCondition[] {
  const now = formatTime(nowMs);
  return CONDITIONS.map(({ type, failure, usual, failed }) => {
    const next = failures.has(failure) ? failed : usual;
    const last = findCondition(before, type);
    const since = last?.status === next.status ? last.lastTransitionTime : undefined;
    return { type, ...next, lastHeartbeatTime: now, lastTransitionTime: since ?? now };
  });
}

/** Whether the node says of itself what its kubelet would say now. */
export function saysSo(failures: NodeFailures, conditions: Conditions): boolean {
  return CONDITIONS.every(({ type, failure, usual, failed }) => {
    const { status } = failures.has(failure) ? failed : usual;
    return findCondition(conditions, type)?.status === status;
  });
}
