import { isNodeReady } from "../../pkg/api/node.ts";
import { type Quantity, zeroQuantity } from "../../pkg/api/quantity.ts";
import { parseQuantity } from "../../pkg/api/quantity-parse.ts";
import { ZONE_LABEL } from "./endpoint-of-pod.ts";
import type { CachedNode } from "./fields.ts";

/** The share of each zone in the CPUs of all, by name of the zone in order. */
export type ZoneShares = ReadonlyMap<string, number>;
/** Endpoints of one Service and family by the zone that they are for. */
export type ZoneCounts = ReadonlyMap<string, number>;

const EXCLUDED = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** Some zones get more than they would by their share, up to this much. */
const OVERLOAD = 0.2;

/** Undefined when they cannot be told: a node without zone or CPUs, fewer than two zones. */
export function zoneShares(nodes: readonly CachedNode[]): ZoneShares | undefined {
  const byZone = new Map<string, Quantity>();
  let total = zeroQuantity;
  for (const node of nodes) {
    const labels = node.metadata.labels ?? {};
    if (EXCLUDED.some((label) => Object.hasOwn(labels, label)) || !isNodeReady(node)) continue;
    const cpu = parseQuantity(node.status?.allocatable?.["cpu"] ?? "0");
    const zone = labels[ZONE_LABEL] ?? "";
    if (zone === "" || cpu.isZero()) return undefined;
    total = total.add(cpu);
    byZone.set(zone, (byZone.get(zone) ?? zeroQuantity).add(cpu));
  }
  if (byZone.size < 2) return undefined;
  const totalMilli = total.milliValue();
  return inOrder(byZone, (cpu) => cpu.milliValue() / totalMilli);
}

export interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

export type Allocations =
  | { readonly byZone: ReadonlyMap<string, Allocation> }
  /** Why there can be none. */
  | { readonly problem: string };

/** How many of the endpoints should be for each zone, and how few or many may be before it has too little. */
export function allocate(shares: ZoneShares | undefined, endpoints: number): Allocations {
  if (shares === undefined) return { problem: INSUFFICIENT_NODES };
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return { problem: `Insufficient number of endpoints ${counts}` };
  const minima = inOrder(shares, (share) => leastFor(share, endpoints));
  const minTotal = sumOf(minima);
  if (minTotal > endpoints) {
    return {
      problem: `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`,
    };
  }
  const byZone = inOrder(shares, (share, zone) => {
    const minimum = minima.get(zone) ?? 0;
    return {
      minimum,
      maximum: minimum + endpoints - minTotal,
      desired: Math.max(share * endpoints, minimum),
    };
  });
  return { byZone };
}

const INSUFFICIENT_NODES =
  "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";

/** Whether a zone has so few endpoints that they get much more than their share of the traffic. */
export function isOverloaded(counts: ZoneCounts, shares: ZoneShares | undefined): boolean {
  if (counts.size === 0) return false;
  if (shares === undefined) return true;
  const total = sumOf(counts);
  return [...shares].some(([zone, share]) => (counts.get(zone) ?? -1) < leastFor(share, total));
}

function leastFor(share: number, endpoints: number): number {
  return Math.ceil(share * endpoints * (1 / (1 + OVERLOAD)));
}

/** How many endpoints zones give up, and how many others get: so many that no zone is off by more than a half. */
export function exchanges(
  allocations: ReadonlyMap<string, Allocation>,
  counts: ZoneCounts,
): { readonly giving: Map<string, number>; readonly receiving: Map<string, number> } {
  const surplus = new Map<string, number>();
  const need = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const count = counts.get(zone) ?? 0;
    if (count > desired) surplus.set(zone, count - desired);
    else if (count < desired) need.set(zone, desired - count);
  }
  const giving = new Map<string, number>();
  const receiving = new Map<string, number>();
  for (;;) {
    const [giver, toGive] = most(surplus);
    const [receiver, toReceive] = most(need);
    if (toGive < 0.5 || toReceive < 0.5 || (toGive < 1 && toReceive < 1)) return { giving, receiving };
    surplus.set(giver, toGive - 1);
    need.set(receiver, toReceive - 1);
    giving.set(giver, (giving.get(giver) ?? 0) + 1);
    receiving.set(receiver, (receiving.get(receiver) ?? 0) + 1);
  }
}

function most(amounts: ReadonlyMap<string, number>): readonly [zone: string, amount: number] {
  let best: readonly [string, number] = ["", 0];
  for (const entry of amounts) if (entry[1] > best[1]) best = entry;
  return best;
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

function inOrder<T, U>(map: ReadonlyMap<string, T>, value: (from: T, key: string) => U): Map<string, U> {
  const entries = [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return new Map(entries.map(([key, from]) => [key, value(from, key)]));
}
