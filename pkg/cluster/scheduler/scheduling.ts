import { keyOf, type Stored } from "../../api/object.ts";
import { isPodTerminal, podCondition, withPodCondition } from "../../api/pod.ts";
import { CLAIMS_OF_PODS } from "../../api/pod-claims.ts";
import { resources } from "../../api/resources.ts";
import type { Node, Pod } from "../../api/types/core-v1.gen.ts";
import type { ResourceClaim } from "../../api/types/resource-v1.gen.ts";
import { isForOneNode } from "../../api/volumes/claim-facts.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import type { Env } from "../../controller/env.ts";
import type { SyncResult } from "../../controller/sync.ts";
import { askForVolumes, type Reservation, stateOfVolumes } from "./bind-volumes.ts";
import { type Choice, chooseNode, type NodeFilter } from "./choose-node.ts";
import type { DeviceCaches } from "./device-caches.ts";
import { ClusterUsage } from "./cluster-usage.ts";
import { ClaimsInFlight, writeClaims } from "./bind-devices.ts";
import {
  CLAIMS_OF_DEVICE,
  type ClaimWrite,
  devicesOnNode,
  orProblem,
  type PodDevices,
  podDevices,
} from "./pod-devices.ts";
import { devicesOfNode } from "./node-devices.ts";
import { type PodVolumes, podVolumes, type VolumesOnNode, volumesOnNode } from "./pod-volumes.ts";
import { exceedsVolumeLimits, type LimitListers, volumesByDriver } from "./volume-limits.ts";

export const SCHEDULER = "default-scheduler";
/** A pod that fits nowhere is looked at again when a node, a claim or another pod changes, and after this long. */
const RETRY_MS = 30_000;
/** How long a node is kept for a pod whose claims wait for their volumes. */
const VOLUMES_MS = 600_000;

export interface SchedulerCaches extends LimitListers, DeviceCaches {
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
}

const NO_CLAIMS: PodVolumes = { bound: [], delayed: [] };
const NO_DEVICES: PodDevices = { allocated: [], unallocated: [] };
const NOTHING_TO_WRITE: Pick<Extract<Placement, { readonly node: string }>, "plan" | "claims"> = {
  plan: { keep: [], provision: [] },
  claims: [],
};
const NO_VOLUMES: ReturnType<typeof volumesByDriver> = new Map();

/** What the scheduler knows beside its caches, and what it does for one pod. */
export class Scheduling {
  readonly usage = new ClusterUsage();
  readonly #env: Env;
  readonly #caches: SchedulerCaches;
  readonly #bindsVolumes: boolean;
  readonly #waiting = new Set<string>();
  /** By the uid of the pod. */
  readonly #reservations = new Map<string, Reservation>();
  readonly #inFlight = new ClaimsInFlight();

  constructor(env: Env, caches: SchedulerCaches, bindsVolumes: boolean) {
    this.#env = env;
    this.#caches = caches;
    this.#bindsVolumes = bindsVolumes;
  }

