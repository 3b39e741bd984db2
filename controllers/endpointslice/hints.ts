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
  const { hints: _, ...others } = endpoint;
  return others;
}

/** A slice whose endpoints are what `change` makes of them. */
export function mapEndpoints(slice: EndpointSlice, change: (endpoint: Endpoint) => Endpoint): EndpointSlice {
  return { ...slice, endpoints: (slice.endpoints ?? []).map(change) };
}

/** Slices that need it go from the unchanged ones to the ones that are written. */
export function moveToUpdate(
  changes: SliceChanges,
  needsUpdate: (slice: EndpointSlice) => boolean,
): SliceChanges {
  const moved = changes.unchanged.filter(needsUpdate);
  return {
    create: changes.create,
    update: [...changes.update, ...moved],
    unchanged: changes.unchanged.filter((slice) => !moved.includes(slice)),
  };
}

/** Changes every endpoint in the slices that are written. */
export function mapWritten(changes: SliceChanges, change: (endpoint: Endpoint) => Endpoint): SliceChanges {
  const map = (slice: EndpointSlice): EndpointSlice => mapEndpoints(slice, change);
  return { ...changes, create: changes.create.map(map), update: changes.update.map(map) };
}

export function removeHints(changes: SliceChanges): SliceChanges {
  const hasHints = (slice: EndpointSlice): boolean =>
    (slice.endpoints ?? []).some(({ hints }) => hints !== undefined);
  return mapWritten(moveToUpdate(changes, hasHints), withoutHints);
}
