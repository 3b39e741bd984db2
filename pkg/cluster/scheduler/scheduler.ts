import { semanticEqual } from "../../api/equality.ts";
import { keyOf } from "../../api/object.ts";
import { isPodTerminal, podCondition, withPodCondition } from "../../api/pod.ts";
import { resources } from "../../api/resources.ts";
import type { Node, PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import { whenSynced } from "../../controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../controller/env.ts";
import type { SyncResult } from "../../controller/sync.ts";
import { WorkerPool } from "../../controller/worker.ts";
import { createWorkQueue } from "../../workqueue/work-queue.ts";
import { type Choice, chooseNode } from "./choose-node.ts";
import { claimProblem } from "./claim-problem.ts";
import { ClusterUsage } from "./cluster-usage.ts";

const WORKERS = 16;
const NAME = "default-scheduler";
/** A pod that fits nowhere is looked at again when a node, a claim or another pod changes, and after this long. */
const RETRY_MS = 30_000;

/**
 * Assigns pods to nodes by resources, node selectors and affinity, taints and topology spread, once their claims are there.
 * There is no preemption, no affinity between pods, and no volume that binds a pod to a place.
 */
export function scheduler(): ControllerDescriptor {
  return {
    name: "scheduler",
    clientName: "scheduler",
    eventSource: NAME,
    build,
  };
}

function build(env: Env): Controller {
  const pods = env.informers.informer<Pod>(resources.pods);
  const nodes = env.informers.informer<Node>(resources.nodes);
  const claims = env.informers.informer<PersistentVolumeClaim>(resources.persistentVolumeClaims);
  const queue = createWorkQueue<string>({ clock: env.clock });
  const scheduling = new Scheduling(env, {
    pods: pods.lister,
    nodes: nodes.lister,
    claims: claims.lister,
  });
  const offer = (pod: Pod): void => {
    if (isPending(pod)) queue.add(keyOf(pod));
  };
  const offerWaiting = (): void => {
    for (const key of scheduling.takeWaiting()) queue.add(key);
  };
  const registrations = [
    pods.addHandler({
      onAdd: (pod) => {
        scheduling.usage.update(pod);
        offer(pod);
      },
      onUpdate: (before, after) => {
        scheduling.usage.update(after);
        offer(after);
        if (isPodTerminal(after) && !isPodTerminal(before)) offerWaiting();
      },
      onDelete: (pod) => {
        scheduling.usage.remove(pod);
        scheduling.forget(pod);
        offerWaiting();
      },
    }),
    nodes.addHandler({
      onAdd: offerWaiting,
      onUpdate: (before, after) => {
        if (!offersTheSame(before, after)) offerWaiting();
      },
    }),
    claims.addHandler({ onAdd: offerWaiting, onDelete: offerWaiting }),
  ];
  const pool = new WorkerPool({
    queue,
    // Only requests overlap: a decision takes its room before anything is awaited, so that the next one sees it.
    workers: WORKERS,
    sync: async ({ key, signal }) => scheduling.schedule(key, signal),
    ready: whenSynced(env.clock, registrations),
    clock: env.clock,
    log: env.log,
  });
  return { run: async (signal) => pool.run(signal), health: () => ({ pools: { pods: pool.liveness() } }) };
}

interface Caches {
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
  readonly claims: Lister<PersistentVolumeClaim>;
}

class Scheduling {
  readonly usage = new ClusterUsage();
  readonly #env: Env;
  readonly #caches: Caches;
  readonly #waiting = new Set<string>();

  constructor(env: Env, caches: Caches) {
    this.#env = env;
    this.#caches = caches;
  }

  takeWaiting(): readonly string[] {
    const keys = [...this.#waiting];
    this.#waiting.clear();
    return keys;
  }

  forget(pod: Pod): void {
    this.#waiting.delete(keyOf(pod));
  }

  async schedule(key: string, signal: AbortSignal): Promise<SyncResult> {
    const pod = this.#caches.pods.getByKey(key);
    if (pod === undefined || !isPending(pod)) return {};
    const choice = this.#choose(pod);
    try {
      if (choice.node !== undefined) {
        await this.#bind(pod, choice.node, signal);
        return {};
      }
      await this.#reportUnschedulable(pod, choice.message, signal);
    } catch (error) {
      // Gone, or bound by another hand: its events tell.
      if (!isNotFound(error) && !isConflict(error)) throw error;
      return {};
    }
    this.#waiting.add(key);
    return { requeueAfterMs: RETRY_MS };
  }

  #choose(pod: Pod): Choice {
    const nodes = this.#caches.nodes.list();
    const problem = claimProblem(pod, this.#caches.claims);
    if (problem === undefined) return chooseNode(pod, nodes, this.usage);
    return { node: undefined, message: `0/${nodes.length} nodes are available: ${problem}.` };
  }

  async #bind(pod: Pod, node: string, signal: AbortSignal): Promise<void> {
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
      this.usage.remove(pod);
      throw error;
    }
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    this.#env.events.event(pod, "Normal", "Scheduled", message);
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

/** A heartbeat makes no room. */
function offersTheSame(before: Node, after: Node): boolean {
  return (
    semanticEqual(before.spec, after.spec) &&
    semanticEqual(before.metadata.labels, after.metadata.labels) &&
    semanticEqual(before.status?.allocatable, after.status?.allocatable)
  );
}

/** To be placed by this scheduler, and not held back. */
function isPending(pod: Pod): boolean {
  const { nodeName, schedulerName = NAME, schedulingGates = [] } = pod.spec ?? {};
  return (
    nodeName === undefined &&
    schedulerName === NAME &&
    schedulingGates.length === 0 &&
    pod.metadata.deletionTimestamp === undefined &&
    !isPodTerminal(pod)
  );
}
