import { keyOf } from "../../pkg/api/object.ts";
import { CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import { defineController, type WorkerSettings } from "../../pkg/controller/kit.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { type CachedPod, ephemeralVolumes } from "./claim-of-volume.ts";
import { ephemeralVolumeContext } from "./context.ts";
import { syncPod } from "./sync.ts";

/** Makes the claims of pods' ephemeral volumes. That they go with their pods is the garbage collector's affair. */
export const ephemeralVolumeController = defineController(
  { name: "ephemeral-volume-controller", eventSource: "ephemeral_volume" },
  (kit, { workers }: WorkerSettings) => {
    const context = ephemeralVolumeContext(kit);
    const { claims, pods } = context;
    const queue = kit.ownerQueue({
      name: "ephemeral_volume",
      workers,
      owners: pods,
      // What a pod has of volumes never changes.
      wakes: onlyWhen(["added"], ({ object }, wake) => {
        if (mayNeedClaims(object)) wake(keyOf(object));
      }),
      sync: async (sync) => syncPod(sync, context),
    });
    claims.wakes(
      queue,
      onlyWhen(["deleted"], ({ object }, wake) => {
        for (const pod of pods.lister.byIndex(CLAIMS_OF_PODS, keyOf(object)))
          if (mayNeedClaims(pod)) wake(keyOf(pod));
      }),
    );
  },
);

function mayNeedClaims(pod: CachedPod): boolean {
  return pod.metadata.deletionTimestamp === undefined && ephemeralVolumes(pod).length > 0;
}
