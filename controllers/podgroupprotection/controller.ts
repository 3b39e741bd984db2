import { keyOf, type PartialObject } from "../../pkg/api/object.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { finalizerChange, protect } from "../../pkg/controller/protection.ts";
import { groupProtectionContext } from "./context.ts";
import { ACTIVE_PODS } from "./group-pods.ts";
import { podRule } from "./handlers.ts";

const FINALIZER = "scheduling.k8s.io/podgroup-protection";

/** Admission gives groups the finalizer, and nobody else does: those that are older have none, and need none. */
const isHeld = (group: PartialObject): boolean => finalizerChange(group, FINALIZER) === "remove";

const leaving: WakeRule<PartialObject> = ({ type, object }, wake) => {
  if (type !== "deleted" && isHeld(object)) wake(keyOf(object));
};

/** Keeps groups of pods that are being deleted for as long as one of their pods has not ended. */
export const podGroupProtectionController = defineController(
  { name: "podgroup-protection-controller", featureGates: ["GenericWorkload"] },
  (kit) => {
    const { groups, pods, writes } = groupProtectionContext(kit);
    const queue = kit.ownerQueue({
      name: "podgroupprotection",
      workers: 1,
      owners: groups,
      wakes: leaving,
      sync: async (sync) => {
        if (!isHeld(sync.owner)) return {};
        return protect(sync, {
          finalizer: FINALIZER,
          writes,
          stays: ({ key }) => (pods.lister.byIndex(ACTIVE_PODS, key).length > 0 ? {} : undefined),
        });
      },
    });
    pods.wakes(queue, podRule({ groups }));
  },
);
