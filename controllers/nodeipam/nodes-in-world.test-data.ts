import { resources } from "../../pkg/api/resources.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import type { ControllerWorld } from "../../test/harness/controller-world.ts";
import type { NodeIpamSettings } from "./range-plan.ts";

/** Four ranges for Nodes, unless something else is said. */
export function settings(changed: Partial<NodeIpamSettings> = {}): NodeIpamSettings {
  return {
    clusterCidr: "10.0.0.0/22",
    serviceClusterIpRange: "",
    maskSize: 0,
    maskSizeIpv4: 0,
    maskSizeIpv6: 0,
    allocatorType: "RangeAllocator",
    ...changed,
  };
}

export function node(name: string, ...podCIDRs: readonly string[]): Node {
  const [podCIDR] = podCIDRs;
  return { metadata: { name }, spec: podCIDR === undefined ? {} : { podCIDR, podCIDRs } };
}

export async function addNodes(world: ControllerWorld, ...names: readonly string[]): Promise<void> {
  for (const name of names) await world.create<Node>(resources.nodes, node(name));
}

/** "a 10.0.0.0/24", or "a" for a Node without a range. */
export async function rangesOf(world: ControllerWorld): Promise<readonly string[]> {
  const nodes = await world.list<Node>(resources.nodes);
  return nodes.map(({ metadata, spec }) => [metadata.name, ...(spec?.podCIDRs ?? [])].join(" "));
}
