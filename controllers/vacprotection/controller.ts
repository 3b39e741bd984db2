import { defineController } from "../../pkg/controller/kit.ts";
import { protect, unprotected } from "../../pkg/controller/protection.ts";
import { classesOfClaim, classesOfVolume, USERS_OF_CLASS } from "./class-use.ts";
import { type ClassProtectionContext, classProtectionContext } from "./context.ts";
import { userRule } from "./handlers.ts";

const FINALIZER = "kubernetes.io/vac-protection";

/** Keeps classes of volume attributes that are being deleted for as long as a claim or a volume uses them. */
export const attributesClassProtectionController = defineController(
  { name: "volumeattributesclass-protection-controller", featureGates: ["VolumeAttributesClass"] },
  (kit) => {
    const context = classProtectionContext(kit);
    const { claims, classes, volumes, writes } = context;
    const queue = kit.ownerQueue({
      name: "vacprotection",
      workers: 1,
      owners: classes,
      wakes: unprotected(FINALIZER),
      sync: async (sync) =>
        protect(sync, {
          finalizer: FINALIZER,
          writes,
          stays: ({ key }) => (isUsed(key, context) ? {} : undefined),
        }),
    });
    claims.wakes(queue, userRule(classesOfClaim, context));
    volumes.wakes(queue, userRule(classesOfVolume, context));
  },
);

/** By what the caches know. upstream: vac_protection_controller.go#Controller says why it does without live lists. */
function isUsed(name: string, { claims, volumes }: ClassProtectionContext): boolean {
  return [volumes, claims].some(({ lister }) => lister.byIndex(USERS_OF_CLASS, name).length > 0);
}
