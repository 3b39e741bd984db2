import { formatTime } from "../../api/time.ts";
import { gitVersionOf, NEWEST_MINOR } from "../../apiserver/discovery/release.ts";
import type { Node, NodeCondition, NodeStatus } from "../../api/types/core-v1.gen.ts";

export const PODS_PER_NODE = 110;
/** Of kubelets, unless they say otherwise. */
const NEWEST = gitVersionOf(NEWEST_MINOR);

/** "node-0", "node-1" …, in three zones. */
export function hollowNode(index: number, nowMs: number, kubeletVersion?: string): Node {
  const name = hollowNodeName(index);
  return {
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
    spec: { podCIDR: podCidr(index), podCIDRs: [podCidr(index)] },
    status: hollowNodeStatus(index, nowMs, kubeletVersion),
  };
}

export function hollowNodeName(index: number): string {
  return `node-${index}`;
}

export function hollowNodeStatus(index: number, nowMs: number, kubeletVersion = NEWEST): NodeStatus {
  const room = { cpu: "32", memory: "256Gi", "ephemeral-storage": "512Gi", pods: String(PODS_PER_NODE) };
  return {
    addresses: [
      { type: "InternalIP", address: hostAddress(index) },
      { type: "Hostname", address: hollowNodeName(index) },
    ],
    capacity: room,
    allocatable: room,
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", nowMs),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", nowMs),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", nowMs),
      condition("Ready", "True", "KubeletReady", nowMs),
    ],
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

export function podAddress(nodeIndex: number, podIndex: number): string {
  return `10.${(nodeIndex >> 8) & 255}.${nodeIndex & 255}.${podIndex + 1}`;
}

function condition(type: string, status: string, reason: string, nowMs: number): NodeCondition {
  const now = formatTime(nowMs);
  return { type, status, reason, message: "", lastHeartbeatTime: now, lastTransitionTime: now };
}
