import type { Steps } from "../../pkg/api/steps.ts";
import type { Endpoint, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { Family } from "./address-families.ts";
import { isReady, mapWritten, moveToUpdate, removeHints, type SliceChanges, zoneHint } from "./hints.ts";
import { allocate, type Allocation, exchanges, type ZoneCounts, type ZoneShares } from "./zone-shares.ts";

export interface HintEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: "TopologyAwareHintsEnabled" | "TopologyAwareHintsDisabled";
  readonly message: string;
}

export interface HintPlan {
  readonly changes: SliceChanges;
  /** For how many endpoints each zone has a hint; undefined when there are no hints. */
  readonly counts: ZoneCounts | undefined;
  readonly events: readonly HintEvent[];
}

export interface TopologyView {
  readonly shares: ZoneShares | undefined;
  /** The Service had hints so far. */
  readonly hinted: boolean;
  readonly family: Family;
}

/** Hints are not asked for by the annotation any more. */
export function hintsDisabled({ hinted, family }: TopologyView): readonly HintEvent[] {
  return hinted ? [disabled("Topology Aware Hints has been disabled", family)] : [];
}

/**
 * Gives every ready endpoint a hint so that each zone gets endpoints by its share in the CPUs. Endpoints get hints for
 * their own zone as far as the shares allow. A slice that needs no write keeps its hints where they will do.
 */
export function* hintByTopology(changes: SliceChanges, view: TopologyView): Steps<HintPlan> {
  const { family, shares } = view;
  const all = yield* readyByZone([...changes.create, ...changes.update, ...changes.unchanged]);
  const total = [...all.values()].reduce((sum, count) => sum + count, 0);
  const allocations = allocate(shares, total);
  if ("problem" in allocations) return yield* withoutHints(changes, allocations.problem, family);

  const { kept, counts } = yield* keepHints(changes, allocations.byZone);
  const ready = yield* readyByZone([...kept.create, ...kept.update]);
  if (ready.has("")) {
    return yield* withoutHints(kept, "One or more endpoints do not have a zone specified", family);
  }
  addCounts(counts, ready);
  const { giving, receiving } = exchanges(allocations.byZone, counts);
  const hint = (endpoint: Endpoint): Endpoint => {
    if (!isReady(endpoint)) return endpoint;
    const { zone = "" } = endpoint;
    const receiver = (giving.get(zone) ?? 0) > 0 ? receiving.keys().next().value : undefined;
    if (receiver === undefined) return { ...endpoint, hints: zoneHint(zone) };
    shift(giving, zone);
    shift(receiving, receiver);
    counts.set(zone, (counts.get(zone) ?? 0) - 1);
    counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
    return { ...endpoint, hints: zoneHint(receiver) };
  };
  const hinted = yield* mapWritten(kept, hint);
  if (counts.size === 0) return yield* withoutHints(hinted, "No hints allocated for zones", family);
  return { changes: hinted, counts, events: view.hinted ? [] : [enabled(family)] };
}

function* readyByZone(slices: readonly EndpointSlice[]): Steps<ZoneCounts> {
  const counts = new Map<string, number>();
  for (const { endpoints } of slices) {
    for (const endpoint of endpoints ?? []) {
      const { zone = "" } = endpoint;
      if (isReady(endpoint)) counts.set(zone, (counts.get(zone) ?? 0) + 1);
    }
    yield;
  }
  return counts;
}

function addCounts(counts: Map<string, number>, more: ZoneCounts): void {
  for (const [zone, count] of more) counts.set(zone, (counts.get(zone) ?? 0) + count);
}

/** Slices whose hints can stay are left alone, and counted. */
function* keepHints(
  changes: SliceChanges,
  allocations: ReadonlyMap<string, Allocation>,
): Steps<{ readonly kept: SliceChanges; readonly counts: Map<string, number> }> {
  const counts = new Map<string, number>();
  const kept = yield* moveToUpdate(changes, (slice) => {
    const own = usableHints(slice, counts, allocations);
    if (own === undefined) return true;
    addCounts(counts, own);
    return false;
  });
  return { kept, counts };
}

/** The slice's hints by zone; undefined when some are missing, or would leave too few endpoints to other zones. */
function usableHints(
  slice: EndpointSlice,
  counted: ZoneCounts,
  allocations: ReadonlyMap<string, Allocation>,
): ZoneCounts | undefined {
  const own = new Map<string, number>();
  for (const endpoint of (slice.endpoints ?? []).filter(isReady)) {
    const zones = endpoint.hints?.forZones ?? [];
    if (zones.length === 0) return undefined;
    for (const { name } of zones) own.set(name, (own.get(name) ?? 0) + 1);
  }
  const fits = [...own].every(
    ([zone, count]) => count + (counted.get(zone) ?? 0) <= (allocations.get(zone)?.maximum ?? -1),
  );
  return fits ? own : undefined;
}

function shift(amounts: Map<string, number>, zone: string): void {
  const left = (amounts.get(zone) ?? 0) - 1;
  if (left > 0) amounts.set(zone, left);
  else amounts.delete(zone);
}

function* withoutHints(changes: SliceChanges, problem: string, family: Family): Steps<HintPlan> {
  return { changes: yield* removeHints(changes), counts: undefined, events: [disabled(problem, family)] };
}

function disabled(message: string, family: Family): HintEvent {
  const reason = "TopologyAwareHintsDisabled";
  return { type: "Warning", reason, message: `${message}, addressType: ${family}` };
}

function enabled(family: Family): HintEvent {
  const message = `Topology Aware Hints has been enabled, addressType: ${family}`;
  return { type: "Normal", reason: "TopologyAwareHintsEnabled", message };
}
