import { compileNodeSelector } from "../../api/node-selector.ts";
import type { Node } from "../../api/types/core-v1.gen.ts";
import type { DeviceRequestAllocationResult, ResourceSlice } from "../../api/types/resource-v1.gen.ts";

/** What there is of devices on a node. */
export interface NodeDevices {
  readonly slices: readonly ResourceSlice[];
  /** Some slices of a pool are yet to come, so that nobody can say what all of its devices are. */
  readonly lacksSlices: boolean;
}

export function deviceKey({
  driver,
  pool,
  device,
}: Pick<DeviceRequestAllocationResult, "driver" | "pool" | "device">): string {
  return `${driver}/${pool}/${device}`;
}

/** The slices of complete pools that the node can use. Of a pool only its newest generation counts. */
export function devicesOfNode(slices: readonly ResourceSlice[], node: Node): NodeDevices {
  const pools = Map.groupBy(slices, ({ spec }) => `${spec.driver}/${spec.pool.name}`);
  let lacksSlices = false;
  const offered = [...pools.values()].flatMap((ofPool) => {
    const newest = ofPool.reduce(
      (most, { spec }) => (spec.pool.generation > most ? spec.pool.generation : most),
      ofPool[0]?.spec.pool.generation ?? 0,
    );
    const current = ofPool.filter(({ spec }) => spec.pool.generation >= newest);
    const usable = current.filter((slice) => isForNode(slice, node));
    const isComplete = current.every(({ spec }) => current.length >= spec.pool.resourceSliceCount);
    if (isComplete) return usable;
    lacksSlices ||= usable.length > 0;
    return [];
  });
  return { slices: offered, lacksSlices };
}

function isForNode({ spec }: ResourceSlice, node: Node): boolean {
  if (spec.nodeName !== undefined) return spec.nodeName === node.metadata.name;
  if (spec.nodeSelector !== undefined) return compileNodeSelector(spec.nodeSelector).matches(node);
  return spec.allNodes === true;
}
