import { resources } from "../../pkg/api/resources.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { protect, unprotected } from "../../pkg/controller/protection.ts";

const FINALIZER = "kubernetes.io/pv-protection";

/** Keeps volumes that are being deleted for as long as they are bound to a claim. */
export const volumeProtectionController = defineController(
  { name: "persistentvolume-protection-controller", clientName: "pv-protection-controller" },
  (kit) => {
    const volumes = kit.reads(resources.persistentVolumes);
    const writes = kit.writes(resources.persistentVolumes);
    kit.ownerQueue({
      name: "pvprotection",
      workers: 1,
      owners: volumes,
      wakes: unprotected(FINALIZER),
      sync: async (sync) =>
        protect(sync, {
          finalizer: FINALIZER,
          writes,
          stays: ({ owner }) => (owner.status?.phase === "Bound" ? {} : undefined),
        }),
    });
  },
);
