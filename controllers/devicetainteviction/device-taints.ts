import { semanticEqual } from "../../pkg/api/equality.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { DeviceRequestAllocationResult, DeviceTaint } from "../../pkg/api/types/resource-v1.gen.ts";
import type { CachedRule, CachedSlice } from "./fields.ts";

/** A device, by the names that allocations have for it. */
export type DeviceRef = Pick<DeviceRequestAllocationResult, "driver" | "pool" | "device">;

/** A taint that evicts, and the rule that it is of, if it is not of the device itself. */
export interface EvictingTaint {
  readonly taint: DeviceTaint;
  readonly rule?: Stored<CachedRule>;
}

const EVICTS = "NoExecute";

export function poolKey({ driver, pool }: Pick<DeviceRef, "driver" | "pool">): string {
  return `${driver}/${pool}`;
}

export function deviceKey({ driver, pool, device }: DeviceRef): string {
  return `${driver}/${pool}/${device}`;
}

export function poolOf({ spec }: CachedSlice): string {
  return poolKey({ driver: spec.driver, pool: spec.pool.name });
}

type TaintsByDevice = ReadonlyMap<string, readonly DeviceTaint[]>;

/** Slices are never changed: of each it is found out once what its devices have. */
const known = new WeakMap<CachedSlice, TaintsByDevice>();

/** What evicts of each device of a slice. */
export function evictingTaints(slice: CachedSlice): TaintsByDevice {
  const found = known.get(slice);
  if (found !== undefined) return found;
  const taints = new Map<string, readonly DeviceTaint[]>();
  for (const device of slice.spec.devices ?? []) {
    const evicting = device.taints?.filter(({ effect }) => effect === EVICTS) ?? [];
    if (evicting.length > 0) taints.set(device.name, evicting);
  }
  known.set(slice, taints);
  return taints;
}

/** Of a pool only the slices of its newest generation count. */
export function currentSlices(slices: readonly Stored<CachedSlice>[]): readonly Stored<CachedSlice>[] {
  const newest = newestGeneration(slices);
  return slices.filter(({ spec }) => BigInt(spec.pool.generation) === newest);
}

function newestGeneration(slices: readonly CachedSlice[]): bigint | undefined {
  let newest: bigint | undefined;
  for (const { spec } of slices) {
    const generation = BigInt(spec.pool.generation);
    if (newest === undefined || generation > newest) newest = generation;
  }
  return newest;
}

/**
 * The devices that may have other taints than before, of a pool whose slice has changed. When that is about its generation,
 * or comes and goes, others may count or no longer count.
 */
export function changedDevices(
  before: CachedSlice | undefined,
  after: CachedSlice | undefined,
  others: readonly CachedSlice[],
): ReadonlySet<string> {
  const [old, next] = [taintsOf(before), taintsOf(after)];
  const isSameGeneration =
    before !== undefined &&
    after !== undefined &&
    BigInt(before.spec.pool.generation) === BigInt(after.spec.pool.generation);
  const changed = new Set<string>();
  for (const name of [...old.keys(), ...next.keys()])
    if (!isSameGeneration || !semanticEqual(old.get(name), next.get(name))) changed.add(name);
  if (!isSameGeneration)
    for (const other of others) for (const name of evictingTaints(other).keys()) changed.add(name);
  return changed;
}

function taintsOf(slice: CachedSlice | undefined): TaintsByDevice {
  return slice === undefined ? new Map() : evictingTaints(slice);
}

export function ruleMatches({ spec }: Pick<CachedRule, "spec">, device: DeviceRef): boolean {
  const selector = spec.deviceSelector;
  if (selector === undefined) return false;
  return (
    (selector.driver === undefined || selector.driver === device.driver) &&
    (selector.pool === undefined || selector.pool === device.pool) &&
    (selector.device === undefined || selector.device === device.device)
  );
}

export function isEvicting({ spec }: Pick<CachedRule, "spec">): boolean {
  return spec.taint.effect === EVICTS;
}
