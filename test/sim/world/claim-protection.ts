import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { PersistentVolumeClaim } from "../../../pkg/api/types/core-v1.gen.ts";
import { patch, storeOf } from "./hands.ts";
import { objectsIn, podsIn } from "./objects.ts";
import type { World } from "./world.ts";

const FINALIZER = "kubernetes.io/pvc-protection";
const PERIOD_MS = 3_000;

/**
 * Lets claims go that are being deleted, once no pod uses them: a task that no manager here has. A pod without a node does
 * not hold its claim, as it will get none while that is being deleted.
 */
export function protectClaims(world: World): void {
  const look = async (): Promise<void> => {
    const store = storeOf(world);
    const claims = objectsIn<PersistentVolumeClaim>(store, resources.persistentVolumeClaims);
    for (const claim of claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)) {
      const { namespace, name, finalizers = [] } = claim.metadata;
      const isUsed = podsIn(store).some(
        (pod) =>
          pod.metadata.namespace === namespace &&
          pod.spec?.nodeName !== undefined &&
          !isPodTerminal(pod) &&
          pod.spec?.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name) === true,
      );
      if (isUsed || !finalizers.includes(FINALIZER)) continue;
      const left = finalizers.filter((finalizer) => finalizer !== FINALIZER);
      await patch(world, resources.persistentVolumeClaims, claim, { metadata: { finalizers: left } });
    }
    world.clock.setTimer(PERIOD_MS, () => void look());
  };
  world.clock.setTimer(PERIOD_MS, () => void look());
}
