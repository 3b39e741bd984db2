import type { Steps } from "../../pkg/api/steps.ts";
import type { Endpoint, EndpointHints, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";

/** The slices of one Service and family that there will be; the unchanged ones are as the cache has them. */
export interface SliceChanges {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly unchanged: readonly EndpointSlice[];
}

export function isReady(endpoint: Endpoint): boolean {
  return endpoint.conditions?.ready === true;
}

export function zoneHint(zone: string): EndpointHints {
  return { forZones: [{ name: zone }] };
}

export function withoutHints(endpoint: Endpoint): Endpoint {
  if (endpoint.hints === undefined) return endpoint;
  const { hints: _, ...others } = endpoint;
  return others;
}

/** Slices that need it go from the unchanged ones to the ones that are written. */
export function* moveToUpdate(
  changes: SliceChanges,
  needsUpdate: (slice: EndpointSlice) => boolean,
): Steps<SliceChanges> {
  const moved: EndpointSlice[] = [];
  const unchanged: EndpointSlice[] = [];
  for (const slice of changes.unchanged) {
    (needsUpdate(slice) ? moved : unchanged).push(slice);
    yield;
  }
  return { create: changes.create, update: [...changes.update, ...moved], unchanged };
}

/** Changes every endpoint in the slices that are written. */
export function* mapWritten(
  changes: SliceChanges,
  change: (endpoint: Endpoint) => Endpoint,
): Steps<SliceChanges> {
  const create = yield* mapEndpoints(changes.create, change);
  const update = yield* mapEndpoints(changes.update, change);
  return { ...changes, create, update };
}

function* mapEndpoints(
  slices: readonly EndpointSlice[],
  change: (endpoint: Endpoint) => Endpoint,
): Steps<readonly EndpointSlice[]> {
  const mapped: EndpointSlice[] = [];
  for (const slice of slices) {
    mapped.push({ ...slice, endpoints: (slice.endpoints ?? []).map(change) });
    yield;
  }
  return mapped;
}

export function* removeHints(changes: SliceChanges): Steps<SliceChanges> {
  const hasHints = (slice: EndpointSlice): boolean =>
    (slice.endpoints ?? []).some(({ hints }) => hints !== undefined);
  return yield* mapWritten(yield* moveToUpdate(changes, hasHints), withoutHints);
}
