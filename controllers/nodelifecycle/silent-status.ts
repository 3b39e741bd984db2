import { nodeCondition } from "../../pkg/api/node.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { NodeCondition } from "../../pkg/api/types/core-v1.gen.ts";
import type { CachedNode } from "./fields.ts";

/** NetworkUnavailable is not the kubelet's: whoever sets up routes says that. */
const CONDITIONS_OF_KUBELET = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** Whether silence is news: the node does not say so already. */
export function isSilenceNews(node: CachedNode): boolean {
  return nodeCondition(node, "Ready")?.status !== "Unknown";
}

/** A strategic merge patch of the status: the conditions stay in the order in which the node has them. */
export interface SilentStatus {
  readonly conditions: readonly NodeCondition[];
  readonly "$setElementOrder/conditions": readonly { readonly type: string }[];
}

/** What is to be written of a silent node; undefined when it says so already. */
export function silentStatus(node: CachedNode, nowMs: number): SilentStatus | undefined {
  const news = new Map(conditionsOfSilent(node, nowMs).map((condition) => [condition.type, condition]));
  if (news.size === 0) return undefined;
  const before = (node.status?.conditions ?? []).map(({ type }) => type);
  const order = [...new Set([...before, ...news.keys()])];
  return {
    conditions: order.flatMap((type) => news.get(type) ?? []),
    "$setElementOrder/conditions": order.map((type) => ({ type })),
  };
}

/**
 * The conditions of a silent node that are to be written; the server merges them by their type. Those that are unknown
 * already stay as they are, and when Ready is, so do all.
 */
export function conditionsOfSilent(node: CachedNode, nowMs: number): readonly NodeCondition[] {
  if (!isSilenceNews(node)) return [];
  const lastTransitionTime = formatTime(nowMs);
  return CONDITIONS_OF_KUBELET.flatMap<NodeCondition>((type) => {
    const before = nodeCondition(node, type);
    if (before === undefined) {
      return {
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
        lastHeartbeatTime: node.metadata.creationTimestamp ?? null,
        lastTransitionTime,
      };
    }
    if (before.status === "Unknown") return [];
    return {
      type,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastTransitionTime,
    };
  });
}
