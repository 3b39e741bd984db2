import { resources } from "../../api/resources.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { wired } from "../../controller/kit.ts";
import { protectionQueue } from "./protection-queue.ts";

export const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** Lets volumes go that are being deleted, once they are not bound any more. */
export function volumeProtection(): ControllerDescriptor {
  return {
    name: "persistentvolume-protection-controller",
    clientName: "pv-protection-controller",
    build: wired((kit) => {
      protectionQueue(kit, {
        name: "pvprotection",
        resource: resources.persistentVolumes,
        finalizer: VOLUME_FINALIZER,
        isUsed: async ({ status }) => status?.phase === "Bound",
      });
    }),
  };
}
