import type { CachedNode } from "./fields.ts";

/** Of a zone: most of its nodes are ready, too few are, none is. */
export type ZoneState = "Normal" | "PartialDisruption" | "FullDisruption";

/** How many nodes of a zone are ready, and how many are not. */
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

export interface ZoneSettings {
  /** Nodes a second that get the taint which drives their pods away. */
  readonly evictionRate: number;
  /** The same in a zone of which too few nodes are ready. */
  readonly secondaryEvictionRate: number;
  /** In such a zone of this many nodes or fewer no node gets it. */
  readonly largeClusterSizeThreshold: number;
  /** The share of a zone's nodes that are not ready from which on too few are. */
  readonly unhealthyZoneThreshold: number;
}

export interface ZonePlan {
  readonly states: ReadonlyMap<string, ZoneState>;
  readonly rates: ReadonlyMap<string, number>;
  /** In no zone is any node ready: it is more likely that the fault is ours than that all have died. */
  readonly allDown: boolean;
}

const FEWEST_FOR_PARTIAL = 3;

/**
 * The failure zone of a node, as it is named in metrics; "" for none.
 * upstream: component-helpers/node/topology/helpers.go#GetZoneKey
 */
export function zoneOf({ metadata: { labels = {} } }: CachedNode): string {
  const zone =
    labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"] ?? "";
  const region =
    labels["failure-domain.beta.kubernetes.io/region"] ?? labels["topology.kubernetes.io/region"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}

/** Whether a node counts where it is judged how its zone fares. */
export function isCounted({ metadata: { labels = {} } }: CachedNode): boolean {
  return !Object.hasOwn(labels, "node.kubernetes.io/exclude-disruption");
}

/** E.g. with a threshold of 0.55: 5 of 10 are few enough, 6 are too many; 2 of 2 are all; 2 of 3 are few enough. */
export function zoneState({ ready, notReady }: ZoneCount, unhealthyZoneThreshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return "FullDisruption";
  // upstream counts in single precision: 11 of 20 are 0.55 of them.
  const share = Math.fround(notReady / (notReady + ready));
  const isUnhealthy = notReady >= FEWEST_FOR_PARTIAL && share >= Math.fround(unhealthyZoneThreshold);
  return isUnhealthy ? "PartialDisruption" : "Normal";
}

/** How each zone fares, and how many of its nodes may be emptied in a second. */
export function planZones(counts: ReadonlyMap<string, ZoneCount>, settings: ZoneSettings): ZonePlan {
  const states = new Map<string, ZoneState>();
  for (const [zone, count] of counts) states.set(zone, zoneState(count, settings.unhealthyZoneThreshold));
  const allDown = states.size > 0 && [...states.values()].every((state) => state === "FullDisruption");
  const rates = new Map<string, number>();
  for (const [zone, { ready, notReady }] of counts) {
    const rate = rateOf(states.get(zone), ready + notReady, settings);
    rates.set(zone, allDown ? 0 : rate);
  }
  return { states, rates, allDown };
}

function rateOf(state: ZoneState | undefined, nodes: number, settings: ZoneSettings): number {
  if (state !== "PartialDisruption") return settings.evictionRate;
  return nodes > settings.largeClusterSizeThreshold ? settings.secondaryEvictionRate : 0;
}

/** Of the nodes that are ready, in percent. */
export function healthPercent({ ready, notReady }: ZoneCount): number {
  return (100 * ready) / (ready + notReady);
}
