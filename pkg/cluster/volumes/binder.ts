import { keyOf } from "../../api/object.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { wired } from "../../controller/kit.ts";
import { binderContext } from "./binder-context.ts";
import { BIND_COMPLETED, claimKeyOf, isAnnotated, VOLUMES_OF_CLAIM } from "./claim-facts.ts";
import { syncClaim } from "./sync-claim.ts";
import { syncVolume } from "./sync-volume.ts";

const WORKERS = 4;

/** Brings claims and volumes together, asks for volumes to be made, and reclaims those that are released. */
export function volumeBinder(): ControllerDescriptor {
  return {
    name: "persistentvolume-binder-controller",
    clientName: "persistent-volume-binder",
    eventSource: "persistentvolume-controller",
    build: wired((kit) => {
      const context = binderContext(kit);
      const { claims, volumes, classes } = context;
      const claimQueue = kit.ownerQueue({
        name: "claims",
        workers: WORKERS,
        owners: claims,
        sync: async (sync) => syncClaim(sync, context),
      });
      const volumeQueue = kit.ownerQueue({
        name: "volumes",
        workers: WORKERS,
        owners: volumes,
        consistency: context.ofVolumes,
        sync: async (sync) => syncVolume(sync, context, (claim) => claimQueue.add(keyOf(claim))),
      });
      claims.wakes(volumeQueue, ({ object }, wake) => {
        for (const { metadata } of volumes.lister.byIndex(VOLUMES_OF_CLAIM, keyOf(object)))
          wake(metadata.name ?? "");
      });
      const wakeUnbound = (wake: (key: string) => void): void => {
        for (const claim of claims.lister.list()) if (!isAnnotated(claim, BIND_COMPLETED)) wake(keyOf(claim));
      };
      // One that nobody has may be for any claim.
      volumes.wakes(claimQueue, ({ object }, wake) => {
        const key = claimKeyOf(object);
        if (key === undefined) wakeUnbound(wake);
        else wake(key);
      });
      classes.wakes(claimQueue, ({ type }, wake) => {
        if (type !== "deleted") wakeUnbound(wake);
      });
    }),
  };
}
