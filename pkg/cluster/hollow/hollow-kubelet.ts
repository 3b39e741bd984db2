import { resources } from "../../api/resources.ts";
import type { Pod, PodStatus } from "../../api/types/core-v1.gen.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import type { Env } from "../../controller/env.ts";
import type { SyncResult } from "../../controller/sync.ts";
import { EventRation } from "./event-ration.ts";
import { hostAddress } from "./node-object.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { eventsBetween, killEvents, type PodEvent } from "./pod-events.ts";
import { decidePodLife, type PodLifePlan } from "./pod-life.ts";
import type { CachedNode } from "./node-reports.ts";
import type { NodeVolumes } from "./volume-attacher.ts";

export interface KubeletSettings {
  /** The number of each node, by its name. */
  readonly indexes: ReadonlyMap<string, number>;
  /** Whether the kubelet of the node neither tells nor hears anything. */
  readonly isSilent: (node: string) => boolean;
  readonly awaitsRanges: boolean | undefined;
  /** Whether the pod may use all of its volumes, as the status of its node tells. */
  readonly hasVolumes: (pod: Pod, node: NodeVolumes | undefined) => boolean;
  readonly tellsEvents: boolean | undefined;
}

export interface KubeletCaches {
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<CachedNode>;
}

/** How often a pod looks whether its node has addresses and its volumes by now. */
const POLL_MS = 100;

/** All kubelets of the cluster in one. */
export class HollowKubelet {
  readonly #env: Env;
  readonly #pods: Lister<Pod>;
  readonly #nodes: Lister<CachedNode>;
  readonly #awaitsRanges: boolean;
  readonly #hasVolumes: KubeletSettings["hasVolumes"];
  readonly #nodeIndexes: ReadonlyMap<string, number>;
  readonly #isSilent: (node: string) => boolean;
  readonly #addresses = new PodAddresses();
  readonly #tellsEvents: boolean;
  readonly #ration: EventRation;
  /** By the name of the node. */
  readonly #images = new Map<string, Set<string>>();
  /** Uids of pods that were told to end. */
  readonly #ending = new Set<string>();

  constructor(env: Env, caches: KubeletCaches, settings: KubeletSettings) {
    const { indexes, isSilent, awaitsRanges = false, tellsEvents = false } = settings;
    this.#env = env;
    this.#pods = caches.pods;
    this.#nodes = caches.nodes;
    this.#awaitsRanges = awaitsRanges;
    this.#hasVolumes = settings.hasVolumes;
    this.#nodeIndexes = indexes;
    this.#isSilent = isSilent;
    this.#tellsEvents = tellsEvents;
    this.#ration = new EventRation(env.clock);
  }

  hosts(pod: Pod): boolean {
    return this.#nodeIndexes.has(pod.spec?.nodeName ?? "");
  }

  forget({ metadata: { uid = "" } }: Pod): void {
    this.#addresses.release(uid);
    this.#ending.delete(uid);
  }

  async sync(key: string, signal: AbortSignal): Promise<SyncResult> {
    const pod = this.#pods.getByKey(key);
    const node = this.#nodeIndexes.get(pod?.spec?.nodeName ?? "");
    if (pod === undefined || node === undefined || this.#isSilent(pod.spec?.nodeName ?? "")) return {};
    const range = this.#nodes.getByKey(pod.spec?.nodeName ?? "")?.spec?.podCIDR;
    if (range === undefined && this.#awaitsRanges) return { requeueAfterMs: POLL_MS };
    if (this.#lacksVolumes(pod)) return { requeueAfterMs: POLL_MS };
    const nowMs = this.#env.clock.nowMs();
    const uid = pod.metadata.uid ?? "";
    const place = {
      hostIP: hostAddress(node),
      // What it has told stays, though the node may have been made anew with another range.
      podIP: pod.status?.podIP ?? this.#addresses.addressOf(uid, node, range),
      retriesPulls: this.#tellsEvents,
    };
    const plan = decidePodLife(pod, place, nowMs);
    try {
      if (plan.status !== undefined) await this.#writeStatus(pod, plan.status, signal);
      if (this.#tellsEvents) this.#tell(pod, plan);
      if (plan.remove) await this.#remove(pod, signal);
    } catch (error) {
      // The pod is gone, or is another by now: its own events bring it back here.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return plan.recheckAtMs === undefined ? {} : { requeueAfterMs: Math.max(0, plan.recheckAtMs - nowMs) };
  }

  /** A pod whose containers have been started has had them. */
  #lacksVolumes(pod: Pod): boolean {
    const { phase = "Pending" } = pod.status ?? {};
    if (phase !== "Pending" || pod.metadata.deletionTimestamp !== undefined) return false;
    return !this.#hasVolumes(pod, this.#nodes.getByKey(pod.spec?.nodeName ?? "")?.status);
  }

  /** Warnings are told in any case: there are few of them, and they are what people look for. */
  #tell(pod: Pod, { status }: PodLifePlan): void {
    const events = [...this.#endEvents(pod), ...this.#changes(pod, status)];
    if (events.length === 0) return;
    const isUrgent = events.some(({ type }) => type === "Warning");
    if (!this.#ration.take(events.length) && !isUrgent) return;
    const host = pod.spec?.nodeName ?? "";
    for (const event of events) this.#env.events.eventWithAnnotations({ ...event, regarding: pod, host });
  }

  #endEvents(pod: Pod): readonly PodEvent[] {
    const { uid = "", deletionTimestamp } = pod.metadata;
    if (deletionTimestamp === undefined || this.#ending.has(uid)) return [];
    this.#ending.add(uid);
    return killEvents(pod);
  }

  #changes(pod: Pod, status: PodStatus | undefined): readonly PodEvent[] {
    if (status === undefined || pod.metadata.deletionTimestamp !== undefined) return [];
    const node = pod.spec?.nodeName ?? "";
    const images = this.#images.get(node) ?? new Set();
    this.#images.set(node, images);
    return eventsBetween(pod, status, (image) => {
      const isThere = images.has(image);
      images.add(image);
      return isThere;
    });
  }

  /** As a kubelet does, by a patch that leaves the conditions of others alone. */
  async #writeStatus(pod: Pod, status: PodStatus, signal: AbortSignal): Promise<void> {
    const { namespace = "", name = "", uid } = pod.metadata;
    const body = { metadata: { uid }, status };
    const client = this.#env.client.clientFor<Pod>(resources.pods);
    await client.patch({ namespace, name }, { type: "strategic", body }, { subresource: "status" }, signal);
  }

  async #remove(pod: Pod, signal: AbortSignal): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const client = this.#env.client.clientFor<Pod>(resources.pods);
    await client.delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } }, signal);
  }
}
