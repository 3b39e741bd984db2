import { gitVersionOf, NEWEST_MINOR } from "../../apiserver/discovery/release.ts";
import type { Node, NodeStatus } from "../../api/types/core-v1.gen.ts";
import { nodeConditions } from "./node-conditions.ts";
import { nodeFailures, type FailingNode } from "./node-failure.ts";
import type { PartOf } from "../../api/projected.ts";

export const PODS_PER_NODE = 110;
/** Of kubelets, unless they say otherwise. */
const NEWEST = gitVersionOf(NEWEST_MINOR);

/** Of a node, what is not the same for all. */
export interface HollowNodeOptions {
  readonly index: number;
  readonly nowMs: number;
  readonly kubeletVersion?: string | undefined;
  /** Somebody else says which addresses its pods have. */
  readonly awaitsRange?: boolean | undefined;
}

/** "node-0", "node-1" …, in three zones. */
export function hollowNode(options: HollowNodeOptions): Node {
  const { index, awaitsRange = false } = options;
  const name = hollowNodeName(index);
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "topology.kubernetes.io/region": "region-1",
        "topology.kubernetes.io/zone": `zone-${"abc".charAt(index % 3)}`,
      },
    },
    spec: awaitsRange ? {} : { podCIDR: podCidr(index), podCIDRs: [podCidr(index)] },
  };
  return { ...node, status: hollowNodeStatus(node, options) };
}

export function hollowNodeName(index: number): string {
  return `node-${index}`;
}

/** What is told of conditions follows from what they were. */
type ConditionField =
  | "status.conditions.type"
  | "status.conditions.status"
  | "status.conditions.lastTransitionTime";

/** What the kubelet of this node says, as it is and as the node fails. */
export function hollowNodeStatus(
  node: FailingNode & PartOf<Node, ConditionField>,
  { index, nowMs, kubeletVersion = NEWEST }: HollowNodeOptions,
): NodeStatus {
  const room = { cpu: "32", memory: "256Gi", "ephemeral-storage": "512Gi", pods: String(PODS_PER_NODE) };
  return {
    addresses: [
      { type: "InternalIP", address: hostAddress(index) },
      { type: "Hostname", address: hollowNodeName(index) },
    ],
    capacity: room,
    allocatable: room,
    conditions: nodeConditions(nodeFailures(node), node.status?.conditions, nowMs),
    nodeInfo: {
      architecture: "amd64",
      bootID: "hollow",
      containerRuntimeVersion: "hollow://1",
      kernelVersion: "hollow",
      kubeProxyVersion: "",
      kubeletVersion,
      machineID: "hollow",
      operatingSystem: "linux",
      osImage: "Hollow Linux",
      systemUUID: "hollow",
    },
  };
}

/** 172.16.0.0/12 has room for a million nodes. */
export function hostAddress(index: number): string {
  const number = index + 1;
  return `172.${16 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}

/** Node 3 has 10.0.3.0/24, node 259 has 10.1.3.0/24. */
export function podCidr(index: number): string {
  return `10.${(index >> 8) & 255}.${index & 255}.0/24`;
}
