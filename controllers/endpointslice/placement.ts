import type { Labels } from "../../pkg/api/labels.ts";
import type { Steps } from "../../pkg/api/steps.ts";
import type { Endpoint, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { type EndpointSet, sameBeyondKey } from "../../pkg/endpoints/endpoint-set.ts";

export interface SliceWrites {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

export interface Placement extends SliceWrites {
  readonly added: number;
  readonly removed: number;
}

export interface PlacementRules {
  readonly maxEndpoints: number;
  /** An empty slice with the right ports. */
  readonly newSlice: () => EndpointSlice;
  /** The labels of every slice that is written because of its endpoints or its labels. */
  readonly labels: Labels;
  /** Whether labels alone are a reason to write the slice. */
  readonly labelsDiffer: (slice: EndpointSlice) => boolean;
}

interface Draft {
  readonly before: EndpointSlice;
  readonly changed: boolean;
  readonly endpoints: Endpoint[];
}

/**
 * Puts the desired endpoints into slices that all have the same ports, with as few writes as possible. Every write goes
 * to every node, so slices are not kept tight: an endpoint that stays does not move.
 *  1. Endpoints stay where they are; those that are not wanted any more go.
 *  2. New ones fill up the slices that must be written anyway, the fullest first.
 *  3. The rest goes into the one untouched slice that it fills best, or into new slices.
 * E.g. with 3 in a slice, [a b c] [d e] and b gone, f and g new: [a f c], and g joins d and e.
 */
export function* placeEndpoints(
  existing: readonly EndpointSlice[],
  wanted: EndpointSet,
  rules: PlacementRules,
): Steps<Placement> {
  const drafts: Draft[] = [];
  for (const slice of existing) {
    drafts.push(draftOf(slice, wanted, rules));
    yield;
  }
  const removed = drafts.reduce(
    (count, { before, endpoints }) => count + Math.max(0, (before.endpoints ?? []).length - endpoints.length),
    0,
  );
  const added = wanted.size;
  const emptied = drafts.filter((draft) => draft.changed && draft.endpoints.length === 0 && isFilled(draft));
  const written = drafts.filter((draft) => draft.changed && !emptied.includes(draft));
  for (const { endpoints } of written.toSorted(fullestFirst)) {
    endpoints.push(...wanted.takeFirst(rules.maxEndpoints - endpoints.length));
    yield;
  }
  const untouched = drafts.filter(({ changed }) => !changed);
  const topped = new Map<EndpointSlice, readonly Endpoint[]>();
  const create: EndpointSlice[] = [];
  while (wanted.size > 0) {
    const free = untouched.filter(({ before }) => !topped.has(before));
    const best =
      wanted.size < rules.maxEndpoints ? bestFit(free, wanted.size, rules.maxEndpoints) : undefined;
    if (best === undefined) {
      create.push({ ...rules.newSlice(), endpoints: wanted.takeFirst(rules.maxEndpoints) });
    } else {
      const { before } = best;
      const kept = before.endpoints ?? [];
      topped.set(before, [...kept, ...wanted.takeFirst(rules.maxEndpoints - kept.length)]);
    }
    yield;
  }
  const update = drafts
    .filter((draft) => written.includes(draft) || topped.has(draft.before))
    .map(({ before, endpoints }) => {
      const filled = topped.get(before);
      if (filled !== undefined) return { ...before, endpoints: filled };
      return { ...before, metadata: { ...before.metadata, labels: rules.labels }, endpoints };
    });
  return { create, update, remove: emptied.map(({ before }) => before), added, removed };
}

function draftOf(slice: EndpointSlice, wanted: EndpointSet, rules: PlacementRules): Draft {
  const before = slice.endpoints ?? [];
  const endpoints: Endpoint[] = [];
  let changed = false;
  for (const endpoint of before) {
    const next = wanted.take(endpoint);
    if (next === undefined) continue;
    // Without its hints: they are given to whole slices, once it is known who is in them.
    endpoints.push(next);
    if (!sameBeyondKey(next, endpoint)) changed = true;
  }
  changed ||= endpoints.length !== before.length || rules.labelsDiffer(slice);
  return { before: slice, changed, endpoints };
}

function isFilled({ before }: Draft): boolean {
  return (before.endpoints ?? []).length > 0;
}

function fullestFirst(one: Draft, other: Draft): number {
  return other.endpoints.length - one.endpoints.length;
}

/** The slice that is closest to full once `count` more are in it. */
function bestFit(drafts: readonly Draft[], count: number, max: number): Draft | undefined {
  let best: Draft | undefined;
  let leastLeft = max;
  for (const draft of drafts) {
    const left = max - count - draft.endpoints.length;
    if (left < 0 || left >= leastLeft) continue;
    [best, leastLeft] = [draft, left];
  }
  return best;
}
