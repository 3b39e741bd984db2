import { isPodReady, isPodTerminal } from "../api/pod.ts";
import type { Projected } from "../api/projected.ts";
import type { Labels } from "../api/labels.ts";
import type { Pod, Service } from "../api/types/core-v1.gen.ts";

/** The names of the labels, annotations and values that both kinds of endpoints share. */
export const HEADLESS_LABEL = "service.kubernetes.io/headless";
export const TRIGGER_TIME_ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

/** What a controller of endpoints reads of Services. */
export const SERVICE_FIELDS = [
  "spec.type",
  "spec.selector",
  "spec.ports",
  "spec.clusterIP",
  "spec.ipFamilies",
  "spec.publishNotReadyAddresses",
] as const;
export type BackedService = Projected<Service, typeof SERVICE_FIELDS>;

/** What a controller of endpoints reads of pods. */
export const BACKING_POD_FIELDS = [
  "spec.nodeName",
  "spec.hostname",
  "spec.subdomain",
  "spec.containers.ports",
  "spec.initContainers.ports",
  "spec.initContainers.restartPolicy",
  "status.phase",
  "status.podIP",
  "status.podIPs",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.lastTransitionTime",
] as const;
export type BackingPod = Projected<Pod, typeof BACKING_POD_FIELDS>;

/** Pods that have ended, or have no address yet, back no Service. */
export function backsServices(pod: BackingPod, includeTerminating: boolean): boolean {
  if (isPodTerminal(pod)) return false;
  if (!pod.status?.podIP && (pod.status?.podIPs ?? []).length === 0) return false;
  return includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** The name that the pod has below the Service's name in DNS. */
export function hostnameUnder(service: BackedService, pod: BackingPod): string | undefined {
  const { hostname = "", subdomain = "" } = pod.spec ?? {};
  const isUnder =
    hostname !== "" &&
    subdomain === service.metadata.name &&
    pod.metadata.namespace === service.metadata.namespace;
  return isUnder ? hostname : undefined;
}

/** A Service that chooses its pods itself. Without a selector its endpoints are somebody else's. */
export function selectsPods(service: BackedService): boolean {
  if (service.spec?.type === "ExternalName") return false;
  return Object.keys(service.spec?.selector ?? {}).length > 0;
}

export function hasClusterIp(service: BackedService): boolean {
  const address = service.spec?.clusterIP ?? "";
  return address !== "" && address !== "None";
}

function selects(service: BackedService, labels: Labels | undefined): boolean {
  const wanted = Object.entries(service.spec?.selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels?.[key] === value);
}

/** Index under which Services are found by one entry of their selector, which no pod of theirs can be without. */
export const SELECTOR_INDEX = "selectorEntry";

export function selectorEntry(service: BackedService): readonly string[] {
  if (!selectsPods(service)) return [];
  const [key = ""] = Object.keys(service.spec?.selector ?? {}).toSorted();
  return [entryOf(service.metadata.namespace, key, service.spec?.selector?.[key])];
}

/** The values of the index under which a Service must be found to select one of these states of a pod. */
export function entriesOf(before: BackingPod | undefined, after?: BackingPod): ReadonlySet<string> {
  const old = entriesOfPod(before);
  const now = entriesOfPod(after);
  if (now === NO_ENTRIES || now === old) return old;
  return old === NO_ENTRIES ? now : new Set([...old, ...now]);
}

const NO_ENTRIES: ReadonlySet<string> = new Set();

/** Pods that are labelled alike share their labels (see Interner), and are seen with every change of their status. */
const knownEntries = new WeakMap<
  Labels,
  { readonly namespace: string | undefined; readonly entries: ReadonlySet<string> }
>();

function entriesOfPod(pod: BackingPod | undefined): ReadonlySet<string> {
  const { labels, namespace } = pod?.metadata ?? {};
  if (labels === undefined) return NO_ENTRIES;
  const known = knownEntries.get(labels);
  if (known !== undefined && known.namespace === namespace) return known.entries;
  const entries = new Set(Object.entries(labels).map(([key, value]) => entryOf(namespace, key, value)));
  knownEntries.set(labels, { namespace, entries });
  return entries;
}

function entryOf(namespace = "", key: string, value = ""): string {
  return `${namespace}/${key}=${value}`;
}

/** Those of the Services that a change of the pod concerns. They are of its namespace. */
export function affectedServices<S extends BackedService>(
  services: readonly S[],
  before: BackingPod | undefined,
  after: BackingPod | undefined,
): readonly S[] {
  if (before === undefined || after === undefined) {
    const labels = (before ?? after)?.metadata.labels;
    return services.filter((service) => selects(service, labels));
  }
  // A resync of the pod: Services are resynced themselves.
  if (before.metadata.resourceVersion === after.metadata.resourceVersion) return [];
  const changed = endpointChanged(before, after);
  const moved = membershipChanged(before, after);
  if (!changed && !moved) return [];
  return services.filter((service) => {
    const selectsNow = selects(service, after.metadata.labels);
    if (!moved) return selectsNow;
    const selectedBefore = selects(service, before.metadata.labels);
    // When nothing but labels changed, a Service that selects the pod as before has nothing to do.
    return changed ? selectsNow || selectedBefore : selectsNow !== selectedBefore;
  });
}

function endpointChanged(before: BackingPod, after: BackingPod): boolean {
  // upstream: endpointslice/util#podEndpointsChanged compares pointers, so that every change of a pod that is being
  // deleted counts: nothing else here would notice that its phase is final.
  if (before.metadata.deletionTimestamp !== undefined || after.metadata.deletionTimestamp !== undefined)
    return true;
  return (
    isPodReady(before) !== isPodReady(after) ||
    isPodTerminal(before) !== isPodTerminal(after) ||
    addressesOf(before) !== addressesOf(after)
  );
}

function membershipChanged(before: BackingPod, after: BackingPod): boolean {
  return (
    (before.spec?.hostname ?? "") !== (after.spec?.hostname ?? "") ||
    (before.spec?.subdomain ?? "") !== (after.spec?.subdomain ?? "") ||
    // Caches share equal labels.
    (before.metadata.labels !== after.metadata.labels &&
      !sameLabels(before.metadata.labels ?? {}, after.metadata.labels ?? {}))
  );
}

function addressesOf(pod: BackingPod): string {
  return (pod.status?.podIPs ?? []).map(({ ip }) => ip).join();
}

export function sameLabels(one: Labels, other: Labels): boolean {
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && one[key] === other[key])
  );
}
