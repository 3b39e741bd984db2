import { messageOf } from "../../pkg/api/errors.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import type { PersistentVolume, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { claimKeyOf } from "../../pkg/api/volumes/claim-facts.ts";
import { isAlreadyExists } from "../../pkg/client/errors.ts";
import { setFailed, tell, unbind, type Writing } from "./apply.ts";
import type { PersistentVolumeContext } from "./context.ts";
import { isUnclaimed } from "./decide-volume.ts";
import { isOver } from "./fields.ts";
import { recyclerPod } from "./recycler-pod.ts";
import { cachedClaim } from "./sync-delete.ts";
import { podEnd, relayEvents } from "./sync-recycler-pod.ts";

const REASON = "VolumeFailedRecycle";

/** upstream: pkg/controller/volume/persistentvolume/pv_controller.go#recycleVolumeOperation */
export async function recycleVolume(writing: Writing, context: PersistentVolumeContext): Promise<void> {
  const { owner } = writing;
  const { volumeWrites, recyclerTemplates, settings } = context;
  const volume = await volumeWrites.live(writing, owner);
  if (volume === undefined) return;
  const claim = cachedClaim(volume, context);
  if (!isUnclaimed(volume, claim)) return;
  // A claim of the name is another one, with another volume, and its pods use that.
  const users = claim === undefined ? usersOf(volume, context) : [];
  if (users.length > 0) {
    // The end of the last of them wakes the volume.
    const message = `Volume is used by pods: ${users.join(",")}`;
    return tell(context, volume, { type: "Normal", reason: REASON, message });
  }
  const pod = recyclerPod(volume, recyclerTemplates, settings);
  if (pod === undefined)
    return setFailed(
      writing,
      volume,
      { reason: REASON, message: "No recycler plugin found for the volume!" },
      context,
    );
  try {
    await scrub(writing, volume, pod, context);
  } catch (error) {
    writing.signal.throwIfAborted();
    const message = `Recycle failed: ${messageOf(error)}`;
    await setFailed(writing, volume, { reason: REASON, message }, context);
    throw error;
  }
  tell(context, volume, { type: "Normal", reason: "VolumeRecycled", message: "Volume recycled" });
  await unbind(writing, volume, context);
}

/** Pods that still use the volume, by the name of its claim, in order. */
function usersOf(volume: PersistentVolume, { pods }: PersistentVolumeContext): readonly string[] {
  return pods.lister
    .byIndex(CLAIMS_OF_PODS, claimKeyOf(volume) ?? "")
    .filter((pod) => !isOver(pod))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .toSorted();
}

/** Runs the pod to its end. upstream: pkg/volume/util/recyclerclient */
async function scrub(
  writing: Writing,
  volume: Stored<PersistentVolume>,
  draft: Pod,
  context: PersistentVolumeContext,
): Promise<void> {
  const { podWrites } = context;
  const pod = await start(writing, draft, context);
  const watching = new AbortController();
  const signal = AbortSignal.any([writing.signal, watching.signal]);
  const events = relayEvents(pod, context, { signal, onEvent: (event) => tell(context, volume, event) });
  let failure: unknown;
  try {
    await podEnd(pod, context, writing.signal);
  } catch (error) {
    failure = error;
  }
  watching.abort();
  await events;
  writing.signal.throwIfAborted();
  try {
    await podWrites.remove(writing, pod);
  } catch (error) {
    writing.signal.throwIfAborted();
    // What happened to the volume is told rather; the pod is in the way of the next try, which deletes it.
    if (failure === undefined)
      throw new Error(`failed to delete recycler pod: ${messageOf(error)}`, { cause: error });
  }
  if (failure !== undefined)
    throw new Error(`failed to recycle volume: ${messageOf(failure)}`, { cause: failure });
}

async function start(writing: Writing, draft: Pod, context: PersistentVolumeContext): Promise<Stored<Pod>> {
  const { podWrites, podClient } = context;
  const { namespace = "", name = "" } = draft.metadata;
  try {
    return await podWrites.create(writing, draft);
  } catch (error) {
    writing.signal.throwIfAborted();
    if (!isAlreadyExists(error))
      throw new Error(`unexpected error creating recycler pod:  ${messageOf(error)}`, { cause: error });
    try {
      // It is of a try that nobody follows any more, or somebody is in the way.
      await podWrites.remove(writing, await podClient.get({ namespace, name }, {}, writing.signal));
    } catch (deleteError) {
      writing.signal.throwIfAborted();
      throw new Error(`failed to delete old recycler pod ${namespace}/${name}: ${messageOf(deleteError)}`, {
        cause: deleteError,
      });
    }
    throw new Error("old recycler pod found, will retry later", { cause: error });
  }
}
