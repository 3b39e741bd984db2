import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import type { VirtualClock } from "../../../pkg/testing/virtual-clock.ts";

interface Moment {
  readonly revision: number;
  readonly atMs: number;
}

/** Buckets whose events matter, by plural name. */
export const BUCKETS: Readonly<Record<string, string>> = {
  pods: "pods",
  replicasets: "apps/replicasets",
  deployments: "apps/deployments",
  replicationcontrollers: "replicationcontrollers",
  jobs: "batch/jobs",
  cronjobs: "batch/cronjobs",
  namespaces: "namespaces",
  nodes: "nodes",
  statefulsets: "apps/statefulsets",
  services: "services",
  endpoints: "endpoints",
  endpointslices: "discovery.k8s.io/endpointslices",
  poddisruptionbudgets: "policy/poddisruptionbudgets",
  daemonsets: "apps/daemonsets",
  controllerrevisions: "apps/controllerrevisions",
  persistentvolumeclaims: "persistentvolumeclaims",
  resourceclaims: "resource.k8s.io/resourceclaims",
  resourceslices: "resource.k8s.io/resourceslices",
  horizontalpodautoscalers: "autoscaling/horizontalpodautoscalers",
};

/** The same where there is a driver of volumes. */
export const VOLUME_BUCKETS = {
  persistentvolumes: "persistentvolumes",
  volumeattachments: "storage.k8s.io/volumeattachments",
  storageclasses: "storage.k8s.io/storageclasses",
} as const;

/** Of each process and resource; those of the last minute are needed. */
const MOST_VIEWS = 4_000;

/** When each version came to be, and up to which of them each process has been shown each resource. */
export class History {
  readonly #store: Store;
  readonly #clock: VirtualClock;
  readonly #moments = new Map<string, Moment[]>();
  readonly #all: Moment[] = [];
  readonly #seen = new Map<string, number>();
  readonly #firstSeenMs = new Map<string, number>();
  readonly #shown = new Set<string>();
  readonly #views = new Map<string, { readonly untilMs: number; readonly freshMs: number }[]>();

  /** Where what is followed is, by plural name. */
  readonly buckets: Readonly<Record<string, string>>;

  /** With what there is beside, of clusters of a family. */
  constructor(store: Store, clock: VirtualClock, more: Readonly<Record<string, string>> = {}) {
    this.buckets = { ...BUCKETS, ...more };
    this.#store = store;
    this.#clock = clock;
    for (const [resource, bucket] of Object.entries(this.buckets)) {
      const moments: Moment[] = [];
      this.#moments.set(resource, moments);
      store.subscribe(bucket, ({ revision }) => {
        const moment = { revision, atMs: clock.monotonicMs() };
        moments.push(moment);
        this.#all.push(moment);
      });
    }
  }

  seen(process: string, resource: string, version: string): void {
    const key = `${process} ${resource}`;
    if (!this.#firstSeenMs.has(key)) this.#firstSeenMs.set(key, this.#clock.monotonicMs());
    const before = { untilMs: this.#clock.monotonicMs(), freshMs: this.#freshMs(key, resource) };
    const views = this.#views.get(key) ?? [];
    views.push(before);
    if (views.length > MOST_VIEWS) views.splice(0, MOST_VIEWS / 2);
    this.#views.set(key, views);
    this.#seen.set(key, Number(version));
  }

  /** When the process was first shown what there is of the resource; undefined: not yet. */
  firstSeenMs(process: string, resource: string): number | undefined {
    return this.#firstSeenMs.get(`${process} ${resource}`);
  }

  /** The process has read this: an object, or a list of them. */
  shown(process: string, answer: unknown): void {
    const { metadata, items } = (answer ?? {}) as Partial<ApiObject> & {
      items?: readonly ApiObject[] | null;
    };
    for (const uid of [metadata?.uid, ...(items ?? []).map((item) => item.metadata.uid)])
      if (uid !== undefined) this.#shown.add(`${process} ${uid}`);
  }

  hasBeenShown(process: string, { metadata }: ApiObject): boolean {
    return this.#shown.has(`${process} ${metadata.uid}`);
  }

  /** Whatever the process has believed since then, it knew all that happened to the resource up to this time. */
  freshAsOfMs(process: string, resource: string, sinceMs: number): number {
    const key = `${process} ${resource}`;
    let freshMs = this.#freshMs(key, resource);
    for (const view of this.#views.get(key) ?? []) {
      if (view.untilMs >= sinceMs) freshMs = Math.min(freshMs, view.freshMs);
    }
    return freshMs;
  }

  #freshMs(key: string, resource: string): number {
    const seen = this.#seen.get(key) ?? 0;
    const moments = this.#moments.get(resource) ?? [];
    let low = 0;
    let high = moments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((moments[middle]?.revision ?? 0) <= seen) low = middle + 1;
      else high = middle;
    }
    return moments[low]?.atMs ?? this.#clock.monotonicMs();
  }

  /** The newest version that is at least so old, if the server still has it; undefined for now. */
  versionBefore(ageMs: number): string | undefined {
    if (ageMs <= 0) return undefined;
    const horizonMs = this.#clock.monotonicMs() - ageMs;
    const moment = this.#all.findLast(({ atMs }) => atMs <= horizonMs);
    if (moment === undefined) return undefined;
    return moment.revision < this.#store.revision ? String(moment.revision) : undefined;
  }
}
