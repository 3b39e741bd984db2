import { semanticEqual } from "../../api/equality.ts";
import { type ApiObject, keyOf, type Stored } from "../../api/object.ts";
import { isPodTerminal } from "../../api/pod.ts";
import { claimKeysOf, CLAIMS_OF_PODS } from "../../api/pod-claims.ts";
import { resources } from "../../api/resources.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import type { CSINode, StorageClass } from "../../api/types/storage-v1.gen.ts";
import type { EventHandler, HandlerRegistration } from "../../cache/informer/informer.ts";
import { whenSynced } from "../../controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../controller/env.ts";
import { WorkerPool } from "../../controller/worker.ts";
import { createWorkQueue } from "../../workqueue/work-queue.ts";
import { claimOfVolume, VOLUMES_OF_CLAIM } from "../../api/volumes/claim-facts.ts";
import { deviceCaches } from "./device-caches.ts";
import { isPending, SCHEDULER, Scheduling } from "./scheduling.ts";

const WORKERS = 16;

export interface SchedulerSettings {
  /** Off where nobody binds claims: pods then get their nodes whatever volumes they name. On when left out. */
  readonly bindsVolumes?: boolean;
}

/**
 * Assigns pods to nodes by resources, node selectors and affinity, taints and topology spread, once their claims are bound,
 * or together with them. There is no preemption, and no affinity between pods.
 */
export function scheduler({ bindsVolumes = true }: SchedulerSettings = {}): ControllerDescriptor {
  return {
    name: "scheduler",
    clientName: "scheduler",
    eventSource: SCHEDULER,
    build: (env) => build(env, bindsVolumes),
  };
}

function build(env: Env, bindsVolumes: boolean): Controller {
  const pods = env.informers.informer<Pod>(resources.pods);
  const nodes = env.informers.informer<Node>(resources.nodes);
  const claims = env.informers.informer<PersistentVolumeClaim>(resources.persistentVolumeClaims);
  const volumes = env.informers.informer<PersistentVolume>(resources.persistentVolumes);
  const classes = env.informers.informer<StorageClass>(resources.storageClasses);
  const csiNodes = env.informers.informer<CSINode>(resources.csiNodes);
  const devices = deviceCaches(env);
  pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
  volumes.addIndex(VOLUMES_OF_CLAIM, claimOfVolume);
  const queue = createWorkQueue<string>({ clock: env.clock });
  const caches = {
    pods: pods.lister,
    nodes: nodes.lister,
    claims: claims.lister,
    volumes: volumes.lister,
    classes: classes.lister,
    csiNodes: csiNodes.lister,
    ...devices.caches,
  };
  const scheduling = new Scheduling(env, caches, bindsVolumes);
  const offer = (pod: Pod): void => {
    if (isPending(pod)) queue.add(keyOf(pod));
  };
  const offerWaiting = (): void => {
    for (const key of scheduling.takeWaiting()) queue.add(key);
  };
  const offerUsers = (claim: PersistentVolumeClaim): void => {
    for (const pod of pods.lister.byIndex(CLAIMS_OF_PODS, keyOf(claim))) offer(pod);
  };
  const registrations: readonly HandlerRegistration[] = [
    pods.addHandler({
      onAdd: (pod) => {
        scheduling.usage.update(pod);
        offer(pod);
      },
      onUpdate: (before, after) => {
        // A pod that a node is kept for has none yet.
        if (after.spec?.nodeName !== undefined) scheduling.usage.update(after);
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
    claims.addHandler(always(offerUsers)),
    volumes.addHandler(whenFree(offerWaiting)),
    classes.addHandler({ onAdd: offerWaiting }),
    csiNodes.addHandler(always(offerWaiting)),
  ];
  devices.tell({ claimChanged: (claim) => scheduling.claimChanged(claim), changed: offerWaiting });
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

function always<T extends ApiObject>(tell: (object: Stored<T>) => void): EventHandler<T> {
  return { onAdd: tell, onUpdate: (_before, after) => tell(after), onDelete: tell };
}

/** A volume that is nobody's may be what a claim waits for. */
function whenFree(tell: () => void): EventHandler<PersistentVolume> {
  const tellIfFree = ({ spec }: PersistentVolume): void => {
    if (spec?.claimRef === undefined) tell();
  };
  return { onAdd: tellIfFree, onUpdate: (_before, after) => tellIfFree(after) };
}

/** A heartbeat makes no room. */
function offersTheSame(before: Node, after: Node): boolean {
  return (
    semanticEqual(before.spec, after.spec) &&
    semanticEqual(before.metadata.labels, after.metadata.labels) &&
    semanticEqual(before.status?.allocatable, after.status?.allocatable)
  );
}
