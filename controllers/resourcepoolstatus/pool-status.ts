import type {
  V1alpha3PoolStatus,
  V1alpha3ResourcePoolStatusRequest,
  V1alpha3ResourcePoolStatusRequestStatus,
} from "../../pkg/api/types/resource-v1alpha3.gen.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { CachedClaim, CachedSlice } from "./fields.ts";

const DEFAULT_LIMIT = 100;
const LONGEST_ERROR = 256;

export type Status = V1alpha3ResourcePoolStatusRequestStatus;

/** A pool, by the names that allocations have for it. */
export interface PoolRef {
  readonly driver: string;
  readonly pool: string;
}

export interface PoolsView {
  /** Of the driver that is asked for. */
  readonly slices: readonly CachedSlice[];
  /** How many devices of the pool claims have. */
  readonly allocated: (pool: PoolRef) => number;
}

/** What is to be answered; undefined: some of the pools are not complete yet, and this is one of them. */
export type PoolAnswer = { readonly status: Status } | { readonly incomplete: string };

/** What there is of the pools that somebody has asked for. */
export function decidePoolStatus(
  { spec }: Pick<V1alpha3ResourcePoolStatusRequest, "spec">,
  view: PoolsView,
  nowMs: number,
): PoolAnswer {
  const asked = spec.poolName ?? "";
  const matching = view.slices.filter(({ spec: { pool } }) => asked === "" || pool.name === asked);
  const byPool = [...Map.groupBy(matching, (slice) => slice.spec.pool.name)];
  const shown = byPool
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .slice(0, spec.limit ?? DEFAULT_LIMIT)
    .map(([pool, slices]) => poolStatus({ driver: spec.driver, pool }, slices, view));
  const incomplete = shown.find(({ validationError }) => validationError !== undefined)?.validationError;
  if (incomplete !== undefined) return { incomplete };
  return { status: answer(byPool.length, shown, nowMs) };
}

function answer(poolCount: number, pools: readonly V1alpha3PoolStatus[], nowMs: number): Status {
  const condition = {
    type: "Complete",
    status: "True",
    reason: "CalculationComplete",
    message: `Calculated status for ${pools.length} pools`,
    lastTransitionTime: formatTime(nowMs),
  };
  return { poolCount, ...(pools.length > 0 && { pools }), conditions: [condition] };
}

/** Of a pool only the slices of its newest generation count. */
function poolStatus(
  ref: PoolRef,
  slices: readonly CachedSlice[],
  { allocated }: Pick<PoolsView, "allocated">,
): V1alpha3PoolStatus {
  const generation = slices.map((slice) => slice.spec.pool.generation).reduce((a, b) => (b > a ? b : a));
  const current = slices.filter(({ spec }) => spec.pool.generation >= generation);
  const [first] = current;
  const expected = first?.spec.pool.resourceSliceCount ?? 0;
  const nodeName = nodeOf(current);
  const pool = {
    driver: ref.driver,
    poolName: ref.pool,
    generation,
    ...(nodeName !== undefined && { nodeName }),
  };
  if (current.length < expected) {
    const seen = `observed ${current.length}/${expected} slices at generation ${generation}`;
    const validationError = `pool ${ref.driver}/${ref.pool} is incomplete: ${seen}`;
    return { ...pool, validationError: validationError.slice(0, LONGEST_ERROR) };
  }
  const totalDevices = current.reduce((sum, { spec }) => sum + (spec.devices?.length ?? 0), 0);
  const allocatedDevices = allocated(ref);
  return {
    ...pool,
    resourceSliceCount: current.length,
    totalDevices,
    allocatedDevices,
    availableDevices: Math.max(0, totalDevices - allocatedDevices),
    // Taints and conditions of devices are not looked at yet. upstream: controller.go#calculatePoolStatus
    unavailableDevices: 0,
  };
}

/** The node that all slices name. */
function nodeOf(slices: readonly CachedSlice[]): string | undefined {
  const names = new Set(slices.map(({ spec }) => spec.nodeName ?? ""));
  const [name] = names;
  return names.size === 1 && name !== "" ? name : undefined;
}

/** How many of a claim's devices are of the pool. */
export function devicesOf({ status }: CachedClaim, { driver, pool }: PoolRef): number {
  const results = status?.allocation?.devices?.results ?? [];
  return results.filter((each) => each.driver === driver && each.pool === pool).length;
}