  takeWaiting(): readonly string[] {
    const keys = [...this.#waiting];
    this.#waiting.clear();
    return keys;
  }

  forget(pod: Pod): void {
    this.#waiting.delete(keyOf(pod));
    this.#reservations.delete(pod.metadata.uid ?? "");
  }

  /** What was written of the claim is seen, or the claim is gone. */
  claimChanged(claim: Stored<ResourceClaim>): void {
    const now = this.#caches.deviceClaims.get(claim.metadata.namespace, claim.metadata.name);
    if (now?.metadata.uid !== claim.metadata.uid || now.status?.allocation !== undefined)
      this.#inFlight.end(claim);
  }

  async schedule(key: string, signal: AbortSignal): Promise<SyncResult> {
    const pod = this.#caches.pods.getByKey(key);
    if (pod === undefined || !isPending(pod)) return {};
    // What happens from now on may be what it waits for.
    this.#waiting.add(key);
    try {
      const placed = await this.#place(pod, signal);
      if (placed !== undefined) this.#waiting.delete(key);
      return placed ?? { requeueAfterMs: RETRY_MS };
    } catch (error) {
      // Gone, or written by another hand: its events tell.
      if (isNotFound(error) || isConflict(error)) return { requeueAfterMs: RETRY_MS };
      this.#waiting.delete(key);
      throw error;
    }
  }

  /** Undefined: the pod has to wait. */
  async #place(pod: Stored<Pod>, signal: AbortSignal): Promise<SyncResult | undefined> {
    const uid = pod.metadata.uid ?? "";
    const reserved = this.#reservations.get(uid);
    if (reserved !== undefined) {
      const state = stateOfVolumes(pod, reserved, this.#caches, this.#env.clock.monotonicMs());
      if (state === "waiting") return undefined;
      this.#reservations.delete(uid);
      if (state === "bound") return this.#bind(pod, reserved.node, signal);
      this.usage.remove(pod);
    }
    const choice = orProblem(() => this.#choose(pod));
    if (typeof choice === "string") {
      await this.#reportUnschedulable(pod, choice, signal);
      return undefined;
    }
    if (choice.node === undefined) {
      await this.#reportUnschedulable(pod, choice.message, signal);
      return undefined;
    }
    this.usage.place(pod, choice.node);
    try {
      await writeClaims(this.#env, choice.claims, this.#inFlight, signal);
    } catch (error) {
      this.#release(pod);
      throw error;
    }
    if (choice.plan.keep.length + choice.plan.provision.length === 0)
      return this.#bind(pod, choice.node, signal);
    await this.#reserve(pod, choice.node, choice.plan, signal);
    return undefined;
  }

  #choose(pod: Stored<Pod>): Placement {
    const nodes = this.#caches.nodes.list();
    const volumes = this.#bindsVolumes ? podVolumes(pod, this.#caches) : NO_CLAIMS;
    if (typeof volumes === "string")
      return { node: undefined, message: `0/${nodes.length} nodes are available: ${volumes}. not found` };
    const devices = this.#devicesOf(pod);
    if (typeof devices === "string")
      return { node: undefined, message: `0/${nodes.length} nodes are available: ${devices}.` };
    if (volumes.bound.length + volumes.delayed.length === 0 && devices === NO_DEVICES) {
      const choice = chooseNode(pod, nodes, this.usage);
      return choice.node === undefined ? choice : { ...NOTHING_TO_WRITE, node: choice.node };
    }
    const plans = new Map<string, VolumesOnNode>();
    const claims = new Map<string, readonly ClaimWrite[]>();
    const byDriver = this.#bindsVolumes ? volumesByDriver(pod, this.#caches) : NO_VOLUMES;
    const refuses = (node: Node): string | undefined => {
      const { name = "" } = node.metadata;
      const tooMany = exceedsVolumeLimits(byDriver, name, this.usage.pods(name), this.#caches);
      if (tooMany !== undefined) return tooMany;
      const plan = volumesOnNode(volumes, node, this.#caches);
      if (typeof plan === "string") return plan;
      const writes = this.#claimsOnNode(pod, devices, node);
      if (typeof writes === "string") return writes;
      plans.set(name, plan);
      claims.set(name, writes);
      return undefined;
    };
    const choice =
      this.#nextToItsVolumes(pod, volumes, refuses) ?? chooseNode(pod, nodes, this.usage, refuses);
    if (choice.node === undefined) return choice;
    return {
      node: choice.node,
      plan: plans.get(choice.node) ?? NOTHING_TO_WRITE.plan,
      claims: claims.get(choice.node) ?? NOTHING_TO_WRITE.claims,
    };
  }

  /** A text says why the pod waits wherever there is room. */
  #devicesOf(pod: Stored<Pod>): PodDevices | string {
    if ((pod.spec?.resourceClaims ?? []).length === 0) return NO_DEVICES;
    if (!this.#caches.knowsDevices()) return "devices are not known yet";
    const devices = podDevices(pod, this.#caches);
    if (typeof devices === "string") return devices;
    const isBusy = devices.unallocated.some(({ claim }) => this.#inFlight.isOf(claim));
    return isBusy ? "a resource claim is being allocated for another pod" : devices;
  }

  #claimsOnNode(pod: Stored<Pod>, devices: PodDevices, node: Node): readonly ClaimWrite[] | string {
    if (devices === NO_DEVICES) return [];
    const { deviceClaims, slices } = this.#caches;
    const isTaken = (device: string): boolean =>
      this.#inFlight.has(device) || deviceClaims.byIndex(CLAIMS_OF_DEVICE, device).length > 0;
    return devicesOnNode(pod, devices, { node, offered: devicesOfNode(slices.list(), node), isTaken });
  }

  /**
   * Where the pod's volumes are that one node at a time can have: anywhere else it would wait for them. The real scheduler
   * does not care, and people have clusters whose volumes are files of a node.
   */
  #nextToItsVolumes(pod: Pod, { bound }: PodVolumes, refuses: NodeFilter): Choice | undefined {
    const { nodes, pods } = this.#caches;
    const near = new Set(
      bound
        .filter(({ spec }) => isForOneNode(spec?.accessModes))
        .flatMap((claim) => pods.byIndex(CLAIMS_OF_PODS, keyOf(claim)))
        .flatMap((user) => this.usage.nodeOf(user) ?? []),
    );
    if (near.size === 0) return undefined;
    const elsewhere = "node(s) don't have the volumes";
    const choice = chooseNode(pod, nodes.list(), this.usage, (node) =>
      near.has(node.metadata.name ?? "") ? refuses(node) : elsewhere,
    );
    return choice.node === undefined ? undefined : choice;
  }

  /** The node is kept for the pod until its claims are bound: their changes bring the pod back here. */
  async #reserve(pod: Pod, node: string, plan: VolumesOnNode, signal: AbortSignal): Promise<void> {
    this.usage.place(pod, node);
    const untilMs = this.#env.clock.monotonicMs() + VOLUMES_MS;
    this.#reservations.set(pod.metadata.uid ?? "", { node, plan, untilMs });
    try {
      await askForVolumes(this.#env, plan, node, signal);
    } catch (error) {
      this.#reservations.delete(pod.metadata.uid ?? "");
      this.#release(pod);
      throw error;
    }
  }

  async #bind(pod: Pod, node: string, signal: AbortSignal): Promise<SyncResult> {
    const { namespace = "", name = "", uid } = pod.metadata;
    this.usage.place(pod, node);
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { namespace, name, ...(uid !== undefined && { uid }) },
      target: { apiVersion: "v1", kind: "Node", name: node },
    };
    const client = this.#env.client.clientFor<Pod>(resources.pods);
    try {
      await client.createSubresource({ namespace, name }, "binding", body, signal);
    } catch (error) {
      this.#release(pod);
      throw error;
    }
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    this.#env.events.event(pod, "Normal", "Scheduled", message);
    return {};
  }

  /** What was taken for the pod is free again, but for what another hand has given it meanwhile. */
  #release(pod: Pod): void {
    this.usage.remove(pod);
    const now = this.#caches.pods.getByKey(keyOf(pod));
    if (now !== undefined) this.usage.update(now);
  }

  async #reportUnschedulable(pod: Pod, message: string, signal: AbortSignal): Promise<void> {
    const before = podCondition(pod, "PodScheduled");
    if (before?.status === "False" && before.message === message) return;
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    const { conditions } = withPodCondition(pod.status ?? {}, condition, this.#env.clock.nowMs());
    const { namespace = "", name = "", uid } = pod.metadata;
    const client = this.#env.client.clientFor<Pod>(resources.pods);
    const body = {
      metadata: { uid },
      status: { conditions: conditions?.filter(({ type }) => type === "PodScheduled") },
    };
    await client.patch({ namespace, name }, { type: "strategic", body }, { subresource: "status" }, signal);
    this.#env.events.event(pod, "Warning", "FailedScheduling", message);
  }
}

type Placement =
  | { readonly node: string; readonly plan: VolumesOnNode; readonly claims: readonly ClaimWrite[] }
  | Extract<Choice, { readonly node: undefined }>;

/** To be placed by this scheduler, and not held back. */
export function isPending(pod: Pod): boolean {
  const { nodeName, schedulerName = SCHEDULER, schedulingGates = [] } = pod.spec ?? {};
  return (
    nodeName === undefined &&
    schedulerName === SCHEDULER &&
    schedulingGates.length === 0 &&
    pod.metadata.deletionTimestamp === undefined &&
    !isPodTerminal(pod)
  );
}
