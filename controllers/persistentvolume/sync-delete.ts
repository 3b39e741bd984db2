import { messageOf } from "../../pkg/api/errors.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { setFailed, type Writing } from "./apply.ts";
import type { PersistentVolumeContext } from "./context.ts";
import { isUnclaimed } from "./decide-volume.ts";
import { deletionProblem } from "./host-path-volume.ts";
import { IN_TREE_FINALIZER } from "./migration.ts";
import { deleterOf, HOST_PATH } from "./plugins.ts";

const REASON = "VolumeFailedDelete";

/** upstream: pkg/controller/volume/persistentvolume/pv_controller.go#deleteVolumeOperation */
export async function deleteVolume(writing: Writing, context: PersistentVolumeContext): Promise<void> {
  const { owner: volume } = writing;
  const { volumeWrites, times } = context;
  const doer = deleterOf(volume);
  if (doer.by === "nobody")
    return setFailed(writing, volume, { reason: REASON, message: doer.problem }, context);
  if (doer.by === "other") return;
  const live = await volumeWrites.live(writing, volume);
  if (live === undefined || !isUnclaimed(live, cachedClaim(live, context))) return;
  try {
    await removeHostPath(live, context);
  } catch (error) {
    times.failed(live.metadata.uid);
    await setFailed(writing, live, { reason: REASON, message: messageOf(error) }, context);
    throw error;
  }
  // In this order, as the volume's own sync would put the finalizer back on one that nobody deletes.
  await volumeWrites.remove(writing, live);
  await volumeWrites.change(writing, live, withoutFinalizer);
}

async function removeHostPath(
  volume: PersistentVolume,
  { settings, times }: PersistentVolumeContext,
): Promise<void> {
  await times.step(HOST_PATH, "volume_delete", async () => {
    const problem = deletionProblem(volume);
    if (problem !== undefined) throw new Error(problem);
    await settings.hostPaths.remove(volume.spec?.hostPath?.path ?? "");
  });
}

/** What is known of the claim that the volume is bound to. */
export function cachedClaim(
  { spec }: PersistentVolume,
  { claims }: Pick<PersistentVolumeContext, "claims">,
): Stored<PersistentVolumeClaim> | undefined {
  return claims.lister.get(spec?.claimRef?.namespace, spec?.claimRef?.name ?? "");
}

function withoutFinalizer(live: PersistentVolume): PersistentVolume | undefined {
  const { finalizers = [] } = live.metadata;
  if (!finalizers.includes(IN_TREE_FINALIZER)) return undefined;
  const left = finalizers.filter((name) => name !== IN_TREE_FINALIZER);
  return { ...live, metadata: { ...live.metadata, finalizers: left } };
}
