import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { type EndpointSet, sameBeyondKey } from "../../pkg/endpoints/endpoint-set.ts";
import { placeOf } from "../../pkg/endpoints/slice-name.ts";
import type { Filling } from "../../pkg/endpoints/slice-efficiency.ts";
import { describes, mirrorSlice } from "./mirror-slice.ts";
import { type Group, groupKey, mirrorSubsets } from "./mirrored-endpoints.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface MirrorView {
  readonly endpoints: Stored<Endpoints>;
  readonly slices: readonly EndpointSlice[];
  readonly maxPerSubset: number;
}

export interface MirrorCounts {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

export interface MirrorWrites {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

export interface MirrorEvent {
  readonly reason: "InvalidIPAddress" | "TooManyAddressesToMirror";
  readonly message: string;
}

export interface MirrorPlan extends MirrorWrites {
  /** Slices that are right as they are. */
  readonly kept: readonly EndpointSlice[];
  readonly counts: MirrorCounts;
  readonly skipped: number;
  readonly fillings: readonly Filling[];
  readonly events: readonly MirrorEvent[];
}

interface GroupPlan {
  readonly written: EndpointSlice | undefined;
  readonly kept: EndpointSlice | undefined;
  readonly remove: readonly EndpointSlice[];
  readonly counts: MirrorCounts;
}

/** What has to be written so that slices say what the Endpoints say: one slice for each family and set of ports. */
export function decideMirror({ endpoints, slices, maxPerSubset }: MirrorView): MirrorPlan {
  const { groups, skipped, invalid } = mirrorSubsets(endpoints, maxPerSubset);
  const existing = Map.groupBy(slices, ({ addressType, ports }) => groupKey(addressType, ports));
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const kept: EndpointSlice[] = [];
  const fillings: Filling[] = [];
  const remove = [...existing].flatMap(([key, orphans]) => (groups.has(key) ? [] : orphans));
  let counts: MirrorCounts = { added: 0, updated: 0, removed: 0 };
  for (const [key, group] of groups) {
    const present = existing.get(key) ?? [];
    const wanted = group.endpoints.size;
    const plan = decideGroup(endpoints, group, present, maxPerSubset);
    if (plan.kept !== undefined) kept.push(plan.kept);
    if (plan.written !== undefined) (present.length === 0 ? create : update).push(plan.written);
    remove.push(...plan.remove);
    counts = sum(counts, plan.counts);
    const created = plan.written !== undefined && present.length === 0 ? 1 : 0;
    fillings.push({ endpoints: wanted, slices: present.length + created - plan.remove.length });
  }
  const writes = recycle({ create, update, remove });
  return { ...writes, kept, counts, skipped, fillings, events: eventsOf(skipped, invalid, maxPerSubset) };
}

function decideGroup(
  endpoints: Stored<Endpoints>,
  group: Group,
  [first, ...others]: readonly EndpointSlice[],
  maxPerSubset: number,
): GroupPlan {
  const wanted = group.endpoints;
  if (wanted.size === 0) {
    const remove = first === undefined ? [] : [first, ...others];
    const removed = remove.reduce((count, slice) => count + (slice.endpoints ?? []).length, 0);
    return { written: undefined, kept: undefined, remove, counts: { added: 0, updated: 0, removed } };
  }
  const counts =
    first === undefined ? { added: wanted.size, updated: 0, removed: 0 } : changes(first, wanted);
  const isRight = counts.added === 0 && counts.updated === 0 && counts.removed === 0;
  if (first !== undefined && isRight && describes(first, endpoints)) {
    return { written: undefined, kept: first, remove: others, counts };
  }
  const written = mirrorSlice(endpoints, group, wanted.takeFirst(maxPerSubset), first);
  return { written, kept: undefined, remove: others, counts };
}

/** How the endpoints of a slice differ from those wanted. */
export function changes(slice: EndpointSlice, wanted: EndpointSet): MirrorCounts {
  let [found, updated, removed] = [0, 0, 0];
  for (const endpoint of slice.endpoints ?? []) {
    const next = wanted.get(endpoint);
    if (next === undefined) removed++;
    else found++;
    if (next !== undefined && !sameBeyondKey(next, endpoint)) updated++;
  }
  return { added: wanted.size - found, updated, removed };
}

/** Turns creations and deletions into updates as far as they go. The family of a slice cannot be changed. */
export function recycle({ create, update, remove }: MirrorWrites): MirrorWrites {
  const waiting = [...create];
  const recycled: EndpointSlice[] = [];
  const gone: EndpointSlice[] = [];
  for (const slice of remove) {
    const at = waiting.findIndex(({ addressType }) => addressType === slice.addressType);
    const [next] = at < 0 ? [] : waiting.splice(at, 1);
    if (next === undefined) gone.push(slice);
    else recycled.push({ ...next, metadata: { ...next.metadata, ...placeOf(slice) } });
  }
  return { create: waiting, update: [...update, ...recycled], remove: gone };
}

function eventsOf(skipped: number, invalid: number, maxPerSubset: number): readonly MirrorEvent[] {
  const events: MirrorEvent[] = [];
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    events.push({ reason: "InvalidIPAddress", message });
  }
  if (skipped > invalid) {
    const limit = `A max of ${maxPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
    events.push({
      reason: "TooManyAddressesToMirror",
      message: `${limit} ${skipped} addresses were skipped`,
    });
  }
  return events;
}

function sum(one: MirrorCounts, other: MirrorCounts): MirrorCounts {
  return {
    added: one.added + other.added,
    updated: one.updated + other.updated,
    removed: one.removed + other.removed,
  };
}
