import { keyOf, splitKey, type Stored } from "../../pkg/api/object.ts";
import { hasPodEnded } from "../../pkg/api/pod.ts";
import { CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import { forEachInTurns } from "../../pkg/clock/turns.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { type AttachDetachContext, DRIVER_INDEX } from "./context.ts";
import type { CachedPod } from "./fields.ts";
import { byDriver, VOLUMES_INDEX } from "./pod-volumes.ts";
import { volumeKey } from "./volume-key.ts";
import { isBound, specOfPodVolume, type VolumeSpec } from "./volume-spec.ts";

type Wake = (key: string) => void;

/** Takes into account which volumes the pod needs where, and wakes those for which that is news. */
export function followPod(context: AttachDetachContext, pod: Stored<CachedPod>, wake: Wake): void {
  const node = pod.spec?.nodeName ?? "";
  if (node === "") return;
  if (hasPodEnded(pod)) {
    forgetPod(context, pod, wake);
    return;
  }
  const { desired, attached, lookups } = context;
  const { uid } = pod.metadata;
  for (const volume of pod.spec?.volumes ?? []) {
    const spec = specOfPodVolume(pod, volume, lookups);
    if (spec === undefined) continue;
    const place = { node, volume: spec.uniqueName };
    const key = volumeKey(place);
    if (!isAttachable(context, spec)) {
      if (desired.leaveOne(uid, place)) wake(key);
      continue;
    }
    const isNew = desired.want({ pod: { uid, key: keyOf(pod) }, node, spec });
    if (isNew !== undefined) attached.learn(key, spec);
    if (isNew === true) wake(key);
  }
}

/** The pod needs nothing any more. */
export function forgetPod(
  { desired, nodes }: AttachDetachContext,
  { metadata: { uid }, spec }: Stored<CachedPod>,
  wake: Wake,
): void {
  for (const key of desired.leave(uid)) wake(key);
  const node = spec?.nodeName ?? "";
  if (nodes.lister.get(undefined, node) === undefined) desired.release(node);
}

/** A driver of which nothing is known attaches. */
export function isAttachable(
  { drivers }: Pick<AttachDetachContext, "drivers">,
  { csi }: VolumeSpec,
): boolean {
  return csi === undefined || drivers.lister.get(undefined, csi.driver)?.spec.attachRequired !== false;
}

/** Pods of a claim that has a volume now. */
export async function syncClaim({ key }: Sync, context: AttachDetachContext): Promise<SyncResult> {
  const { claims, pods, clock, wakers } = context;
  const claim = claims.lister.getByKey(key);
  if (claim === undefined || !isBound(claim)) return {};
  const users = pods.lister.byIndex(CLAIMS_OF_PODS, key);
  await forEachInTurns(clock, users, (pod) => followCurrent(context, pod, wakers.volume));
  return {};
}

/** Pods with volumes of a driver that attaches from now on, or no longer does. */
export async function syncDriver({ key: driver }: Sync, context: AttachDetachContext): Promise<SyncResult> {
  const { volumes, pods, clock, wakers } = context;
  await forEachInTurns(clock, volumes.lister.byIndex(DRIVER_INDEX, driver), ({ spec }) => {
    const { namespace = "", name } = spec?.claimRef ?? {};
    if (name !== undefined) wakers.claim(`${namespace}/${name}`);
  });
  const inline = pods.lister.byIndex(VOLUMES_INDEX, byDriver(driver));
  await forEachInTurns(clock, inline, (pod) => followCurrent(context, pod, wakers.volume));
  return {};
}

/** Meanwhile the pod may have changed, or be gone. */
export function followCurrent(context: AttachDetachContext, pod: Stored<CachedPod>, wake: Wake): void {
  const { namespace, name, uid } = pod.metadata;
  const current = context.pods.lister.get(namespace, name);
  if (current?.metadata.uid === uid) followPod(context, current, wake);
}

/** The pods of these keys that are there still. */
export function podsOf({ pods }: AttachDetachContext, keys: Iterable<readonly [uid: string, key: string]>) {
  return [...keys].flatMap(([uid, key]) => {
    const { namespace, name } = splitKey(key);
    const pod = pods.lister.get(namespace, name);
    return pod?.metadata.uid === uid ? pod : [];
  });
}
