import { keyOf, type Stored, type StoredObject } from "../../pkg/api/object.ts";
import { forEachInSteps, type Steps } from "../../pkg/api/steps.ts";
import type { EndpointPort, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { backsServices, type BackingPod } from "../../pkg/endpoints/backing-pods.ts";
import { EndpointSet } from "../../pkg/endpoints/endpoint-set.ts";
import { placeOf } from "../../pkg/endpoints/slice-name.ts";
import type { Filling } from "../../pkg/endpoints/slice-efficiency.ts";
import { inWireOrder, portsKey } from "../../pkg/endpoints/slice-ports.ts";
import { endpointOf, portsOf } from "./endpoint-of-pod.ts";
import { removeHints, type SliceChanges } from "./hints.ts";
import { placeEndpoints, type SliceWrites } from "./placement.ts";
import { isOwnedBy, labelsDiffer, labelsFor, newSlice, servesAsPlaceholder } from "./slice-object.ts";
import {
  type HintEvent,
  type HintPlan,
  hintByTopology,
  hintsDisabled,
  type TopologyView,
} from "./topology-hints.ts";
import { hintByPreference, trafficDistributionOf, wantsTopologyHints } from "./traffic-distribution.ts";
import type { ZoneCounts } from "./zone-shares.ts";
import type { CachedService, CachedNode } from "./fields.ts";

/** A Service with its pods, and its slices of one family, as the caches have them. */
export interface SlicesView extends TopologyView {
  readonly service: Stored<CachedService>;
  readonly pods: readonly Stored<BackingPod>[];
  /** By name. */
  readonly nodes: ReadonlyMap<string, CachedNode>;
  readonly slices: readonly EndpointSlice[];
  readonly maxEndpoints: number;
}

export interface SlicePlan extends SliceWrites {
  readonly added: number;
  readonly removed: number;
  /** For the metrics: one for each set of ports. */
  readonly fillings: readonly Filling[];
  /** What is to be remembered of the hints by zone. */
  readonly hintCounts: ZoneCounts | undefined;
  readonly events: readonly HintEvent[];
  /** Pods that are left out although they should not be: to be tried again. */
  readonly problems: readonly string[];
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: EndpointSet;
}

/** What has to be written so that the slices of one family say what the pods are. */
export function* decideSlices(view: SlicesView): Steps<SlicePlan> {
  const { service, slices } = view;
  const owned = slices.filter((slice) => isOwnedBy(slice, service));
  const ownedByPorts = Map.groupBy(owned, ({ ports }) => portsKey(ports));
  const { groups, problems } = yield* desiredGroups(view);

  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const remove = slices.filter((slice) => !owned.includes(slice));
  const fillings: Filling[] = [];
  let [added, removed] = [0, 0];
  for (const [key, { ports, endpoints }] of groups) {
    const existing = ownedByPorts.get(key) ?? [];
    const count = endpoints.size;
    const placement = yield* placeEndpoints(
      existing.map((slice) => withSortedPorts(slice)),
      endpoints,
      {
        maxEndpoints: view.maxEndpoints,
        newSlice: () => newSlice(service, ports, view.family),
        labels: labelsFor(service),
        labelsDiffer: (slice) => labelsDiffer(slice, service),
      },
    );
    create.push(...placement.create);
    update.push(...placement.update);
    remove.push(...placement.remove);
    added += placement.added;
    removed += placement.removed;
    const left = existing.length + placement.create.length - placement.remove.length;
    fillings.push({ endpoints: count, slices: left });
  }
  for (const [key, existing] of ownedByPorts) if (!groups.has(key)) remove.push(...existing);

  const kept = ensurePlaceholder(view, { create, update, remove }, fillings);
  const hints = yield* decideHints(view, kept);
  const writes = recycle(service, { ...hints.changes, remove: kept.remove });
  return { ...writes, added, removed, fillings, hintCounts: hints.counts, events: hints.events, problems };
}

/** The endpoints that there should be, by their ports. */
function* desiredGroups({ service, pods, nodes, family }: SlicesView): Steps<{
  readonly groups: ReadonlyMap<string, Group>;
  readonly problems: readonly string[];
}> {
  const groups = new Map<string, Group>();
  const problems: string[] = [];
  // Pods of one template have the same ports, and to put these in order is work.
  const byPorts = new Map<string, Group>();
  const groupFor = (ports: readonly EndpointPort[]): Group => {
    const text = JSON.stringify(ports);
    const known = byPorts.get(text);
    if (known !== undefined) return known;
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports: inWireOrder(ports), endpoints: new EndpointSet() };
    groups.set(key, group);
    byPorts.set(text, group);
    return group;
  };
  yield* forEachInSteps(pods, (pod) => {
    if (!backsServices(pod, true)) return;
    const { endpoints } = groupFor(portsOf(service, pod));
    const node = nodes.get(pod.spec?.nodeName ?? "");
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
      problems.push(
        `skipping Pod ${pod.metadata.name} for Service ${keyOf(service)}: Node ${pod.spec?.nodeName ?? ""} Not Found`,
      );
      return;
    }
    const endpoint = endpointOf(pod, node, service, family);
    if (endpoint.addresses.length > 0) endpoints.add(endpoint);
  });
  return { groups, problems };
}

function withSortedPorts(slice: EndpointSlice): EndpointSlice {
  return { ...slice, ports: inWireOrder(slice.ports ?? []) };
}

/** A Service that would have no slice at all gets an empty one, so that readers know that it has been looked at. */
function ensurePlaceholder(view: SlicesView, writes: SliceWrites, fillings: Filling[]): SliceWrites {
  if (view.slices.length !== writes.remove.length || writes.create.length > 0) return writes;
  const placeholder = newSlice(view.service, [], view.family);
  fillings.push({ endpoints: 0, slices: 1 });
  const [only, ...others] = writes.remove;
  if (only !== undefined && others.length === 0 && servesAsPlaceholder(only, placeholder)) {
    return { ...writes, remove: [] };
  }
  return { ...writes, create: [placeholder] };
}

function* decideHints(view: SlicesView, writes: SliceWrites): Steps<HintPlan> {
  const touched = new Set([...writes.update, ...writes.remove].map(({ metadata }) => metadata.name));
  const unchanged = view.slices.filter(({ metadata }) => !touched.has(metadata.name));
  const changes: SliceChanges = { create: writes.create, update: writes.update, unchanged };
  if (wantsTopologyHints(view.service)) return yield* hintByTopology(changes, view);
  const preference = trafficDistributionOf(view.service);
  return {
    changes: yield* preference === undefined ? removeHints(changes) : hintByPreference(changes, preference),
    counts: undefined,
    events: hintsDisabled(view),
  };
}

/**
 * Turns creations and deletions into updates as far as they go: one write instead of two, and no moment without the
 * endpoints. Slices of an earlier Service of the name are not taken over: they are about to be collected.
 */
function recycle(service: StoredObject, { create, update, remove }: SliceWrites): SliceWrites {
  const waiting = [...create];
  const recycled: EndpointSlice[] = [];
  const gone: EndpointSlice[] = [];
  for (const slice of remove) {
    const next = isOwnedBy(slice, service) ? waiting.pop() : undefined;
    if (next === undefined) gone.push(slice);
    else recycled.push({ ...next, metadata: { ...next.metadata, ...placeOf(slice) } });
  }
  return { create: waiting, update: [...update, ...recycled], remove: gone };
}
