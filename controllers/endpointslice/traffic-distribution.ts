import type { Steps } from "../../pkg/api/steps.ts";
import type { Endpoint, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { isReady, mapWritten, moveToUpdate, type SliceChanges, withoutHints, zoneHint } from "./hints.ts";
import { type CachedService, OLD_TOPOLOGY_ANNOTATION, TOPOLOGY_ANNOTATION } from "./fields.ts";

const PREFER_SAME_NODE = "PreferSameNode";
const PREFERENCES: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", PREFER_SAME_NODE]);
/** Whether an annotation asks for hints in proportion to the CPUs of zones. Of the two, the older one decides. */
export function wantsTopologyHints({ metadata: { annotations = {} } }: CachedService): boolean {
  const wish = annotations[OLD_TOPOLOGY_ANNOTATION] ?? annotations[TOPOLOGY_ANNOTATION];
  return wish === "Auto" || wish === "auto";
}

/** The preference that decides on hints: one that is known, and not overruled by the annotation. */
export function trafficDistributionOf(service: CachedService): string | undefined {
  const preference = service.spec?.trafficDistribution ?? "";
  return PREFERENCES.has(preference) && !wantsTopologyHints(service) ? preference : undefined;
}

/** Every ready endpoint is for its own zone, and for its own node where that is preferred. */
export function* hintByPreference(changes: SliceChanges, preference: string): Steps<SliceChanges> {
  const byNode = preference === PREFER_SAME_NODE;
  const needsUpdate = (slice: EndpointSlice): boolean =>
    (slice.endpoints ?? []).some((endpoint) => isReady(endpoint) && !isHinted(endpoint, byNode));
  return yield* mapWritten(yield* moveToUpdate(changes, needsUpdate), (endpoint) =>
    isReady(endpoint) ? hinted(endpoint, byNode) : endpoint,
  );
}

function hinted(endpoint: Endpoint, byNode: boolean): Endpoint {
  const { zone, nodeName } = endpoint;
  const forZone = zone === undefined ? {} : zoneHint(zone);
  const forNode = byNode && nodeName !== undefined ? { forNodes: [{ name: nodeName }] } : {};
  const hints = { ...forZone, ...forNode };
  return Object.keys(hints).length === 0 ? withoutHints(endpoint) : { ...endpoint, hints };
}

function isHinted({ hints, zone, nodeName }: Endpoint, byNode: boolean): boolean {
  return names(hints?.forZones, zone) && names(hints?.forNodes, byNode ? nodeName : undefined);
}

/** Whether the hints are this name alone; without a name, whether there are none. */
function names(
  hints: readonly { readonly name: string }[] | null | undefined,
  name: string | undefined,
): boolean {
  const given = hints ?? [];
  return name === undefined ? given.length === 0 : given.length === 1 && given[0]?.name === name;
}
